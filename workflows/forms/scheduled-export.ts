// The workflow that the schedule of an export starts.
import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { type JobAddress, runChild } from '../jobs/child.js'
import { priorities } from '../jobs/contracts.js'
import type { ScheduledExport } from './contracts.js'

/** Starts the job of an export and runs it. @returns a reference to the job; undefined if none was started. */
export async function scheduledExport(wanted: ScheduledExport): Promise<JobAddress | undefined> {
  const priority = { fairnessKey: wanted.tenantKey, priorityKey: priorities.schedule }
  const summary = `export ${wanted.exportKey}`
  const { beginExport } = proxyActivities<Activities>({ startToCloseTimeout: '1m', priority, summary })
  const begun = await beginExport(wanted)
  return begun && runChild('formExport', begun)
}
