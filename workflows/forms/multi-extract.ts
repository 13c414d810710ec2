// The workflow of a multi extract.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/**
 * Collects the results of an extract, one definition after the other. All show the instant at which the job was
 * accepted.
 */
export async function multiExtract(input: JobInput): Promise<JobProgress> {
  return runJob('multiExtract', input)
}
