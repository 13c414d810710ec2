// Starts the workflow of a job in Temporal.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type JobRow, jobStore } from '../../db/jobs/jobs.js'
import { workBelow } from '../../runtime/observe/tracing.js'
import type { Temporal } from '../../runtime/temporal/temporal.js'
import { type JobInput, kindOf, priorities, queues, shownOf } from '../../workflows/jobs/contracts.js'
import { jobAttributes, schedule } from './scheduled-job.js'

/** How long Temporal may take to accept a start before it counts as away, in ms. */
export const startTimeoutMs = 5_000

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
 * @param isNewRun whether another run may be started if the job's last one has closed. A retry needs that.
 * @throws the SDK's error if Temporal does not accept the start.
 */
export async function startJob(
  db: Knex,
  temporal: Pick<Temporal, 'client'>,
  job: Run,
  tenantKey: string,
  isNewRun = job.attempt > 1,
): Promise<void> {
  const runId = await startRun(temporal, job, tenantKey, isNewRun)
  if (runId === undefined || job.queue === queues.background)
    await jobStore(db, await tenantIdOf(db, tenantKey)).markStarted(job.id, runId)
}

/**
 * Starts the workflow of a job, unless it is running already.
 * @returns the id of the run, or undefined if the job's only run has closed.
 */
async function startRun(
  { client }: Pick<Temporal, 'client'>,
  job: Run,
  tenantKey: string,
  isNewRun: boolean,
): Promise<string | undefined> {
  const run = runOf(job, inputOf(job, tenantKey))
  // Runs an interactive job in this process, if it has a free slot.
  const requestEagerStart = job.queue === queues.interactive
  const workflowIdReusePolicy = isNewRun ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE'
  const start = async () => {
    const signal = kindOf(job.kind).startsBySignal
    // The run that does all jobs with this id may just be ending. A signal makes it go on, or starts the next one.
    if (signal !== undefined)
      return (await client.workflow.signalWithStart(job.kind, { ...run, signal, signalArgs: run.args })).signaledRunId
    const started = await client.workflow.start(job.kind, {
      ...run,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy,
      requestEagerStart,
    })
    return started.firstExecutionRunId
  }
  try {
    // The run belongs to the trace of the job's request, also if the outbox or a retry starts it.
    return await workBelow(job.trace_parent, () => client.withDeadline(Date.now() + startTimeoutMs, start))
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined
    throw error
  }
}

const priorityOf = ({ kind, actor }: Run): number =>
  actor === schedule ? priorities.schedule : priorities[kindOf(kind).priority ?? 'caller']

const inputOf = ({ id, queue }: Run, tenantKey: string): JobInput => ({ tenantKey, jobId: id, queue })

/** Returns the options with which a job's workflow is started. */
function runOf(job: Run, input: JobInput) {
  const args: [JobInput] = [input]
  return {
    taskQueue: job.queue,
    workflowId: job.workflow_id,
    args,
    ...shownOf(job, input.tenantKey),
    typedSearchAttributes: jobAttributes(job, input.tenantKey),
    priority: { fairnessKey: input.tenantKey, priorityKey: priorityOf(job) },
  }
}
