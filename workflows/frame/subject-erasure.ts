// The workflow of an erasure.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Erases a subject, part by part. */
export async function subjectErasure(input: JobInput): Promise<JobProgress> {
  return runJob('subjectErasure', input)
}
