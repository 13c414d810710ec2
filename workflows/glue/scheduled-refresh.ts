// The workflow that a schedule of a data set starts.
import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { runChild } from '../jobs/child.js'
import { priorities } from '../jobs/contracts.js'
import type { ScheduledRefresh } from './contracts.js'
import { dataSetRefresh } from './data-set-refresh.js'

/** Refreshes a data set when its time has come. */
export async function scheduledRefresh(refresh: ScheduledRefresh): Promise<void> {
  const priority = { fairnessKey: refresh.tenantKey, priorityKey: priorities.schedule }
  const summary = `data set ${refresh.dataExtractKey}`
  const { beginRefresh } = proxyActivities<Activities>({ startToCloseTimeout: '1m', priority, summary })
  const begun = await beginRefresh(refresh)
  if (begun) await runChild('dataSetRefresh', dataSetRefresh, begun)
}
