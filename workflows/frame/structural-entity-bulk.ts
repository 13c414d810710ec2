// The workflow of bulk upserts of structural entities.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Writes the planned chunks of a bulk in their order, parents before children. */
export async function structuralEntityBulkUpsert(input: JobInput): Promise<JobProgress> {
  return runJob('structuralEntityBulkUpsert', input)
}
