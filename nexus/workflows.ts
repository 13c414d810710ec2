// The workflow behind an operation of the gateway. Every export is a workflow type.
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

// A call that can never succeed fails without a retry.
const { begin, awaitEnd, cancel } = proxyActivities<Calls>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '15s',
  // The activity would hear of it with a later heartbeat; the job that is cancelled ends its wait.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
})

/** Begins a job and waits for its end. A cancellation cancels the job, and is over when the job has stopped. */
export async function armatureOperation(asked: Asked): Promise<Job> {
  try {
    // Also where it is cancelled meanwhile: the job may have been accepted.
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
