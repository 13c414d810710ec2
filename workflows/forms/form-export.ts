// The workflow of a form export.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Writes the files of an export, one after the other and its manifest last, all as of the instant at which it was accepted. */
export async function formExport(input: JobInput): Promise<JobProgress> {
  // A file may have millions of results; that it is still being written is told by heartbeats.
  return runJob('formExport', input, { startToCloseTimeout: '1d' })
}
