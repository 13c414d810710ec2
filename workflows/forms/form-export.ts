// The workflow of a form export.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/**
 * Writes the files of an export one after the other, and the manifest last. All show the instant at which the job was
 * accepted.
 */
export async function formExport(input: JobInput): Promise<JobProgress> {
  // A file can have millions of results, so the limit is long. Heartbeats show that it is still being written.
  return runJob('formExport', input, { startToCloseTimeout: '1d' })
}
