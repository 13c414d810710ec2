// Waits for the end of a job or its workflow run.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  isGrpcCancelledError,
  isGrpcDeadlineError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { startTimeoutMs } from '../../activities/jobs/start-run.js'
import type { JobRow } from '../../db/jobs/jobs.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Outcomes } from '../../runtime/temporal/outcomes.js'
import type { Temporal } from '../../runtime/temporal/temporal.js'

export interface WaitOptions {
  /** Throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
  log: Log
  /**
   * Announces jobs that end in this process, some milliseconds before Temporal closes their runs. Those are the jobs of
   * the interactive queue; all others end in a worker.
   */
  jobEnds: Outcomes<true>
  /** How long a request waits for its job, in ms, before it is answered with 202. */
  waitTimeoutMs: number
  /** Aborted when this process closes its connections, which ends all waiting. */
  closing: AbortSignal
}

/**
 * Waits until a job ends. It learns so from Temporal, when the run is closed, or sooner if the job ends in this
 * process.
 * @returns false if the job may still be open: the time is up, this process closes, or Temporal could not be asked.
 */
export async function waitForJob(job: JobRow, options: WaitOptions): Promise<boolean> {
  const { jobEnds, closing } = options
  if (closing.aborted) return false
  const waited = new AbortController()
  const closed = once(closing, 'abort', { signal: waited.signal }).then(() => false)
  try {
    return await jobEnds.wait(job.id, here => Promise.race([here, runEnded(job, options), closed]))
  } finally {
    waited.abort()
  }
}

/** Waits until Temporal has closed the job's run. @returns false if it has not, or if Temporal could not be asked. */
async function runEnded(job: JobRow, { temporal, log, waitTimeoutMs }: WaitOptions): Promise<boolean> {
  try {
    const { client } = temporal()
    const handle = client.workflow.getHandle(job.workflow_id)
    await client.withDeadline(Date.now() + waitTimeoutMs, () => resultOf(handle))
    return true
  } catch (error) {
    if (error instanceof WorkflowFailedError) return true
    if (!isGrpcDeadlineError(error) && !isGrpcCancelledError(error)) {
      log.warn({ err: error, jobId: job.id }, 'stopped waiting for a job')
    }
    return false
  }
}

/**
 * Waits for the result of a run. The run may not exist yet, if this request repeats one that is just starting it, so
 * for some seconds a missing run is looked up again.
 */
async function resultOf(handle: WorkflowHandle): Promise<void> {
  const startedBy = Date.now() + startTimeoutMs
  for (;;) {
    try {
      return await handle.result()
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) || Date.now() > startedBy) throw error
      await sleep(20)
    }
  }
}

/**
 * Waits until Temporal has closed the run of a job that has ended. The job's row says so some milliseconds earlier, and
 * a retry in between would join the closing run instead of starting a new one.
 */
export async function waitForRun(job: JobRow, { client }: Temporal): Promise<void> {
  const handle = client.workflow.getHandle(job.workflow_id)
  await client
    .withDeadline(Date.now() + startTimeoutMs, () => handle.result())
    .catch(error => {
      if (!(error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError)) throw error
    })
}
