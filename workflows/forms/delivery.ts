// The workflow of a single-pass delivery.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Sends a single-pass form to its tenant's endpoint, again and again until it has arrived. */
export async function singlePassDelivery(input: JobInput): Promise<JobProgress> {
  return runJob('singlePassDelivery', input)
}
