import { proxyLocalActivities, setCurrentDetails } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { carry, progressOf } from '../jobs/carry.js'
import { chunksPerActivity, type JobInput, type JobProgress } from '../jobs/contracts.js'

// Longer than any transaction takes: the process that began it may still be writing.
const { writeSmallBulk } = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: '3m',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

const what = 'items written'

/** Writes a small bulk as one transaction; the planned chunks of a large one in their order, parents before children. */
async function bulkUpsert(input: JobInput): Promise<JobProgress> {
  const { tenantKey, jobId, isSmallBulk } = input
  if (isSmallBulk) {
    const written = await writeSmallBulk({ tenantKey, jobId })
    setCurrentDetails(progressOf(written, what))
    return written
  }
  return carry(input, 'applyChunks', { limit: chunksPerActivity, what })
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

export async function subjectBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert(input)
}
