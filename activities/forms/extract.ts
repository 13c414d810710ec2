// The activity that lists the results of a multi extract.
import { listNextDefinition } from '../../db/forms/extracts/extract-lists.js'
import type { Reads } from '../../db/replicas.js'
import type { Outcomes } from '../../runtime/outcomes.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

interface ExtractDependencies extends StepDependencies {
  jobEnds: Outcomes<true>
  reads: Reads
}

/** Activities that find the results of extracts. */
export const extractActivities = (dependencies: ExtractDependencies) => ({
  /** Lists the results of the job's next definitions, at most `limit`. Safe to run again at any point. */
  async listDefinitions(input: StepsInput): Promise<JobProgress> {
    const { jobEnds } = dependencies
    const { jobId } = input
    const progress = await doSteps(dependencies, input, async (tenant, run) => ({
      next: () => listNextDefinition(dependencies, tenant, run),
    }))
    if (progress.done === progress.total) jobEnds.publish(jobId, true)
    return progress
  },
})
