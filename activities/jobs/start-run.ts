// Starts the workflow of a job in Temporal, and cancels it.
import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import type { JobRow } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { workBelow } from '../../runtime/observe/tracing.js'
import { type Temporal, temporalTimeoutMs } from '../../runtime/temporal/calls.js'
import { type JobInput, kindOf, priorities, queues, shownOf } from '../../workflows/jobs/contracts.js'
import { latestRun } from './latest-run.js'
import { jobAttributes, schedule } from './scheduled-job.js'

/** The columns of a job that are needed to start its workflow. */
export type Run = Pick<
  JobRow,
  'id' | 'kind' | 'queue' | 'actor' | 'workflow_id' | 'total' | 'input' | 'attempt' | 'trace_parent'
>

/**
 * Starts the workflow of a job, and records in the job's row that it has one; for an interactive job its first activity
 * does that. By default a first attempt gets only one run. If that run has closed before its first step, because it was
 * terminated for example, the job is still recorded as started, so that the outbox notices the closed run and ends the
 * job.
 * @param publicUrl the address of the platform, for the way from the run to the console.
 * @param isNewRun whether another run may be started if the job's last one has closed. A retry needs that.
 * @throws Problem 404 for a tenant that is being deleted or imported, 503 if Temporal is away; the SDK's error if it
 * refuses the start.
 */
export async function startJob(
  db: Knex,
  temporal: Pick<Temporal, 'call'>,
  job: Run,
  tenantKey: string,
  publicUrl: string,
  isNewRun = job.attempt > 1,
): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  const runId = await startRun(temporal, runOf(job, inputOf(job, tenantKey), publicUrl), job, isNewRun)
  if (runId === undefined || job.queue === queues.background) await jobStore(db, tenant).markStarted(job.id, runId)
}

/**
 * Starts the workflow of a job, unless it is running already.
 * @returns the id of the run, or undefined if the job's only run has closed.
 */
async function startRun(
  { call }: Pick<Temporal, 'call'>,
  run: ReturnType<typeof runOf>,
  job: Run,
  isNewRun: boolean,
): Promise<string | undefined> {
  // Runs an interactive job in this process, if it has a free slot.
  const requestEagerStart = job.queue === queues.interactive
  const workflowIdReusePolicy = isNewRun ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE'
  const start = async ({ workflow }: Client) => {
    const signal = kindOf(job.kind).startsBySignal
    // The run that does all jobs with this id may just be ending. A signal makes it go on, or starts the next one.
    if (signal !== undefined)
      return (await workflow.signalWithStart(job.kind, { ...run, signal, signalArgs: run.args })).signaledRunId
    const started = await workflow.start(job.kind, {
      ...run,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy,
      requestEagerStart,
    })
    return started.firstExecutionRunId
  }
  try {
    // The run belongs to the trace of the job's request, also if the outbox or a retry starts it.
    return await workBelow(job.trace_parent, () => call(start))
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined
    throw error
  }
}

/**
 * Cancels the run of a job that was cancelled, unless a retry of the job has begun meanwhile.
 * @returns false if the run may still go on, and has to be cancelled later.
 * @throws Problem 503 while Temporal is away.
 */
export async function cancelRun(
  db: Knex,
  temporal: Pick<Temporal, 'call'>,
  { id, workflow_id }: Pick<JobRow, 'id' | 'workflow_id'>,
  tenant: TenantId,
): Promise<boolean> {
  const store = jobStore(db, tenant)
  const run = await latestRun(temporal, workflow_id)
  // Read after the run, which is therefore not one that a retry has started.
  const job = await store.byId(id)
  if (!job || job.cancel_run_since === null) return true
  if (run?.status === 'RUNNING') {
    try {
      await temporal.call(({ workflow }) => workflow.getHandle(workflow_id, run.runId).cancel())
    } catch (error) {
      // The run has just ended, or continued as a new one.
      if (error instanceof WorkflowNotFoundError) return false
      throw error
    }
  }
  return store.markRunCancelled(job, run ? 0 : startsWithinMs)
}

/** How long after a job was cancelled its run may still begin, in ms, because the start was under way. */
const startsWithinMs = 2 * temporalTimeoutMs

/**
 * Tells whether a retry of a job that has ended begins a new run. While its last run is still closing, the retry would join
 * that one. A run that does all jobs of its workflow id takes the job up again before it closes.
 * @throws Problem 503 while Temporal is away.
 */
export const isRunClosed = async (
  temporal: Pick<Temporal, 'call'>,
  { kind, workflow_id }: Pick<JobRow, 'kind' | 'workflow_id'>,
): Promise<boolean> =>
  kindOf(kind).startsBySignal !== undefined || (await latestRun(temporal, workflow_id))?.status !== 'RUNNING'

const priorityOf = ({ kind, actor }: Run): number =>
  actor === schedule ? priorities.schedule : priorities[kindOf(kind).priority ?? 'caller']

const inputOf = ({ id, queue }: Run, tenantKey: string): JobInput => ({ tenantKey, jobId: id, queue })

/** Returns the options with which a job's workflow is started. */
function runOf(job: Run, input: JobInput, publicUrl: string) {
  const args: [JobInput] = [input]
  return {
    taskQueue: job.queue,
    workflowId: job.workflow_id,
    args,
    ...shownOf(job, input.tenantKey, publicUrl),
    typedSearchAttributes: jobAttributes(job, input.tenantKey),
    priority: { fairnessKey: input.tenantKey, priorityKey: priorityOf(job) },
  }
}
