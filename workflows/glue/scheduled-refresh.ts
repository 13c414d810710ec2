// The workflow that a data set's schedule starts.
import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { type JobAddress, runChild } from '../jobs/child.js'
import { priorities } from '../jobs/contracts.js'
import type { ScheduledRefresh } from './contracts.js'

/** Refreshes a data set. Returns the job's reference, or undefined if the manifest no longer schedules the refresh, or somebody has paused it. */
export async function scheduledRefresh(refresh: ScheduledRefresh): Promise<JobAddress | undefined> {
  const priority = { fairnessKey: refresh.tenantKey, priorityKey: priorities.schedule }
  const summary = `data set ${refresh.dataExtractKey}`
  const { beginRefresh } = proxyActivities<Activities>({ startToCloseTimeout: '1m', priority, summary })
  const begun = await beginRefresh(refresh)
  return begun && runChild('dataSetRefresh', begun)
}
