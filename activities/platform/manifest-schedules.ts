// Brings the Temporal schedules of data sets and exports in line with the manifests.
import { hash } from 'node:crypto'
import { ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleSpec } from '@temporalio/client'
import type { Knex } from 'knex'
import { scheduledExports } from '../../db/forms/exports/schedules.js'
import { scheduledExtracts } from '../../db/glue/data/schedules.js'
import type { Log } from '../../runtime/observe/log.js'
import type { CallTemporal } from '../../runtime/temporal/calls.js'
import { searchAttributes } from '../../runtime/temporal/search-attributes.js'
import { exportScheduleId } from '../../workflows/forms/contracts.js'
import { refreshScheduleId } from '../../workflows/glue/contracts.js'
import { queues } from '../../workflows/jobs/contracts.js'
import { schedule as scheduler } from '../jobs/scheduled-job.js'
import type { OutboxDependencies } from './outbox.js'
import { pollActivity } from './poll-activity.js'

const pauseMs = 15_000
/** How long Temporal may take to list all schedules, page by page, in ms. */
const listTimeoutMs = 60_000

/** Seconds between two runs, or a time of day: `HH:MM` in an IANA time zone. */
type Rhythm = { every: number } | { dailyAt: string; timeZone: string }

interface Schedule {
  workflowType: 'scheduledRefresh' | 'scheduledExport'
  /** Input of the workflow. */
  input: { tenantKey: string }
  /** Text on the run's page in the Temporal UI. */
  summary: string
  rhythm: Rhythm
  /** After an outage, a run that was due at most this many seconds ago is caught up. */
  catchupSeconds: number
}

const workflowTypes: readonly string[] = ['scheduledRefresh', 'scheduledExport'] satisfies Schedule['workflowType'][]

/** Creates the activity that keeps the schedules in line with the manifests. */
export const manifestScheduleActivities = ({ db, log, temporal }: OutboxDependencies) => ({
  /** Updates the schedules every 15 seconds for some minutes, then returns. */
  syncManifestSchedules: (): Promise<void> =>
    pollActivity(log, pauseMs, () => reconcileSchedules(db, temporal().call, log)),
})

/**
 * Makes the schedules in Temporal equal to those of the manifests. A schedule that Temporal refuses is logged and does
 * not stop the others.
 */
export async function reconcileSchedules(db: Knex, call: CallTemporal, log: Log): Promise<void> {
  const wanted = await wantedSchedules(db)
  const present = new Map<string, unknown>()
  await call(async client => {
    for await (const { scheduleId, action, memo } of client.schedule.list()) {
      if (workflowTypes.includes(action?.workflowType ?? '')) present.set(scheduleId, memo?.rhythm)
    }
  }, listTimeoutMs)
  for (const [id, schedule] of wanted) {
    const rhythm = JSON.stringify(schedule.rhythm)
    if (present.get(id) === rhythm) continue
    try {
      // The rhythm is stored in the memo, which cannot be updated, so the schedule is created again.
      if (present.has(id)) await remove(call, id)
      await create(call, id, schedule)
      log.info({ schedule: id, rhythm }, 'schedule created')
    } catch (err) {
      log.warn({ err, schedule: id, rhythm }, 'a schedule could not be updated')
    }
  }
  for (const id of present.keys()) {
    if (wanted.has(id)) continue
    await remove(call, id)
    log.info({ schedule: id }, 'schedule removed')
  }
}

async function wantedSchedules(db: Knex): Promise<Map<string, Schedule>> {
  const wanted = new Map<string, Schedule>()
  for (const { tenantKey, extractKey, seconds } of await scheduledExtracts(db)) {
    const input = { tenantKey, dataExtractKey: extractKey }
    // A missed refresh need not be caught up, since the next one fetches everything.
    const rest = { summary: `data set ${extractKey}`, rhythm: { every: seconds }, catchupSeconds: 60 }
    wanted.set(refreshScheduleId(input), { workflowType: 'scheduledRefresh', input, ...rest })
  }
  for (const { tenantKey, key, rhythm } of await scheduledExports(db)) {
    const input = { tenantKey, exportKey: key }
    const catchupSeconds = 'every' in rhythm ? Math.max(rhythm.every, 86_400) : 86_400
    wanted.set(exportScheduleId(input), {
      workflowType: 'scheduledExport',
      input,
      summary: `export ${key}`,
      rhythm,
      catchupSeconds,
    })
  }
  return wanted
}

async function create(call: CallTemporal, scheduleId: string, schedule: Schedule): Promise<void> {
  const { workflowType, input, summary, rhythm, catchupSeconds } = schedule
  try {
    await call(client =>
      client.schedule.create({
        scheduleId,
        spec: specOf(scheduleId, rhythm),
        // A run is skipped while the one before is still going on.
        policies: { overlap: 'SKIP', catchupWindow: catchupSeconds * 1000 },
        action: {
          type: 'startWorkflow',
          workflowType,
          workflowId: scheduleId,
          taskQueue: queues.background,
          args: [input],
          staticSummary: summary,
          typedSearchAttributes: [
            { key: searchAttributes.tenantKey, value: input.tenantKey },
            { key: searchAttributes.jobKind, value: workflowType },
            { key: searchAttributes.actor, value: scheduler },
          ],
        },
        memo: { rhythm: JSON.stringify(rhythm) },
      }),
    )
  } catch (error) {
    // Another process has just created it.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}

function specOf(scheduleId: string, rhythm: Rhythm): ScheduleSpec {
  if ('dailyAt' in rhythm) {
    const [hour = 0, minute = 0] = rhythm.dailyAt.split(':').map(Number)
    return { calendars: [{ hour, minute }], timezone: rhythm.timeZone }
  }
  // Spreads the schedules of all tenants over the interval.
  const offset = Number.parseInt(hash('sha256', scheduleId, 'hex').slice(0, 8), 16) % rhythm.every
  return { intervals: [{ every: rhythm.every * 1000, offset: offset * 1000 }] }
}

async function remove(call: CallTemporal, scheduleId: string): Promise<void> {
  try {
    await call(client => client.schedule.getHandle(scheduleId).delete())
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
  }
}
