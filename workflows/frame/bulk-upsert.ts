import { carry } from '../jobs/carry.js'
import { chunksPerActivity, type JobInput, type JobProgress } from '../jobs/contracts.js'

/** Writes the planned chunks of a bulk job in their order, parents before children. A small one is written already. */
const bulkUpsert = (input: JobInput): Promise<JobProgress> =>
  carry(input, 'applyChunks', { limit: chunksPerActivity, what: 'items written' })

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
