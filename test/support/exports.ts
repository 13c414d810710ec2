// Starts exports and reads their files.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { Client, WorkflowHandle } from '@temporalio/client'
import { createBucket } from '../../db/storage/bucket.js'
import { newId } from '../../runtime/ids.js'
import { readConfig } from '../../runtime/settings/config.js'
import { queues } from '../../workflows/jobs/contracts.js'
import type { Tenant } from './api.js'
import type { ExtractResult } from './extracts.js'
import type { JobBody } from './faults.js'
import type { Page } from './frame.js'

/** The job of an export, as the API shows it. */
export interface ExportJob extends JobBody {
  input: {
    export: string
    mode: string
    instant: string
    from?: string
    fullBecause?: string
    destination: string
    folder: string
    definitions: object[]
  }
}

/** The manifest file of an export. */
export interface ExportManifest {
  tenant: string
  export: string
  mode: 'full' | 'incremental'
  fullBecause?: string
  instant: string
  from?: string
  definitions: { identifier: string }[]
  files: { name: string; results: number; bytes: number; sha256: string }[]
}

/** A line of a file of results. */
export type ExportedResult = ExtractResult & { identifier: string; type: string }

/** The files of an export, keyed by name. */
export type Delivered = Map<string, Buffer>

/** Starts an export as its schedule does. */
export function startExport(client: Client, { tenantKey }: Tenant, exportKey: string): Promise<WorkflowHandle> {
  const workflowId = `${tenantKey}/scheduledExport/${exportKey}/${newId()}`
  const input = { tenantKey, exportKey }
  return client.workflow.start('scheduledExport', { taskQueue: queues.background, workflowId, args: [input] })
}

/** Runs an export as its schedule does, and waits for its end, even if it fails. @returns its job. */
export async function runExport(client: Client, tenant: Tenant, exportKey: string): Promise<ExportJob> {
  await (await startExport(client, tenant, exportKey)).result()
  const [newest] = await exportJobs(tenant)
  if (!newest) throw new Error('There is no export')
  return newest
}

/** Lists the jobs of a tenant's exports, the latest first. */
export async function exportJobs(tenant: Tenant): Promise<ExportJob[]> {
  const { status, body } = await tenant.get<Page<ExportJob>>('/api/v1/jobs?Kind=formExport&First=100')
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.Edges.map(({ Node }) => Node)
}

/** Reads the files of an export to a directory. */
export async function filesIn(directory: string, { input }: ExportJob): Promise<Delivered> {
  const folder = join(directory, input.folder)
  const names = await readdir(folder)
  return new Map(await Promise.all(names.map(async name => [name, await readFile(join(folder, name))] as const)))
}

/** Reads the objects of an export to a bucket, by the names in its manifest. @param env settings of the exporting process. */
export async function objectsIn(env: Record<string, string>, { input }: ExportJob): Promise<Delivered> {
  const { s3 } = readConfig({
    ...env,
    DATABASE_URL: 'mysql://x/x',
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  }).exports
  if (!s3) throw new Error('There is no bucket')
  const bucket = createBucket(s3, 'The bucket')
  const read = async (name: string) => {
    const blocks: Uint8Array[] = []
    for await (const block of await bucket.read(`${input.folder}/${name}`)) blocks.push(block)
    return [name, Buffer.concat(blocks)] as const
  }
  const manifest = await read('manifest.json')
  const { files } = manifestOfExport(new Map([manifest]))
  return new Map([manifest, await read('SHA256SUMS'), ...(await Promise.all(files.map(({ name }) => read(name))))])
}

export const manifestOfExport = (files: Delivered): ExportManifest => JSON.parse(textOf(files, 'manifest.json'))

const textOf = (files: Delivered, name: string) => files.get(name)?.toString() ?? ''

/** The text of a file in gzip. */
export const unzipped = (files: Delivered, name: string): string => gunzipSync(files.get(name) ?? '').toString()

/** The lines of a file in gzip. */
export const linesOf = <Line>(files: Delivered, name: string): Line[] =>
  unzipped(files, name)
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

/** Runs `sha256sum -c` on the files and returns its output lines. @throws Error if a checksum is wrong. */
export async function checkSums(files: Delivered): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'armature-sums-'))
  try {
    for (const [name, bytes] of files) await writeFile(join(directory, name), bytes)
    const check = promisify(execFile)('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: directory })
    return (await check).stdout.trim().split('\n')
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Models a data warehouse that applies every export of a chain. */
export function warehouse() {
  const results = new Map<string, ExportedResult>()
  let instant: string | undefined
  const keyOf = ({ identifier, instanceGuid }: { identifier: string; instanceGuid: string }) =>
    `${identifier} ${instanceGuid}`
  return {
    /** The results, in no order. */
    results: () => [...results.values()],
    apply(files: Delivered): ExportManifest {
      const manifest = manifestOfExport(files)
      if (manifest.mode === 'full') results.clear()
      else if (manifest.from !== instant) throw new Error(`It goes on from ${manifest.from}; applied is ${instant}`)
      for (const { identifier } of manifest.definitions)
        for (const result of linesOf<ExportedResult>(files, `${identifier}.ndjson.gz`))
          results.set(keyOf(result), result)
      if (manifest.mode === 'incremental')
        for (const gone of linesOf<ExportedResult>(files, 'removed.ndjson.gz')) results.delete(keyOf(gone))
      ;({ instant } = manifest)
      return manifest
    },
  }
}
