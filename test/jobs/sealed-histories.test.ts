// Sealed histories and files of Temporal.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { activityInfo, Context, heartbeat } from '@temporalio/activity'
import { Client } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { refuseUnsealed } from '../../runtime/temporal/temporal.js'
import type { Tenant } from '../support/api.js'
import { subjectTenant } from '../support/factories.js'
import { acceptBulk, ended } from '../support/faults.js'
import { place, placeType } from '../support/hierarchy-model.js'
import { imported } from '../support/imports.js'
import { holdHierarchy } from '../support/jobs.js'
import { heldOfRuns, markersIn, markersInFiles, testDataConverter } from '../support/sealed.js'

// A worker of the test's own carries values of the test through every place that Temporal keeps them in, with the client, the
// converter and the workflows of the product; the stack's own processes do real jobs beside it.

const inHistories = [
  ...['input', 'result', 'localResult', 'heartbeat', 'failure', 'failureDetail', 'failureCause', 'finalFailure'],
  ...['summary', 'details', 'memo', 'signal'],
] as const
/** In schedules, activities without a workflow, and jobs: no history has them. */
const elsewhere = ['scheduleInput', 'scheduleMemo', 'token', 'subject'] as const
type Place = (typeof inHistories | typeof elsewhere)[number]
const run = randomUUID().slice(0, 8)
const marker = (where: Place) => `marker-${where}-${run}`

/** What the product itself says in failures and summaries, and never in the open. */
const ownWords = ['Invalid request', 'Cannot destructure', 'items from']
const ofTheToken = 'access token is refused'

const taskQueue = `sealed-${run}`
const dataDir = inject('dataDir')
let tenant: Tenant
let connection: NativeConnection
let client: Client
let worker: Worker
let running: Promise<void>

beforeAll(async () => {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => {}),
    telemetryOptions: { logging: { forward: {}, filter: 'OFF' } },
  })
  tenant = await subjectTenant()
  connection = await NativeConnection.connect({ address: inject('temporalAddress') })
  client = new Client({ connection, dataConverter: testDataConverter(inject('encryptionKey')) })
  worker = await Worker.create({
    connection,
    dataConverter: testDataConverter(inject('encryptionKey'), () => undefined),
    interceptors: { activity: [refuseUnsealed] },
    taskQueue,
    workflowBundle: { codePath: join(projectRoot, 'dist', 'workflows', 'bundle.js') },
    activities: { structuralEntityBulkUpsert },
  })
  running = worker.run()
})
afterAll(async () => {
  worker.shutdown()
  await running
  await connection.close()
})

/** Stands in for the activity that writes. What it is to do is said by the id of the job. */
async function structuralEntityBulkUpsert({ jobId }: { jobId: string }) {
  const { attempt, isLocal, heartbeatDetails } = activityInfo()
  if (jobId === 'waits') await Context.current().cancelled
  if (!isLocal) heartbeat(marker('heartbeat'))
  const end = { state: 'ended', end: 'all', done: 1, total: 1, counts: {} }
  if (jobId !== 'fails') return { ...end, said: marker(isLocal ? 'localResult' : 'result') }
  // Until it is sent: what an attempt says at its very end is not.
  await sleep(200)
  throw ApplicationFailure.create({
    message: marker(attempt === 1 ? 'failure' : 'finalFailure'),
    type: 'rule-broken',
    nonRetryable: attempt > 1,
    // The second attempt is given what the first one had sent.
    details: [{ value: marker('failureDetail'), heartbeatDetails }],
    cause: new TypeError(marker('failureCause')),
  })
}

/** Starts a run of the test's own worker, as the API starts one. */
const start = (jobId: string, queue: string) =>
  client.workflow.start('structuralEntityBulkUpsert', {
    taskQueue,
    workflowId: `${tenant.tenantKey}/structuralEntityBulkUpsert/${jobId}`,
    args: [{ tenantKey: tenant.tenantKey, jobId, queue, said: marker('input') }],
    staticSummary: marker('summary'),
    staticDetails: marker('details'),
    memo: { said: marker('memo') },
    typedSearchAttributes: [{ key: searchAttributes.tenantKey, value: tenant.tenantKey }],
  })

async function runsOfEveryKind(): Promise<void> {
  const written = await start('writes', 'background')
  await written.signal('unknown', marker('signal'))
  expect(await written.result()).toMatchObject({ said: marker('result') })
  expect(await (await start('writes-locally', 'interactive')).result()).toMatchObject({ said: marker('localResult') })
  const failed = await start('fails', 'background')
  // Who has the key reads all of it.
  const cause = { cause: { message: marker('finalFailure'), cause: { message: marker('failureCause') } } }
  await expect(failed.result()).rejects.toMatchObject(cause)
}

/** A workflow whose own code throws: its task fails, again and again. */
async function runThatCannotGoOn(): Promise<void> {
  const broken = await client.workflow.start('structuralEntityBulkUpsert', {
    taskQueue,
    workflowId: `${tenant.tenantKey}/structuralEntityBulkUpsert/broken`,
    args: [],
    typedSearchAttributes: [{ key: searchAttributes.tenantKey, value: tenant.tenantKey }],
  })
  await vi.waitFor(async () => {
    const { events } = await broken.fetchHistory()
    expect(events?.some(({ workflowTaskFailedEventAttributes: failed }) => failed)).toBe(true)
  }, 10_000)
  await broken.terminate()
}

async function schedule(): Promise<void> {
  const said = await client.schedule.create({
    scheduleId: `${tenant.tenantKey}/schedule`,
    spec: { intervals: [{ every: '1h' }] },
    state: { paused: true },
    memo: { said: marker('scheduleMemo') },
    action: {
      type: 'startWorkflow',
      workflowType: 'structuralEntityBulkUpsert',
      workflowId: `${tenant.tenantKey}/scheduled`,
      taskQueue,
      args: [{ said: marker('scheduleInput') }],
    },
  })
  expect((await said.describe()).memo).toEqual({ said: marker('scheduleMemo') })
}

/** The stack's own worker refuses a token, which stays with the activity. */
async function refusedToken(): Promise<void> {
  const id = `${tenant.tenantKey}/validateToken/${run}`
  const options = { taskQueue: 'background', startToCloseTimeout: '10s', args: [marker('token')], id } as const
  await expect(client.activity.execute('validateToken', options)).rejects.toMatchObject({
    cause: { message: 'The access token is refused: malformed' },
  })
}

/** Jobs through the API: an import of subjects, and a bulk that fails. */
async function realJobs(): Promise<string[]> {
  const rows = Array.from({ length: 20 }, (_, n) => `${n},Ada,${marker('subject')}`)
  const people = await imported(tenant, ['nationalId,givenName,familyName', ...rows].join('\n'))
  expect(people).toMatchObject({ status: 'Completed', counts: { created: 20 } })
  await tenant.put('/api/v1/structureType', placeType)
  await tenant.put('/api/v1/structuralEntity', place('home'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const children = Array.from({ length: 30 }, (_, n) => place(`child-${n}`, 'home'))
  const { jobId } = await acceptBulk(tenant, children)
  await hierarchy.remove('home')
  await hierarchy.release()
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Failed' })
  return [people.jobId, jobId]
}

/** What a client without the codec does, so that the search is known to find. */
async function unsealedRun(): Promise<string> {
  const said = `in-the-open-${run}`
  await new Client({ connection }).workflow.start('structuralEntityBulkUpsert', {
    taskQueue: `nobody-${run}`,
    workflowId: `${tenant.tenantKey}/open`,
    args: [{ said }],
    typedSearchAttributes: [{ key: searchAttributes.tenantKey, value: tenant.tenantKey }],
  })
  return said
}

test('histories and files of Temporal hold inputs, results and failures only sealed', async () => {
  const found = [await unsealedRun(), `${tenant.tenantKey}/structuralEntityBulkUpsert/fails`, ...(await realJobs())]
  await runsOfEveryKind()
  await runThatCannotGoOn()
  await schedule()
  await refusedToken()

  const inside = [...inHistories.map(marker), ...ownWords]
  const secrets = [...inside, ...elsewhere.map(marker), ofTheToken]
  const runs = await heldOfRuns(client, `TenantKey = '${tenant.tenantKey}'`)
  expect(markersIn(runs.sealed, [...found, ...secrets])).toEqual(found)
  expect(markersIn(Buffer.from(runs.opened), inside)).toEqual(inside)
  expect(await markersInFiles(dataDir, [...found, ...secrets])).toEqual(found)
})

const plainPayload = (value: unknown) => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify(value)),
})

test('an unsealed result that somebody reports to Temporal by hand ends the run and is not used', async () => {
  const handle = await start('waits', 'background')
  const { workflowService } = connection
  const pending = () => handle.describe().then(({ raw }) => raw.pendingActivities?.[0]?.activityId)
  await vi.waitFor(async () => expect(await pending()).toBeTruthy(), 10_000)
  await workflowService.respondActivityTaskCompletedById({
    namespace: 'default',
    workflowId: handle.workflowId,
    activityId: (await pending()) ?? '',
    result: { payloads: [plainPayload({ state: 'ended', end: 'all', done: 1, total: 1, counts: {} })] },
  })
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'result-refused', nonRetryable: true } })
})

test('an activity that somebody starts by hand, with input not sealed for its run, is refused and does nothing', async () => {
  const plain = new Client({ connection })
  const input = { tenantKey: tenant.tenantKey, endpointKey: 'any', traceId: run, userToken: 'a.b.c', deadline: 1 }
  const id = `${tenant.tenantKey}/validateToken/by-hand-${run}`
  await plain.activity.start('validateToken', {
    taskQueue: 'background',
    startToCloseTimeout: '10s',
    args: [input],
    id,
  })
  await expect(client.activity.getHandle(id).result()).rejects.toMatchObject({ cause: { type: 'input-refused' } })
})
