// Records histories of the Nexus gateway's operations: `node scripts/run.mjs test/replay/record nexus/armatureOperation`.
import { join } from 'node:path'
import { Client, type WorkflowHandle } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { createClient } from '../../client/index.js'
import { createCalls } from '../../nexus/calls.js'
import { createNexusCodec } from '../../nexus/codec.js'
import { type Asked, armatureOperation } from '../../nexus/contracts.js'
import { projectRoot } from '../../runtime/process/version.js'
import type { Tenant } from '../support/api.js'
import type { JobBody } from '../support/faults.js'
import { csvType, entityImportPath } from '../support/imports.js'
import { recordingKey } from '../support/sealed.js'
import type { Stack } from '../support/stack.js'
import { until } from '../support/until.js'

interface Recorder {
  stack: Stack
  tenant: Tenant
  /** A job, and what is done while it waits for the hierarchy. */
  whileHeld(act: (job: JobBody) => Promise<unknown>): Promise<JobBody>
  write(how: string, kind: string, workflowId: string): Promise<void>
}

const taskQueue = 'armature-nexus'

/** Operations that wait for a job: one that waits twice and completes, one that is cancelled, and one whose job fails. */
export async function recordOperations({ stack, tenant, whileHeld, write }: Recorder): Promise<void> {
  const { clientId, clientSecret } = tenant
  const api = createClient({ url: stack.baseUrl, clientId, clientSecret, scope: 'FrameApi' })
  const connection = await NativeConnection.connect({ address: stack.temporalAddress })
  const dataConverter = { payloadCodecs: [createNexusCodec(Buffer.from(recordingKey, 'base64'))] }
  const { workflow } = new Client({ connection, dataConverter })
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { codePath: join(projectRoot, 'dist', 'nexus', 'bundle.js') },
    activities: createCalls(api, { waitTimeoutMs: 1_000 }),
    dataConverter,
  })
  const idOf = ({ jobId }: JobBody) => `armature-nexus/waitForJob/${jobId}`
  const start = (job: JobBody) => {
    const workflowId = idOf(job)
    const asked: Asked = { operation: 'waitForJob', input: { jobId: job.jobId }, idempotencyKey: workflowId }
    return workflow.start(armatureOperation, { taskQueue, workflowId, args: [asked] })
  }
  const record = (how: string, job: JobBody) => write(how, `nexus/${armatureOperation}`, idOf(job))
  await worker.runUntil(async () => {
    const waitsTwice = async (job: JobBody) => waits(await start(job), 2)
    await record('completed', await whileHeld(waitsTwice))
    const isCancelled = async (job: JobBody) => {
      const run = await start(job)
      await waits(run, 1)
      await run.cancel()
    }
    await record('cancelled', await whileHeld(isCancelled))
    const rows = 'Key,DisplayName,ParentKey,StructureTypeKey\nlost,Lost,nowhere,place\n'
    const { body } = await tenant.post<JobBody>(`${entityImportPath}?Mode=all`, rows, csvType)
    await start(body)
    await record('failed', body)
  })
  await connection.close()
}

/** Resolves when the run has begun to wait so many times. */
async function waits(run: WorkflowHandle, times: number): Promise<void> {
  await until('the run waits', async () => {
    const { events } = await run.fetchHistory()
    const names = events?.map(event => event.activityTaskScheduledEventAttributes?.activityType?.name)
    return (names?.filter(name => name === 'awaitEnd').length ?? 0) >= times
  })
}
