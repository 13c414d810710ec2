import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { type JobInput, type JobProgress, type JobRef, queues } from './contracts.js'

// An outage is waited out however long it takes; what can never succeed comes back as a non-retryable failure.
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const

const background = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  // The activity would hear of a cancellation with its next heartbeat, which may be 8 s away. The job's row, once it says
  // Cancelled, stops it at the next step.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
})
const interactive = proxyLocalActivities<Activities>({ startToCloseTimeout: '1m', retry })

/** Names of the activities that do the next steps of a job. */
type Carrier = {
  [Name in keyof Activities]: Activities[Name] extends (input: JobRef & { limit: number }) => Promise<JobProgress>
    ? Name
    : never
}[keyof Activities]

/**
 * Carries a job to its end, some steps at a time. Each step is one transaction that also marks the step as done, so a run
 * that is killed anywhere goes on with the first step that is not.
 * @param name the activity that does the steps. @param limit steps of one activity. @param what they are counted in.
 */
export async function carry(
  { queue, ...ref }: JobInput,
  name: Carrier,
  limit: number,
  what: string,
): Promise<JobProgress> {
  const activities = queue === queues.interactive ? interactive : background
  try {
    for (;;) {
      const progress = await activities[name]({ ...ref, limit })
      setCurrentDetails(`${progress.done.toLocaleString('en')} of ${progress.total.toLocaleString('en')} ${what}`)
      if (progress.done === progress.total) return progress
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => activities.recordCancelled(ref))
    throw error
  }
}
