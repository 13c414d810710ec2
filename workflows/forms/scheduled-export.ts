// The workflow that a schedule of an export starts.
import { proxyActivities } from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import { type JobAddress, runChild } from '../jobs/child.js'
import { priorities } from '../jobs/contracts.js'
import type { ScheduledExport } from './contracts.js'

/** Exports what forms have collected when its time has come, or when an operator triggers its schedule. @returns the job's address. */
export async function scheduledExport(wanted: ScheduledExport): Promise<JobAddress | undefined> {
  const priority = { fairnessKey: wanted.tenantKey, priorityKey: priorities.schedule }
  const summary = `export ${wanted.exportKey}`
  const { beginExport } = proxyActivities<Activities>({ startToCloseTimeout: '1m', priority, summary })
  const begun = await beginExport(wanted)
  return begun && runChild('formExport', begun)
}
