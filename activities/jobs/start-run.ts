// Starts the workflow of a job in Temporal.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type JobRow, jobStore } from '../../db/jobs/jobs.js'
import { workBelow } from '../../runtime/observe/tracing.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import type { Temporal } from '../../runtime/temporal/temporal.js'
import { type JobInput, kindOf, priorities, queues, shownOf } from '../../workflows/jobs/contracts.js'
import { schedule } from './scheduled-job.js'

/** How long Temporal may take to accept a start before it counts as away, in ms. */
export const startTimeoutMs = 5_000

/** The part of a job that Temporal gets. */
export type Run = Pick<
  JobRow,
  'id' | 'kind' | 'queue' | 'actor' | 'workflow_id' | 'total' | 'input' | 'attempt' | 'trace_parent'
>

/**
 * Starts the workflow of a job, and notes that it has one. A job's first attempt has one run, also where that was ended
 * before its first step: then the note lets the outbox end the job.
 * @param isNewRun starts another run beside one that has closed, as each retry does.
 * @throws the SDK's error when Temporal does not take it.
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

/** Starts the workflow of a job, or joins the run that there is. @returns the run; undefined where the one it may have has closed. */
async function startRun(
  { client }: Pick<Temporal, 'client'>,
  job: Run,
  tenantKey: string,
  isNewRun: boolean,
): Promise<string | undefined> {
  const run = runOf(job, inputOf(job, tenantKey))
  // An interactive one runs in this process if it can.
  const requestEagerStart = job.queue === queues.interactive
  const workflowIdReusePolicy = isNewRun ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE'
  const start = async () => {
    const signal = kindOf(job.kind).startsBySignal
    // One run does all jobs with its id, and may just be ending: a signal keeps it, or starts the next one.
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
    // Also where the outbox or a retry starts it, it belongs to the trace of its request.
    return await workBelow(job.trace_parent, () => client.withDeadline(Date.now() + startTimeoutMs, start))
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined
    throw error
  }
}

const priorityOf = ({ kind, actor }: Run): number =>
  actor === schedule ? priorities.schedule : priorities[kindOf(kind).priority ?? 'caller']

const inputOf = ({ id, queue }: Run, tenantKey: string): JobInput => ({ tenantKey, jobId: id, queue })

/** A job as its workflow is started. */
function runOf(job: Run, input: JobInput) {
  const args: [JobInput] = [input]
  return {
    taskQueue: job.queue,
    workflowId: job.workflow_id,
    args,
    ...shownOf(job, input.tenantKey),
    typedSearchAttributes: [
      { key: searchAttributes.tenantKey, value: input.tenantKey },
      { key: searchAttributes.jobKind, value: job.kind },
      { key: searchAttributes.jobId, value: job.id },
      { key: searchAttributes.actor, value: job.actor },
    ],
    priority: { fairnessKey: input.tenantKey, priorityKey: priorityOf(job) },
  }
}
