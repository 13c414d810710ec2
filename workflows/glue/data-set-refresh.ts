// The workflow of a data set refresh.
import { CancellationScope, proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import type { EndedJob, JobInput } from '../jobs/contracts.js'
import { runJob } from '../jobs/run-job.js'

const summary = 'replaced rows'
const { dropOldPoints } = proxyActivities<Activities>({ startToCloseTimeout: '10m', heartbeatTimeout: '10s', summary })

/** Fetches a data set from its provider, page by page, shows it whole, and then clears away what it was before. */
export async function dataSetRefresh(input: JobInput): Promise<EndedJob> {
  const { tenantKey, jobId } = input
  try {
    return await runJob('dataSetRefresh', input)
  } finally {
    // A refresh that fails leaves its own rows for a retry, and no older ones.
    await CancellationScope.nonCancellable(() => dropOldPoints({ tenantKey, jobId }))
  }
}
