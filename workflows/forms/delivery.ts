import { carry } from '../jobs/carry.js'
import type { JobInput, JobProgress } from '../jobs/contracts.js'

/** Sends a single-pass form to its tenant's endpoint, again and again until it has arrived. */
export async function singlePassDelivery(input: JobInput): Promise<JobProgress> {
  return carry(input, 'deliverForm', { limit: 1, what: 'forms delivered' })
}
