// Creates and updates the platform's own Temporal schedules.
import { ScheduleAlreadyRunning, type ScheduleOptions } from '@temporalio/client'
import type { CallTemporal } from '../../runtime/temporal/calls.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { queues } from '../../workflows/jobs/contracts.js'
import {
  type PlatformRun,
  platformRuns,
  platformScheduleId,
  platformSummaries,
} from '../../workflows/platform/contracts.js'
import { schedule } from '../jobs/scheduled-job.js'

/**
 * Creates the platform's own schedules, and updates them to this version. A schedule that an operator has paused stays
 * paused.
 */
export async function syncOwnSchedules(call: CallTemporal): Promise<void> {
  for (const workflowType of Object.keys(platformRuns) as PlatformRun[]) {
    const scheduleId = platformScheduleId(workflowType)
    const { every, offset } = platformRuns[workflowType]
    const wanted = {
      spec: { intervals: [{ every: every * 1000, offset: offset * 1000 }] },
      // A run is skipped while the one before is still going on, and runs missed during an outage are not caught up.
      policies: { overlap: 'SKIP', catchupWindow: 10_000 },
      action: {
        type: 'startWorkflow',
        workflowType,
        workflowId: scheduleId,
        taskQueue: queues.background,
        args: [],
        staticSummary: platformSummaries[workflowType],
        typedSearchAttributes: [
          { key: searchAttributes.tenantKey, value: 'platform' },
          { key: searchAttributes.jobKind, value: workflowType },
          { key: searchAttributes.actor, value: schedule },
        ],
      },
    } satisfies Partial<ScheduleOptions>
    try {
      const schedule = await call(client => client.schedule.create({ scheduleId, ...wanted }))
      // `triggerImmediately` would start a run that the overlap policy does not see.
      await call(() => schedule.trigger('SKIP'))
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      await call(client => client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...wanted, state })))
    }
  }
}
