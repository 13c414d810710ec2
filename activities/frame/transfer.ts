import { transferNextPage, undoNextPage } from '../../db/frame/transfers.js'
import type { JobProgress, JobRef } from '../../workflows/jobs/contracts.js'
import { type CarryDependencies, carry } from '../jobs/carry.js'

/** Activities that carry transfers of subjects and their undoing. */
export const transferActivities = (dependencies: CarryDependencies) => ({
  /** Transfers the job's next pages, at most `limit`. Safe to run again at any point. */
  transferPages: (input: JobRef & { limit: number }): Promise<JobProgress> =>
    carry(dependencies, input, tenant => transferNextPage(dependencies.db, tenant, input.jobId)),

  /** Undoes the next pages of a transfer, at most `limit`. Safe to run again at any point. */
  undoTransferPages: (input: JobRef & { limit: number }): Promise<JobProgress> =>
    carry(dependencies, input, tenant => undoNextPage(dependencies.db, tenant, input.jobId)),
})
