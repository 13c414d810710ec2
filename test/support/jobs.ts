// Reads jobs and their runs in Temporal, acts on runs as operators do, and blocks jobs with locks.
import { randomUUID } from 'node:crypto'
import { Client, Connection, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client'
import type { Knex } from 'knex'
import { afterAll, inject } from 'vitest'
import { connect, type TenantId } from '../../db/connect.js'
import { createJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { type CallTemporal, callsOf } from '../../runtime/temporal/calls.js'
import type { JobKind } from '../../workflows/jobs/contracts.js'
import { type PlatformRun, platformScheduleId } from '../../workflows/platform/contracts.js'
import type { JobBody } from './faults.js'
import { everyPayloadOpened, testDataConverter, textsOf } from './sealed.js'
import { until } from './until.js'

export interface JobItemBody {
  index: number
  key: string
  layer: number
  outcome: string
}

/** Stores a job that has no run, dated so late that the outbox does not start one. @returns its id. */
export async function jobWithoutRun(db: Knex, tenant: TenantId, kind: JobKind, total: number): Promise<string> {
  const id = newId()
  const like = { queue: 'background', actor: 'a', workflowId: id, traceId: 't' } as const
  await db.transaction(trx => createJob(trx, tenant, { ...like, id, kind, total }))
  // Selects by the whole primary key, because a scan would wait for locks on the jobs of other tests.
  const later = new Date(Date.now() + 3_600_000)
  await db('jobs').where({ tenant_id: tenant, id }).update({ accepted_at: later })
  return id
}

interface StoredJob {
  id?: string
  [column: string]: unknown
}

/**
 * Stores a job directly in the database, as one that has no run and is not started. @param more its other columns.
 * @returns its id.
 */
export async function storeJob(db: Knex, tenant: TenantId, { id = newId(), ...more }: StoredJob): Promise<string> {
  await storeJobs(db, tenant, [{ id, ...more }])
  return id
}

/** Stores jobs as `storeJob` does, in one statement. */
export async function storeJobs(db: Knex, tenant_id: TenantId, jobs: readonly StoredJob[]): Promise<void> {
  const of = { kind: 'subjectTransfer', queue: 'background', actor: 'a', trace_id: 't', total: 1, counts: '{}' }
  const rows = jobs.map(({ id = newId(), ...more }) => ({
    ...{ tenant_id, id, ...of, workflow_id: id, accepted_at: new Date() },
    ...more,
  }))
  await db('jobs').insert(rows)
}

/** Connects to a Temporal server. With the ENCRYPTION_KEY of its stack, the client decrypts payloads. */
export async function temporalClient(
  address: string,
  encryptionKey?: string,
  namespace = 'default',
): Promise<{ client: Client; call: CallTemporal; close(): Promise<void> }> {
  const connection = await Connection.connect({ address })
  const options = encryptionKey === undefined ? {} : { dataConverter: testDataConverter(encryptionKey) }
  const client = new Client({ connection, namespace, ...options })
  return { client, call: callsOf(client), close: () => connection.close() }
}

/** Connects to the Temporal server of the shared stack, and decrypts payloads. The connection is closed at the end of the test file. */
export async function openTemporal(): Promise<Client> {
  const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  afterAll(close)
  return client
}

/** Waits until the run of a job has ended. @returns the run. */
export async function endedRun(client: Client, { links }: JobBody): Promise<WorkflowHandle> {
  const handle = client.workflow.getHandle(decodeURIComponent(links.temporalUi.split('/').at(-1) ?? ''))
  const over = (error: unknown) => !(error instanceof WorkflowNotFoundError)
  await until('the run of the job is over', () => handle.result().then(() => true, over))
  return handle
}

/** Returns all texts in the history and the description of a job's run. Payloads are decrypted if `opened` is true. */
export async function everythingTemporalHolds(
  client: Client,
  job: JobBody,
  { opened: isOpened } = { opened: true },
): Promise<string> {
  const handle = await endedRun(client, job)
  const description = await handle.describe()
  const [codec] = client.workflow.options.loadedDataConverter.payloadCodecs
  const kept = [await handle.fetchHistory(), description.raw]
  return textsOf(isOpened ? await everyPayloadOpened(kept, codec) : kept).join('\n')
}

/** A locked hierarchy. Only the test can change it until the lock is released. */
export interface HeldHierarchy {
  /** Removes an entity as a DELETE does. */
  remove(key: string): Promise<void>
  /** Creates a root of this type as a PUT does. */
  create(key: string, typeKey: string): Promise<void>
  /** Commits the changes and releases the lock. */
  release(): Promise<void>
}

/** Takes the lock that all writers of a tenant's hierarchy need. Jobs are accepted meanwhile, but none of them writes. */
export async function holdHierarchy(databaseUrl: string, tenantKey: string): Promise<HeldHierarchy> {
  // The connection is silent while it holds the lock, so it needs a long timeout.
  const db = connect(databaseUrl, { poolSize: 1, silenceTimeoutMs: 600_000 })
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const trx = await db.transaction()
  await trx('hierarchies').where({ tenant_id: id }).forUpdate().first('version')
  return {
    async remove(key) {
      await trx('structural_entities').where({ tenant_id: id, entity_key: key }).delete()
      await trx('hierarchies').where({ tenant_id: id }).increment('version', 1)
    },
    async create(key, typeKey) {
      const row = { tenant_id: id, entity_key: key, display_name: key, depth: 1, type_key: typeKey }
      await trx('structural_entities').insert({ ...row, updated_at: new Date() })
      await trx('hierarchies').where({ tenant_id: id }).increment('version', 1)
    },
    async release() {
      await trx.commit()
      await db.destroy()
    },
  }
}

/** Returns the current run of one of the platform's own workflows. */
export const platformRun = (client: Client, run: PlatformRun): Promise<WorkflowHandle> =>
  until(`the run ${run} goes on`, async () => {
    const { info } = await client.schedule.getHandle(platformScheduleId(run)).describe()
    const [running] = info.runningActions.toReversed()
    return running && client.workflow.getHandle(running.workflow.workflowId)
  })

/** Runs the retention now. Otherwise it runs every five minutes. */
export async function forgetNow(client: Client): Promise<void> {
  const schedule = client.schedule.getHandle(platformScheduleId('retention'))
  const runs = async () => (await schedule.describe()).info.numActionsTaken
  const before = await runs()
  await schedule.trigger('BUFFER_ONE')
  await until('it has begun', async () => (await runs()) > before)
  await until('it is over', async () => (await schedule.describe()).info.runningActions.length === 0)
}

/** Does what operators of Temporal do, to the runs of jobs that are named by their ids. */
export const operatorOf = (client: Client, db: Knex) => {
  const runOf = async (jobId: string) => {
    const { workflow_id: workflowId } = await db('jobs').where({ id: jobId }).first('workflow_id')
    const handle = client.workflow.getHandle(workflowId)
    const { runId } = await until('the run is there', () => handle.describe().catch(() => undefined))
    return { handle, workflowId: String(workflowId), runId }
  }
  /**
   * Waits for the end of a run's first workflow task, to which the run can be reset. If its steps are local activities, that task ends
   * only when Temporal has received a heartbeat of it.
   */
  const firstTask = (workflowId: string, runId: string) =>
    until('a task of the workflow is completed', async () => {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
      return events?.find(each => each.workflowTaskCompletedEventAttributes)
    })
  /** Resets a run to the end of its first task. */
  const resetRun = async (workflowId: string, runId: string) => {
    const completed = await firstTask(workflowId, runId)
    await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
      workflowTaskFinishEventId: completed.eventId ?? null,
      requestId: randomUUID(),
      reason: 'an operator said so',
    })
  }
  return {
    runOf,
    resetRun,
    /** Waits until the run of a job can be reset. Before that, an operator can only start the job again. */
    async resettable(jobId: string) {
      const { workflowId, runId } = await runOf(jobId)
      await firstTask(workflowId, runId)
    },
    async reset(jobId: string) {
      const { workflowId, runId } = await runOf(jobId)
      await resetRun(workflowId, runId)
    },
    /** Backdates a job. The outbox only checks jobs that were started 30 s ago, and tests should not wait for that. */
    age: (jobId: string) =>
      db('jobs')
        .where({ id: jobId })
        .update({ started_at: new Date(Date.now() - 60_000) }),
  }
}
