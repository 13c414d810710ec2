import type { EventEmitter } from 'node:events'
import { listNextDefinition } from '../../db/forms/extract-lists.js'
import type { JobProgress, JobRef } from '../../workflows/jobs/contracts.js'
import { alive } from '../alive.js'
import { type CarryDependencies, carry } from '../jobs/carry.js'

interface ExtractDependencies extends CarryDependencies {
  /** Emits the id of a job that has come to its end in this process. */
  ends: EventEmitter
}

/** Activities that find the results of extracts. */
export const extractActivities = (dependencies: ExtractDependencies) => ({
  /** Lists the results of the job's next definitions, at most `limit`. Safe to run again at any point. */
  async listDefinitions(input: JobRef & { limit: number }): Promise<JobProgress> {
    const { db, ends } = dependencies
    const { jobId } = input
    const progress = await alive(() => carry(dependencies, input, tenant => listNextDefinition(db, tenant, jobId)))
    if (progress.done === progress.total) ends.emit(jobId)
    return progress
  },
})
