import { listNextDefinition } from '../../db/forms/extract-lists.js'
import type { JobProgress, JobRef } from '../../workflows/jobs/contracts.js'
import { alive } from '../alive.js'
import { type CarryDependencies, carry } from '../jobs/carry.js'

/** Activities that find the results of extracts. */
export const extractActivities = (dependencies: CarryDependencies) => ({
  /** Lists the results of the job's next definitions, at most `limit`. Safe to run again at any point. */
  listDefinitions: (input: JobRef & { limit: number }): Promise<JobProgress> =>
    alive(() => carry(dependencies, input, tenant => listNextDefinition(dependencies.db, tenant, input.jobId))),
})
