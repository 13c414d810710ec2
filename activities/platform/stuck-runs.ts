// Finds runs whose workflow task fails again and again. They are counted and logged, and after an hour they are ended.
import { WorkflowNotFoundError } from '@temporalio/client'
import { Counter, Gauge } from 'prom-client'
import { type StoredProblem, storedProblem } from '../../db/jobs/job-row.js'
import type { Log } from '../../runtime/observe/log.js'
import { processMetrics } from '../../runtime/observe/metrics.js'
import { Problem } from '../../runtime/problems/problem.js'
import type { Temporal } from '../../runtime/temporal/calls.js'
import { temporalNow } from '../../runtime/temporal/temporal-clock.js'
import { startedBySchedule } from '../../workflows/contracts.js'
import { jobKinds } from '../../workflows/jobs/contracts.js'
import { platformRuns } from '../../workflows/platform/contracts.js'
import { failingSince, type ListedRun, reasonOfEnd, runningRuns } from './runs.js'

const stuckRuns = new Gauge({
  name: 'armature_stuck_runs',
  help: 'Runs whose workflow task fails again and again, seen by the worker that does the outbox',
  registers: [processMetrics],
})
const parkedRuns = new Counter({
  name: 'armature_parked_runs_total',
  help: 'Runs that were ended because they failed at the same place for too long, by workflow type',
  labelNames: ['workflow_type'],
  registers: [processMetrics],
})

/** The reason with which a stuck run is terminated, and the type of its failure. */
export const stuck = 'run-stuck'

/**
 * Workflow types of this build. A run of an unknown type may belong to another build, whose workers can continue it.
 */
const ownTypes: ReadonlySet<string> = new Set([
  ...jobKinds,
  ...startedBySchedule,
  ...Object.keys(platformRuns),
  'glueEndpoint',
  'webhook',
])

// Prometheus sees no increase in a series that begins at 1, so each begins at 0 with the process.
for (const workflow_type of ownTypes) parkedRuns.inc({ workflow_type }, 0)

export interface StuckDependencies {
  log: Log
  /** STUCK_RUN_MINUTES. */
  stuckRunMs: number
}

/** Creates the check for runs, of any kind, whose workflow task fails again and again. */
export function lookAtStuckRuns({ log, stuckRunMs }: StuckDependencies) {
  /** For each failing run of the last check, since when it has been failing. */
  let seen = new Map<string, number | undefined>()

  async function look(temporal: Temporal): Promise<void> {
    const runs = await runningRuns(temporal, 'TemporalReportedProblems IS NOT NULL')
    stuckRuns.set(runs.length)
    const before = seen
    seen = new Map()
    for (const run of runs) {
      const since = before.get(run.runId) ?? (await failingSince(temporal, run))
      seen.set(run.runId, since)
      log.error(
        { ...run, since: since && new Date(since) },
        'the workflow task of a run fails again and again; the Temporal UI shows the cause',
      )
      if (ownTypes.has(run.type) && isTooLong(since) && isTooLong(await failingSince(temporal, run)))
        await park(temporal, run)
    }
  }

  const isTooLong = (since: number | undefined): boolean => since !== undefined && temporalNow() - since > stuckRunMs

  /** Terminates a stuck run. The outbox then fails its job, as for every run that was ended. */
  async function park({ call }: Temporal, { workflowId, runId, type }: ListedRun): Promise<void> {
    try {
      await call(({ workflow }) => workflow.getHandle(workflowId, runId).terminate(stuck))
    } catch (error) {
      // The run has just ended by itself.
      if (error instanceof WorkflowNotFoundError) return
      throw error
    }
    parkedRuns.inc({ workflow_type: type })
    log.error({ workflowId, runId, type }, 'a run was ended: its workflow task failed for too long')
  }

  return {
    async look(temporal: Temporal): Promise<void> {
      try {
        await look(temporal)
      } catch (err) {
        // Temporal before 1.30 does not have the attribute. The rest of the outbox must go on all the same.
        log.warn({ err }, 'stuck runs could not be looked for')
      }
    },
    /** Resets the metric, because another worker does the check from now on. */
    leave: () => stuckRuns.set(0),
  }
}

/** Returns the problem for the job of a run that was ended because it was stuck; undefined for any other run. */
export async function stuckProblem(
  temporal: Temporal,
  run: Pick<ListedRun, 'workflowId' | 'runId'>,
  stuckRunMs: number,
): Promise<StoredProblem | undefined> {
  if ((await reasonOfEnd(temporal, run)) !== stuck) return undefined
  const detail =
    `Its run failed again and again at the same place for over ${stuckRunMs / 60_000} minutes, and was ended. ` +
    'The log of the workers and the run in Temporal have the cause. Its writes are counted; a retry goes on from there.'
  return storedProblem(new Problem(stuck, detail))
}
