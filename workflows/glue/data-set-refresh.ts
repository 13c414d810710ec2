// The workflow that refreshes a data set.
import { CancellationScope, proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import type { EndedJob, JobInput } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

const summary = 'replaced rows'
const { dropOldPoints } = proxyActivities<Activities>({ startToCloseTimeout: '10m', heartbeatTimeout: '10s', summary })

/** Fetches a data set page by page, makes it visible as a whole, and deletes the rows that it replaced. */
export async function dataSetRefresh(input: JobInput): Promise<EndedJob> {
  const { tenantKey, jobId } = input
  try {
    return await runJob('dataSetRefresh', input)
  } catch (error) {
    // A refresh that has failed, or continues as a new run, keeps the rows it fetched, so that a retry or that run can
    // go on with them; all older rows are deleted.
    await CancellationScope.nonCancellable(() => dropOldPoints({ tenantKey, jobId }))
    throw error
  }
}
