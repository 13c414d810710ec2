// The workflows of subject transfers and of their undoing.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Copies or moves the subjects of one structural entity to another, page by page. */
export async function subjectTransfer(input: JobInput): Promise<JobProgress> {
  return runJob('subjectTransfer', input)
}

/** Reverses a transfer, page by page, leaving alone what changed since. */
export async function subjectTransferUndo(input: JobInput): Promise<JobProgress> {
  return runJob('subjectTransferUndo', input)
}
