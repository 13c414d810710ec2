// The activity that a worker does in place of one that its build does not have.
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { Counter } from 'prom-client'
import { processMetrics } from '../../runtime/metrics.js'
import { type StuckDependencies, stuck } from './stuck-runs.js'

const unknown = new Counter({
  name: 'armature_unknown_activities_total',
  help: 'Attempts of activities that this build does not have, by name',
  labelNames: ['activity'],
  registers: [processMetrics],
})

export const unknownActivities = ({ log, stuckRunMs }: StuckDependencies) => ({
  /**
   * Stands for every activity that has no name here: the SDK looks for `default`. Temporal tries it again, so that a worker
   * of the run's own build may do it. After too long the run fails.
   */
  async default(): Promise<never> {
    const { activityType, attempt, scheduledTimestampMs, workflowExecution } = Context.current().info
    unknown.inc({ activity: activityType })
    log.error({ ...workflowExecution, activity: activityType, attempt }, 'this build does not have an activity')
    const isFinal = Date.now() - scheduledTimestampMs > stuckRunMs
    throw ApplicationFailure.create({
      type: isFinal ? stuck : 'unknown-activity',
      message: `This build does not have the activity '${activityType}'.`,
      nonRetryable: isFinal,
    })
  },
})
