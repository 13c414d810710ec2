// The Nexus gateway, with the worker and the workflow of examples/nexus.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, type WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure, type DataConverter } from '@temporalio/common'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Job } from '../../client/index.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { createNexusCodec } from '../../nexus/codec.js'
import type { Inputs } from '../../nexus/service.js'
import { projectRoot } from '../../runtime/process/version.js'
import type { JobKind } from '../../workflows/jobs/contracts.js'
import type { Tenant } from '../support/api.js'
import { type ScriptedProvider, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { aNote, anEntity, formAsked, formsTenant, openDatabase, plantWards } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { type LoopbackServer, loopbackServer } from '../support/http.js'
import { holdHierarchy } from '../support/jobs.js'
import { holdLocation, seedLocations, subjectId } from '../support/locations.js'
import { differences } from '../support/transfer-faults.js'
import { until } from '../support/until.js'

/** Two pages of a transfer. */
const count = 20_000
const db = openDatabase()
const key = randomBytes(32)
const dataConverter: DataConverter = { payloadCodecs: [createNexusCodec(key)] }
const settings = {
  ...process.env,
  NEXUS_ENCRYPTION_KEY: key.toString('base64'),
  TEMPORAL_ADDRESS: inject('temporalAddress'),
}
let provider: ScriptedProvider
/** Stands before the API. */
let front: LoopbackServer
let isAway = false
let tenant: Tenant
let connection: NativeConnection
let client: Client
let folder: string
let gateway: Supervised
let worker: Supervised
let caller: Worker
let calling: Promise<void>

beforeAll(async () => {
  front = await loopbackServer((incoming, outgoing) => {
    if (isAway) return void outgoing.writeHead(503).end()
    const { method, url, headers } = incoming
    const onward = request(`${inject('baseUrl')}${url}`, { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.once('error', error => outgoing.destroy(error))
    incoming.pipe(onward)
  })
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
  caller = await Worker.create({
    connection,
    taskQueue: 'callers',
    workflowsPath: join(projectRoot, 'test', 'support', 'nexus-caller.mjs'),
    dataConverter,
  })
  calling = caller.run()
  folder = await mkdtemp(join(tmpdir(), 'armature-nexus-'))
  const where = { logDir: folder, log: () => undefined }
  const node = (name: string, script: string, env: NodeJS.ProcessEnv) =>
    supervise({ name, command: process.execPath, args: [join(projectRoot, script)], env, ours: true }, where)
  const { clientId, clientSecret } = await tenant.client(['*'], ['FrameApi', 'FormsApi'])
  const ARMATURE_SCOPE = 'FrameApi FormsApi'
  const credentials = {
    ARMATURE_URL: front.url,
    ARMATURE_CLIENT_ID: clientId,
    ARMATURE_CLIENT_SECRET: clientSecret,
    ARMATURE_SCOPE,
  }
  gateway = node('nexus', 'dist/nexus/main.js', { ...settings, ...credentials })
  worker = node('wards', 'examples/nexus/worker.mjs', settings)
})
afterAll(async () => {
  await Promise.all([gateway?.stop(), worker?.stop(), provider?.stop(), front?.stop()])
  caller?.shutdown()
  await calling
  await connection?.close()
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

let called = 0
/** Calls one operation from a workflow. */
const call = (operation: keyof Inputs, input: Inputs[keyof Inputs]): Promise<Job> =>
  client.workflow.execute('callOperation', {
    taskQueue: 'callers',
    workflowId: `${tenant.tenantKey}/call/${++called}`,
    args: [operation, input],
  })

/** The failure of the operation, below others. */
async function failureOf(failing: Promise<unknown>): Promise<ApplicationFailure> {
  const failure: unknown = await failing.catch((error: unknown) => error)
  for (let each = failure; each instanceof Error; each = each.cause) if (each instanceof ApplicationFailure) return each
  throw new Error('It has not failed with an ApplicationFailure', { cause: failure })
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
  const run = await move('nowhere', 'north')
  expect(await failureOf(run.result())).toMatchObject({ type: 'not-found', details: [{ status: 404 }] })
})

test.each<{ [Name in keyof Inputs]: [Name, Inputs[Name], JobKind] }[keyof Inputs]>([
  ['upsertStructuralEntities', { items: [anEntity('n-1')] }, 'structuralEntityBulkUpsert'],
  [
    'importStructuralEntities',
    { type: 'application/x-ndjson', rows: `${JSON.stringify(anEntity('n-2'))}\n` },
    'structuralEntityImport',
  ],
  ['importSubjects', { type: 'text/csv', rows: 'nationalId,givenName,familyName\nN-2,Ada,Guide\n' }, 'subjectImport'],
  ['refreshDataSet', { dataExtractKey: 'register' }, 'dataSetRefresh'],
  ['runExtract', { definitions: [{ ...formAsked('small'), type: 'form' }] }, 'multiExtract'],
])('%s ends with its completed job, which a repetition finds', async (operation, input, kind) => {
  expect(await call(operation, input)).toMatchObject({ status: 'Completed', kind })
  const [taskQueue, args] = ['armature-nexus', [{ operation, input, idempotencyKey: `nexus-${operation}` }]]
  const run = (n: number): Promise<Job> =>
    client.workflow.execute('armatureOperation', {
      taskQueue,
      workflowId: `${tenant.tenantKey}/${operation}/${n}`,
      args,
    })
  const first = await run(1)
  expect(first).toMatchObject({ status: 'Completed', kind })
  expect(await run(2)).toMatchObject({ jobId: first.jobId })
})

test('waitForJob fails with 500 of the faults of a job that was begun by HTTP', async () => {
  await tenant.put('/api/v1/structuralEntity', anEntity('parent'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const children = Array.from({ length: 1_000 }, (_, n) => ({ ...anEntity(`child-${n}`), ParentKey: 'parent' }))
  const { body } = await tenant.put<JobBody>('/api/v1/structuralEntity/bulk', children, { prefer: 'respond-async' })
  const { jobId } = body
  await hierarchy.remove('parent')
  await hierarchy.release()
  const { details } = await failureOf(call('waitForJob', { jobId }))
  const [{ problem, ...job }] = Object(details)
  expect(job).toMatchObject({ jobId, status: 'Failed' })
  const { body: whole } = await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`)
  expect(whole.problem?.errors?.length).toBe(1_000)
  expect(problem.errors).toEqual(whole.problem?.errors?.slice(0, 500))
})

test('an operation waits while the API is away', async () => {
  isAway = true
  const before = front.asked.length
  const called = call('upsertStructuralEntities', { items: [anEntity('n-3')] })
  await until('the gateway asks for the API', async () => front.asked.length > before)
  isAway = false
  expect(await called).toMatchObject({ status: 'Completed' })
})

test('histories hold sealed payloads alone', async () => {
  const runs = { moveWard: 0, armatureOperation: 0 }
  for await (const { workflowId, type } of client.workflow.list({
    query: `TaskQueue IN ('wards', 'callers', 'armature-nexus')`,
  })) {
    const history = await client.workflow.getHandle(workflowId).fetchHistory()
    expect(encodingsIn(history), workflowId).toEqual(new Set(['binary/armature-nexus']))
    if (type in runs) runs[type as keyof typeof runs]++
  }
  expect(runs).toEqual({ moveWard: 4, armatureOperation: 25 })
})

/** Encodings of all payloads in what Temporal holds. */
function encodingsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return found
  const { encoding } = Object('metadata' in value ? value.metadata : undefined)
  if (encoding) found.add(Buffer.from(encoding).toString())
  for (const member of Object.values(value)) encodingsIn(member, found)
  return found
}
