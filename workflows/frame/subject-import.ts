// The workflow of a subject import.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Imports the rows of an upload, some thousand at a time. */
export async function subjectImport(input: JobInput): Promise<JobProgress> {
  return runJob('subjectImport', input)
}
