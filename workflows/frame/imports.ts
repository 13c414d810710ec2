// The workflows of imports.
import type { JobInput, JobProgress } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

/** Imports the rows of an upload of subjects, some thousand at a time. */
export async function subjectImport(input: JobInput): Promise<JobProgress> {
  return runJob('subjectImport', input)
}

/** Imports the rows of an upload of structural entities, parents before children. */
export async function structuralEntityImport(input: JobInput): Promise<JobProgress> {
  return runJob('structuralEntityImport', input)
}
