// The activity that a worker runs in place of one that its build does not have.
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { Counter } from 'prom-client'
import { processMetrics } from '../../runtime/observe/metrics.js'
import { temporalNow } from '../../runtime/temporal/temporal-clock.js'
import { type StuckDependencies, stuck } from './stuck-runs.js'

const unknown = new Counter({
  name: 'armature_unknown_activities_total',
  help: 'Attempts of activities that this build does not have, by name',
  labelNames: ['activity'],
  registers: [processMetrics],
})

export const unknownActivities = ({ log, stuckRunMs }: StuckDependencies) => ({
  /**
   * Runs for every activity that has no implementation here; the SDK looks it up as `default`. It fails so that
   * Temporal retries it, perhaps on a worker of the run's own build. After too long, it fails the run.
   */
  async default(): Promise<never> {
    const { activityType, attempt, scheduledTimestampMs, workflowExecution } = Context.current().info
    unknown.inc({ activity: activityType })
    log.error({ ...workflowExecution, activity: activityType, attempt }, 'this build does not have an activity')
    const isFinal = temporalNow() - scheduledTimestampMs > stuckRunMs
    throw ApplicationFailure.create({
      type: isFinal ? stuck : 'unknown-activity',
      message: `This build does not have the activity '${activityType}'.`,
      nonRetryable: isFinal,
    })
  },
})
