// The activities of subject transfers and of their undoing.
import { splitTransfer, transferNextInRange } from '../../db/frame/hierarchy/transfer-ranges.js'
import { transferNextPage, undoNextPage } from '../../db/frame/hierarchy/transfers.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { JobProgress, StepsInput } from '../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../jobs/do-steps.js'

/** Activities that carry transfers of subjects and their undoing. */
export const transferActivities = (dependencies: StepDependencies) => {
  const { db } = dependencies
  return {
    /**
     * Begins a transfer or its undoing, or goes on with one whose run is new. It splits a large one into ranges, and does the next
     * pages of a small one. Safe to run again at any point.
     */
    beginTransfer: (input: StepsInput): Promise<JobProgress> =>
      doSteps(dependencies, input, async tenant => {
        const split = await splitTransfer(db, tenant, input.jobId)
        if (split) return { next: async () => split }
        const job = await jobStore(db, tenant).byId(input.jobId)
        const nextPage = job?.kind === 'subjectTransferUndo' ? undoNextPage : transferNextPage
        return { next: () => nextPage(db, tenant, input.jobId) }
      }),

    /** Does the next pages of a range of a transfer, or of its undoing. Safe to run again at any point. */
    transferRange: (input: StepsInput): Promise<JobProgress> =>
      doSteps(dependencies, input, async tenant => ({
        next: () => transferNextInRange(db, tenant, input.jobId, input.range ?? 0),
      })),

    /** Transfers the job's next pages, one after the other. A job whose ranges are done ends with it. Safe to run again at any point. */
    transferPages: (input: StepsInput): Promise<JobProgress> =>
      doSteps(dependencies, input, async tenant => ({ next: () => transferNextPage(db, tenant, input.jobId) })),

    /** Undoes the next pages of a transfer, as {@link transferPages}. */
    undoTransferPages: (input: StepsInput): Promise<JobProgress> =>
      doSteps(dependencies, input, async tenant => ({ next: () => undoNextPage(db, tenant, input.jobId) })),
  }
}
