import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { carry } from '../jobs/carry.js'
import { fetchesPerActivity, type JobInput, type JobProgress } from '../jobs/contracts.js'

const { dropOldPoints } = proxyActivities<Activities>({ startToCloseTimeout: '10m', heartbeatTimeout: '10s' })

/** Fetches a data set from its provider, page by page, shows it whole, and then clears away what it was before. */
export async function dataSetRefresh(input: JobInput): Promise<JobProgress> {
  const progress = await carry(input, 'refreshPages', { limit: fetchesPerActivity, what: 'rows fetched' })
  await dropOldPoints({ tenantKey: input.tenantKey, jobId: input.jobId })
  return progress
}
