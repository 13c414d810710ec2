// The workflows of bulk upserts.
import { proxyLocalActivities, setCurrentDetails } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import type { BulkKind, JobInput, JobProgress } from '../jobs/contracts.js'
import { progressOf, runJob } from '../jobs/run-job.js'

// Longer than any transaction takes: the process that began it may still be writing.
const { writeSmallBulk } = proxyLocalActivities<Activities>({
  scheduleToCloseTimeout: '3m',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** Writes a small bulk as one transaction; the planned chunks of a large one in their order, parents before children. */
async function bulkUpsert(kind: BulkKind, input: JobInput): Promise<JobProgress> {
  const { tenantKey, jobId, isSmallBulk } = input
  if (isSmallBulk) {
    const written = await writeSmallBulk({ tenantKey, jobId })
    setCurrentDetails(progressOf(kind, written))
    return written
  }
  return runJob(kind, input)
}

export async function structuralEntityBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert('structuralEntityBulkUpsert', input)
}

export async function structureTypeBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert('structureTypeBulkUpsert', input)
}

export async function groupBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert('groupBulkUpsert', input)
}

export async function subjectBulkUpsert(input: JobInput): Promise<JobProgress> {
  return bulkUpsert('subjectBulkUpsert', input)
}
