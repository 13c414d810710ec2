import { carry } from '../jobs/carry.js'
import type { JobInput, JobProgress } from '../jobs/contracts.js'

/** Lists the results of an extract, one definition after the other, all as of the instant at which it was accepted. */
export async function multiExtract(input: JobInput): Promise<JobProgress> {
  return carry(input, 'listDefinitions', { limit: 1, what: 'definitions listed' })
}
