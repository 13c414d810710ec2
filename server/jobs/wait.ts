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
  /** Extracts that ended in this process, some time before their runs are closed. Other jobs end in a worker. */
  jobEnds: Outcomes<true>
  /** How long a call waits for its job, in ms, before it answers 202. */
  waitTimeoutMs: number
  /** Aborted when this process closes its connections: then nobody waits any longer. */
  closing: AbortSignal
}

/**
 * Waits until a job ends: until Temporal has closed its run, or sooner. @returns false when the time was up before, or this
 * process closes.
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

/** The same, as Temporal says. */
async function runEnded(job: JobRow, { temporal, log, waitTimeoutMs }: WaitOptions): Promise<boolean> {
  const { client } = temporal()
  const handle = client.workflow.getHandle(job.workflow_id)
  try {
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

/** A repeated request may come before the first one has started the run: then it is looked for again. */
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
 * Waits for the run of a job that has ended. The job says so some milliseconds before its run closes, and a retry in
 * between would join the run that is closing.
 */
export async function waitForRun(job: JobRow, { client }: Temporal): Promise<void> {
  const handle = client.workflow.getHandle(job.workflow_id)
  await client
    .withDeadline(Date.now() + startTimeoutMs, () => handle.result())
    .catch(error => {
      if (!(error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError)) throw error
    })
}
