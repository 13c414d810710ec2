// The activities that transfer subjects, and undo transfers.
import { nextPage } from '../../db/frame/transfers/transfers.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

/** Creates the activities for transfers of subjects and for undoing them. Each is safe to retry at any point. */
export const transferActivities = (dependencies: StepDependencies) => {
  /** Does the job's next pages, one after the other, and returns its progress. */
  const pages = (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async (tenant, run) => ({ next: () => nextPage(dependencies.db, tenant, run) }))
  return { subjectTransfer: pages, subjectTransferUndo: pages }
}
