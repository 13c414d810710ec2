// The activities of subject transfers and of their undoing.
import { transferNextPage, undoNextPage } from '../../db/frame/hierarchy/transfers.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

/** Activities that carry transfers of subjects and their undoing. */
export const transferActivities = (dependencies: StepDependencies) => ({
  /** Transfers the job's next pages, at most `limit`. Safe to run again at any point. */
  transferPages: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async tenant => ({
      next: () => transferNextPage(dependencies.db, tenant, input.jobId),
    })),

  /** Undoes the next pages of a transfer, at most `limit`. Safe to run again at any point. */
  undoTransferPages: (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async tenant => ({ next: () => undoNextPage(dependencies.db, tenant, input.jobId) })),
})
