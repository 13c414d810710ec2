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
import type { JobRow } from '../../db/jobs/job-row.js'
import type { Log } from '../../runtime/observe/log.js'
import { Problem } from '../../runtime/problems/problem.js'
import { type Temporal, temporalTimeoutMs } from '../../runtime/temporal/calls.js'
import type { Outcomes } from '../../runtime/temporal/outcomes.js'

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
    await temporal().call(({ workflow }) => resultOf(workflow.getHandle(job.workflow_id)), waitTimeoutMs)
    return true
  } catch (error) {
    if (error instanceof WorkflowFailedError) return true
    const cause = error instanceof Problem ? error.cause : error
    if (!isGrpcDeadlineError(cause) && !isGrpcCancelledError(cause)) {
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
  const startedBy = Date.now() + temporalTimeoutMs
  for (;;) {
    try {
      return await handle.result()
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) || Date.now() > startedBy) throw error
      await sleep(20)
    }
  }
}

/** How long a run may take to close after its job has ended, in ms. A cancelled run has yet to hear of it. */
const closeTimeoutMs = 15_000

/**
 * Waits until Temporal has closed the run of a job that has ended. The job's row says so some milliseconds earlier, and
 * a retry in between would join the closing run instead of starting a new one.
 * @throws Problem 503 if the run is not closed within some seconds, or if Temporal is away.
 */
export async function waitForRun(job: JobRow, { call }: Temporal): Promise<void> {
  await call(({ workflow }) => workflow.getHandle(job.workflow_id).result(), closeTimeoutMs).catch(error => {
    if (!(error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError)) throw error
  })
}
