// The activities of subject transfers and of their undoing.
import { nextPage } from '../../db/frame/hierarchy/transfers.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

/** Activities that carry transfers of subjects and their undoing. Each is safe to run again at any point. */
export const transferActivities = (dependencies: StepDependencies) => {
  /** Does a job's next pages, one after the other. */
  const pages = (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run) => ({ next: () => nextPage(dependencies.db, tenant, run) }))
  return { subjectTransfer: pages, subjectTransferUndo: pages }
}
