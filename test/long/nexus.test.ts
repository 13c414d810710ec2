// The Nexus gateway, with the worker and the workflow of examples/nexus.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, type WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure, type DataConverter } from '@temporalio/common'
import { NativeConnection } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Job } from '../../client/index.js'
import { connect } from '../../db/connect.js'
import { projectRoot } from '../../dev/programs.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { createNexusCodec } from '../../nexus/codec.js'
import type { Inputs } from '../../nexus/service.js'
import type { Tenant } from '../support/api.js'
import { type ScriptedProvider, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { aNote, anEntity, formAsked, formsTenant, plantWards } from '../support/factories.js'
import { holdLocation, seedLocations, subjectId } from '../support/locations.js'
import { person } from '../support/people.js'
import { differences } from '../support/transfer-faults.js'
import { until } from '../support/until.js'

/** Two pages of a transfer. */
const count = 20_000
const db = connect(inject('databaseUrl'), { poolSize: 4 })
const key = process.env.NEXUS_RECORD ? Buffer.from(process.env.NEXUS_KEY ?? '', 'base64') : randomBytes(32)
const dataConverter: DataConverter = { payloadCodecs: [createNexusCodec(key)] }
const settings = {
  ...process.env,
  ARMATURE_URL: inject('baseUrl'),
  NEXUS_ENCRYPTION_KEY: key.toString('base64'),
  TEMPORAL_ADDRESS: inject('temporalAddress'),
}
let provider: ScriptedProvider
let tenant: Tenant
let connection: NativeConnection
let client: Client
let folder: string
let gateway: Supervised
let worker: Supervised

beforeAll(async () => {
  provider = await scriptedProvider()
  provider.says(async () => ({ dataPoints: [] }))
  const forms = await formsTenant()
  tenant = forms
  await tenant.change({ glue: scriptedGlue(provider.url) })
  await forms.publish(aNote())
  await plantWards(tenant, 'east', 'west')
  await seedLocations(db, tenant.tenantKey, 'east', { count })
  connection = await NativeConnection.connect({ address: inject('temporalAddress') })
  client = new Client({ connection, dataConverter })
  const target = { worker: { namespace: 'default', taskQueue: 'armature-nexus' } }
  await connection.operatorService.createNexusEndpoint({ spec: { name: 'armature', target } })
  folder = await mkdtemp(join(tmpdir(), 'armature-nexus-'))
  const where = { logDir: folder, log: () => undefined }
  const node = (name: string, script: string, env: NodeJS.ProcessEnv) =>
    supervise({ name, command: process.execPath, args: [join(projectRoot, script)], env, ours: true }, where)
  const { clientId, clientSecret } = await tenant.client(['*'], ['FrameApi', 'FormsApi'])
  const ARMATURE_SCOPE = 'FrameApi FormsApi'
  const credentials = { ARMATURE_CLIENT_ID: clientId, ARMATURE_CLIENT_SECRET: clientSecret, ARMATURE_SCOPE }
  gateway = node('nexus', 'dist/nexus/main.js', { ...settings, ...credentials })
  worker = node('wards', 'examples/nexus/worker.mjs', settings)
})
afterAll(async () => {
  await Promise.all([gateway?.stop(), worker?.stop(), provider?.stop()])
  await connection?.close()
  await db.destroy()
  if (folder) await rm(folder, { recursive: true, force: true })
})

let started = 0
const move = (from: string, to: string): Promise<WorkflowHandle> =>
  client.workflow.start('moveWard', {
    taskQueue: 'wards',
    workflowId: `${tenant.tenantKey}/${++started}`,
    args: [{ from, to: { Key: to, DisplayName: to, StructureTypeKey: 'unit' } }],
  })

/** Moves a ward, whose last person is held. @returns the run, and the job once it has begun. */
async function held(from: string, to: string) {
  const { release } = await holdLocation(db, tenant.tenantKey, from, subjectId(count - 1))
  const handle = await move(from, to)
  const jobId = await until('the transfer goes on', async () => {
    const job = await db('jobs')
      .where({ kind: 'subjectTransfer', status: 'Running' })
      .where('input', 'like', `%${to}%`)
      .first('id', 'done')
    return job?.done > 0 ? String(job.id) : undefined
  })
  return { handle, jobId, release }
}

const statusOf = async (jobId: string) => (await db('jobs').where({ id: jobId }).first('status')).status

test('the example waits for a bulk and a transfer', async () => {
  const script = join(projectRoot, 'examples', 'nexus', 'start.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'east', 'north', 'unit'], { env: settings })
  const { jobId, counts } = JSON.parse(stdout)
  expect(counts).toMatchObject({ moved: count })
  expect(await statusOf(jobId)).toBe('Completed')
  expect(await differences(db, tenant.tenantKey, { east: { count: 0 }, north: { count } })).toEqual([])
})

test('a gateway that is killed goes on with the same job', async () => {
  const { handle, jobId, release } = await held('north', 'south')
  const { pid } = gateway
  if (pid) process.kill(pid, 'SIGKILL')
  await until('another gateway runs', async () => gateway.pid !== undefined && gateway.pid !== pid)
  await release()
  expect(await handle.result()).toMatchObject({ jobId })
  expect(await differences(db, tenant.tenantKey, { north: { count: 0 }, south: { count } })).toEqual([])
})

test('a cancellation cancels the job, and is over when the job has stopped', async () => {
  const { handle, jobId, release } = await held('south', 'cellar')
  await handle.cancel()
  await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } })
  expect(await statusOf(jobId)).toBe('Cancelled')
  await release()
})

test('a problem of the API is the failure of the operation', async () => {
  const failure: unknown = await (await move('nowhere', 'north')).result().catch((error: unknown) => error)
  const causes: unknown[] = []
  for (let each = failure; each instanceof Error; each = each.cause) causes.push(each)
  const problem = causes.find(each => each instanceof ApplicationFailure)
  expect(problem).toMatchObject({ type: 'not-found', details: [{ status: 404 }] })
})

test.each<[keyof Inputs, object]>([
  ['upsertStructuralEntities', { items: [anEntity('n-1')] }],
  ['upsertSubjects', { items: [person('N-1')] }],
  ['importStructuralEntities', { type: 'application/x-ndjson', rows: `${JSON.stringify(anEntity('n-2'))}\n` }],
  ['importSubjects', { type: 'text/csv', rows: 'nationalId,givenName,familyName\nN-2,Ada,Guide\n' }],
  ['refreshDataSet', { dataExtractKey: 'register' }],
  ['runExtract', { definitions: [formAsked('small')] }],
])('%s ends with its completed job, which a repetition finds', async (operation, input) => {
  const [taskQueue, args] = ['armature-nexus', [{ operation, input, idempotencyKey: `nexus-${operation}` }]]
  const run = (n: number): Promise<Job> =>
    client.workflow.execute('armatureOperation', {
      taskQueue,
      workflowId: `${tenant.tenantKey}/${operation}/${n}`,
      args,
    })
  const first = await run(1)
  expect(first).toMatchObject({ status: 'Completed' })
  expect(await run(2)).toMatchObject({ jobId: first.jobId })
})

test('histories hold sealed payloads alone', async () => {
  const runs = { moveWard: 0, armatureOperation: 0 }
  for await (const { workflowId, type } of client.workflow.list({
    query: `TaskQueue IN ('wards', 'armature-nexus')`,
  })) {
    const history = await client.workflow.getHandle(workflowId).fetchHistory()
    expect(encodingsIn(history), workflowId).toEqual(new Set(['binary/armature-nexus']))
    if (type in runs) runs[type as keyof typeof runs]++
    if (process.env.NEXUS_RECORD && type === 'armatureOperation') {
      const { historyToJSON } = await import('@temporalio/common/lib/proto-utils.js')
      const { writeFileSync } = await import('node:fs')
      writeFileSync(
        `${process.env.NEXUS_RECORD}/${workflowId.replaceAll('/', '.')}.json`,
        JSON.stringify(historyToJSON(history), null, 1),
      )
    }
  }
  expect(runs).toEqual({ moveWard: 4, armatureOperation: 20 })
})

/** Encodings of all payloads in what Temporal holds. */
function encodingsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return found
  const { encoding } = Object('metadata' in value ? value.metadata : undefined)
  if (encoding) found.add(Buffer.from(encoding).toString())
  for (const member of Object.values(value)) encodingsIn(member, found)
  return found
}
