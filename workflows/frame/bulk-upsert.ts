import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { chunksPerActivity, type JobInput, type JobProgress, queues } from '../jobs/contracts.js'

// An outage is waited out however long it takes; what can never succeed comes back as a non-retryable failure.
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const

const background = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  retry,
  // The activity would hear of a cancellation with its next heartbeat, which may be 8 s away. The job's row, once it says
  // Cancelled, stops it at the next chunk.
  cancellationType: ActivityCancellationType.TRY_CANCEL,
})
const interactive = proxyLocalActivities<Activities>({ startToCloseTimeout: '1m', retry })

/**
 * Writes the planned chunks of a bulk job in their order, parents before children. Each chunk is one transaction that also
 * marks the chunk as done, so a run that is killed anywhere goes on with the first chunk that is not.
 */
async function bulkUpsert({ queue, ...ref }: JobInput): Promise<JobProgress> {
  const { applyChunks, recordCancelled } = queue === queues.interactive ? interactive : background
  try {
    for (;;) {
      const progress = await applyChunks({ ...ref, limit: chunksPerActivity })
      setCurrentDetails(`${progress.done.toLocaleString('en')} of ${progress.total.toLocaleString('en')} items written`)
      if (progress.done === progress.total) return progress
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => recordCancelled(ref))
    throw error
  }
}

export async function structuralEntityBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert(input)
}

export async function structureTypeBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert(input)
}

export async function groupBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert(input)
}
