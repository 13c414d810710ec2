// Implements the activity that lists the results of a multi extract.
import { listNextDefinition } from '../../db/forms/extracts/extract-lists.js'
import type { Reads } from '../../db/replicas.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

interface ExtractDependencies extends StepDependencies {
  reads: Reads
}

/** Creates the activities of extracts. */
export const extractActivities = (dependencies: ExtractDependencies) => ({
  /** Lists the results of at most `limit` further definitions of the job. Can be repeated at any point. */
  multiExtract: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run) => ({
      next: () => listNextDefinition(dependencies, tenant, run),
    })),
})
