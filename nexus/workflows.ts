// Implements the workflow behind every operation of the gateway. Each export is a workflow type.
import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow'
import type { Job } from '../client/index.js'
import type { Asked, Calls } from './contracts.js'

// Calls that can never succeed throw non-retryable failures, so the number of attempts has no limit.
const { begin, awaitEnd, cancel } = proxyActivities<Calls>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  // Does not wait until the activity hears of a cancellation: the workflow cancels the job, which also ends the activity.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
})

/** Starts a job and waits for its end. If the workflow is cancelled, it cancels the job and waits until it has stopped. */
export async function armatureOperation(asked: Asked): Promise<Job> {
  try {
    // A cancellation must not interrupt this call. The API may have accepted the job already, and its id is needed to
    // cancel it.
    const job = await CancellationScope.nonCancellable(() => begin(asked))
    try {
      for (;;) {
        const ended = await awaitEnd(job)
        if (ended) return ended
      }
    } catch (error) {
      if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancel(job))
      throw error
    }
  } catch (error) {
    if (error instanceof ActivityFailure && error.cause instanceof ApplicationFailure) throw error.cause
    throw error
  }
}
