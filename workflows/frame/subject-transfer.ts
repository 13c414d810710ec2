import { carry } from '../jobs/carry.js'
import { type JobInput, type JobProgress, pagesPerActivity } from '../jobs/contracts.js'

/** Copies or moves the subjects of one structural entity to another, page by page. */
export async function subjectTransfer(input: JobInput): Promise<JobProgress> {
  return carry(input, 'transferPages', { limit: pagesPerActivity, what: 'subjects transferred' })
}

/** Reverses a transfer, page by page, leaving alone what changed since. */
export async function subjectTransferUndo(input: JobInput): Promise<JobProgress> {
  return carry(input, 'undoTransferPages', { limit: pagesPerActivity, what: 'subjects put back' })
}
