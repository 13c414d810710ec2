// The activities of subject transfers and of their undoing.
import { nextPageOfRange, splitTransfer } from '../../db/frame/hierarchy/transfer-ranges.js'
import { nextPage } from '../../db/frame/hierarchy/transfers.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

/** Activities that carry transfers of subjects and their undoing. Each is safe to run again at any point. */
export const transferActivities = (dependencies: StepDependencies) => {
  const { db } = dependencies
  /** Does a job's next pages, one after the other. */
  const pages = (input: StepsInput): Promise<JobProgress> =>
    doSteps(dependencies, input, async tenant => ({ next: () => nextPage(db, tenant, input.jobId) }))
  return {
    /** Splits a large job into ranges, and says which are open. Does the next pages of a job that has none, or no open one. */
    transferSubjects: (input: StepsInput): Promise<JobProgress> =>
      doSteps(dependencies, input, async tenant => {
        const split = await splitTransfer(db, tenant, input.jobId)
        return { next: async () => split ?? nextPage(db, tenant, input.jobId) }
      }),

    /** Does the next pages of a range of a job. */
    transferRange: (input: StepsInput): Promise<JobProgress> =>
      doSteps(dependencies, input, async tenant => ({
        next: () => nextPageOfRange(db, tenant, input.jobId, input.range ?? 0),
      })),

    // Of runs from before the ranges.
    transferPages: pages,
    undoTransferPages: pages,
  }
}
