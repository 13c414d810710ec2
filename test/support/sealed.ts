// Looks for texts in Temporal's payloads and files.
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'
import { projectRoot } from '../../runtime/process/version.js'
import { dataConverter } from '../../runtime/temporal/temporal.js'

/** Returns the product's data converter. Tests run from the sources, but the SDK needs the compiled failure converter. */
export const testDataConverter = (encryptionKey: string, refused?: (error: Error) => void): DataConverter => ({
  ...dataConverter({ encryptionKey: Buffer.from(encryptionKey, 'base64'), oldEncryptionKeys: [] }, refused),
  failureConverterPath: join(projectRoot, 'dist', 'runtime', 'temporal', 'failure-converter.js'),
})

/** Copies a value with every payload in it decrypted. */
export async function everyPayloadOpened(value: unknown, codec: PayloadCodec | undefined): Promise<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  const [opened = value] = isPayload(value) ? ((await codec?.decode([value])) ?? []) : []
  const members = Object.entries(opened).map(async ([name, each]) => [name, await everyPayloadOpened(each, codec)])
  return Object.fromEntries(await Promise.all(members))
}

/** Returns every string in a value, and its bytes as strings. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

const isPayload = (value: object): value is Payload => 'metadata' in value && 'data' in value

/** Returns the markers that occur in some bytes. */
export const markersIn = (bytes: Buffer, markers: readonly string[]): string[] =>
  markers.filter(marker => bytes.includes(marker))

const { History } = proto.temporal.api.history.v1
const { DescribeWorkflowExecutionResponse } = proto.temporal.api.workflowservice.v1

/** Reads histories and descriptions of the runs that a query finds: as Temporal stores them, and with all payloads decrypted. */
export async function heldOfRuns(client: Client, query: string): Promise<{ sealed: Buffer; opened: string }> {
  const [codec] = client.workflow.options.loadedDataConverter.payloadCodecs
  const sealed: Uint8Array[] = []
  const opened: string[] = []
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    const handle = client.workflow.getHandle(workflowId, runId)
    const history = await handle.fetchHistory()
    const { raw } = await handle.describe()
    sealed.push(History.encode(history).finish(), DescribeWorkflowExecutionResponse.encode(raw).finish())
    opened.push(...textsOf(await everyPayloadOpened([history, raw], codec)))
  }
  return { sealed: Buffer.concat(sealed), opened: opened.join('\n') }
}

const stepBytes = 4 * 1024 * 1024
/** Reads overlap by this much, so that a shorter marker on the border of two reads is found with the second. */
const overlapBytes = 1024

/** Returns the markers that occur in the files of the Temporal development server. */
export async function markersInFiles(dataDir: string, markers: readonly string[]): Promise<string[]> {
  const directory = join(dataDir, 'temporal')
  // Reads the write-ahead log before the database, so that data that moves to the database meanwhile is still found.
  const files = (await readdir(directory)).sort().reverse()
  const found = new Set<string>()
  for (const file of files) {
    const handle = await open(join(directory, file))
    try {
      const buffer = Buffer.alloc(stepBytes)
      for (let position = 0; ; position += stepBytes - overlapBytes) {
        const { bytesRead } = await handle.read(buffer, 0, stepBytes, position)
        for (const marker of markersIn(buffer.subarray(0, bytesRead), markers)) found.add(marker)
        if (bytesRead < stepBytes) break
      }
    } finally {
      await handle.close()
    }
  }
  return markers.filter(marker => found.has(marker))
}

/** ENCRYPTION_KEY of the stack that records histories for the replay tests. It protects no secret. */
export const recordingKey = Buffer.from('for recorded histories, no other').toString('base64')
