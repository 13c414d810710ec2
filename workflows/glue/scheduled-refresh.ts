import { executeChild, isCancellation, ParentClosePolicy, proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { workflowIdOf } from '../jobs/contracts.js'
import type { ScheduledRefresh } from './contracts.js'
import { dataSetRefresh } from './data-set-refresh.js'

const { beginRefresh } = proxyActivities<Activities>({ startToCloseTimeout: '1m' })

/** Refreshes a data set when its time has come. How that goes is told by the refresh's own job and run. */
export async function scheduledRefresh(refresh: ScheduledRefresh): Promise<void> {
  const begun = await beginRefresh(refresh)
  if (!begun) return
  const { job, typedSearchAttributes } = begun
  const child = executeChild(dataSetRefresh, {
    workflowId: workflowIdOf('dataSetRefresh', job),
    args: [job],
    typedSearchAttributes,
    parentClosePolicy: ParentClosePolicy.ABANDON,
  })
  await child.catch(error => {
    // Somebody asked for the same at the same moment, or the job has failed and says why.
    if (isCancellation(error)) throw error
  })
}
