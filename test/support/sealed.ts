// Looks for texts in Temporal's payloads and files.
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common'
import proto from '@temporalio/proto'
import { projectRoot } from '../../dev/programs.js'
import { dataConverter } from '../../runtime/temporal/temporal.js'

/** The product's own for this ENCRYPTION_KEY. Tests run from the sources, and the SDK loads the failure converter as it is built. */
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

/** Every text in a value, and all bytes as text. */
export function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

const isPayload = (value: object): value is Payload => 'metadata' in value && 'data' in value

/** Which of the markers stand in some bytes. */
export const markersIn = (bytes: Buffer, markers: readonly string[]): string[] =>
  markers.filter(marker => bytes.includes(marker))

const { History } = proto.temporal.api.history.v1
const { DescribeWorkflowExecutionResponse } = proto.temporal.api.workflowservice.v1

/** Histories and descriptions of the runs that a query finds: as Temporal has them, and with every payload opened. */
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
/** Markers must be shorter than this, so that one on the border of two reads is found with the second. */
const overlapBytes = 1024

/** Which of the markers stand in the files of the Temporal development server. */
export async function markersInFiles(dataDir: string, markers: readonly string[]): Promise<string[]> {
  const directory = join(dataDir, 'temporal')
  // The write-ahead log is read before the database, so that what moves from one to the other meanwhile is still found.
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

/** ENCRYPTION_KEY of the stack that records histories to be replayed; it guards nothing. */
export const recordingKey = Buffer.from('for recorded histories, no other').toString('base64')
