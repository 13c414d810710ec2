// The workflow of a multi extract.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Lists the results of an extract, one definition after the other, all as of the instant at which it was accepted. */
export async function multiExtract(input: JobInput): Promise<JobProgress> {
  return runJob('multiExtract', input)
}
