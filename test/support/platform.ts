// The platform's own runs.
import type { Client, WorkflowHandle } from '@temporalio/client'
import { type PlatformRun, platformScheduleId } from '../../workflows/platform/contracts.js'
import { until } from './until.js'

/** The run of the platform's own that goes on now. */
export const platformRun = (client: Client, run: PlatformRun): Promise<WorkflowHandle> =>
  until(`the run ${run} goes on`, async () => {
    const { info } = await client.schedule.getHandle(platformScheduleId(run)).describe()
    const [running] = info.runningActions.toReversed()
    return running && client.workflow.getHandle(running.workflow.workflowId)
  })

/** Deletes what is due now, which the platform does every five minutes. */
export async function forgetNow(client: Client): Promise<void> {
  const schedule = client.schedule.getHandle(platformScheduleId('retention'))
  const runs = async () => (await schedule.describe()).info.numActionsTaken
  const before = await runs()
  await schedule.trigger('BUFFER_ONE')
  await until('it has begun', async () => (await runs()) > before)
  await until('it is over', async () => (await schedule.describe()).info.runningActions.length === 0)
}
