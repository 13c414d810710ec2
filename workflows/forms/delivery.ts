// The workflow of a single-pass delivery.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Sends a single-pass form to the tenant's endpoint, and repeats that until it has arrived. */
export async function singlePassDelivery(input: JobInput): Promise<JobProgress> {
  return runJob('singlePassDelivery', input)
}
