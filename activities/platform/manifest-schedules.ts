// Brings the Temporal schedules of data sets and exports in line with the manifests.
import { hash } from 'node:crypto'
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  type ScheduleSpec,
  type ScheduleSpecDescription,
  type ScheduleSummary,
} from '@temporalio/client'
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
 * Makes the schedules in Temporal equal to those of the manifests. A schedule whose rhythm has changed is updated, so that
 * one that an operator has paused stays paused. A schedule that Temporal refuses is logged and does not stop the others.
 */
export async function reconcileSchedules(db: Knex, call: CallTemporal, log: Log): Promise<void> {
  const wanted = await wantedSchedules(db)
  const present = new Map((await listed(call)).map(({ scheduleId, spec }) => [scheduleId, spec]))
  for (const [id, schedule] of wanted) {
    const { rhythm } = schedule
    if (present.has(id) && isSpecOf(present.get(id), id, rhythm)) continue
    try {
      if (present.has(id)) await update(call, id, schedule)
      else await create(call, id, schedule)
      log.info({ schedule: id, rhythm }, present.has(id) ? 'schedule updated' : 'schedule created')
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

/** Removes the schedules of a tenant. @returns how many there were. */
export async function removeSchedulesOf(call: CallTemporal, tenantKey: string): Promise<number> {
  const ids = (await listed(call)).filter(({ scheduleId }) => scheduleId.startsWith(`${tenantKey}/`))
  for (const { scheduleId } of ids) await remove(call, scheduleId)
  return ids.length
}

/** Lists the schedules of all manifests. */
const listed = (call: CallTemporal): Promise<ScheduleSummary[]> =>
  call(async client => {
    const found: ScheduleSummary[] = []
    for await (const each of client.schedule.list())
      if (workflowTypes.includes(each.action?.workflowType ?? '')) found.push(each)
    return found
  }, listTimeoutMs)

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
  try {
    await call(client => client.schedule.create({ scheduleId, ...optionsOf(scheduleId, schedule) }))
  } catch (error) {
    // Another process has just created it.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}

const update = (call: CallTemporal, scheduleId: string, schedule: Schedule): Promise<void> =>
  call(client =>
    client.schedule.getHandle(scheduleId).update(({ state }) => ({ ...optionsOf(scheduleId, schedule), state })),
  )

const optionsOf = (scheduleId: string, { workflowType, input, summary, rhythm, catchupSeconds }: Schedule) =>
  ({
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
  }) satisfies Partial<ScheduleOptions>

function specOf(scheduleId: string, rhythm: Rhythm): ScheduleSpec {
  if ('dailyAt' in rhythm) {
    const [hour = 0, minute = 0] = rhythm.dailyAt.split(':').map(Number)
    return { calendars: [{ hour, minute }], timezone: rhythm.timeZone }
  }
  // Spreads the schedules of all tenants over the interval.
  const offset = Number.parseInt(hash('sha256', scheduleId, 'hex').slice(0, 8), 16) % rhythm.every
  return { intervals: [{ every: rhythm.every * 1000, offset: offset * 1000 }] }
}

/** Tells whether a schedule in Temporal has a rhythm already. */
function isSpecOf(present: ScheduleSpecDescription | undefined, scheduleId: string, rhythm: Rhythm): boolean {
  const { intervals: [interval] = [], calendars: [calendar] = [], timezone = '' } = present ?? {}
  if ('every' in rhythm) {
    const [wanted] = specOf(scheduleId, rhythm).intervals ?? []
    return !calendar && interval?.every === wanted?.every && (interval?.offset ?? 0) === wanted?.offset
  }
  const [hour, minute] = rhythm.dailyAt.split(':').map(Number)
  const at = [calendar?.hour?.[0]?.start, calendar?.minute?.[0]?.start]
  return !interval && at[0] === hour && at[1] === minute && (timezone || 'UTC') === rhythm.timeZone
}

async function remove(call: CallTemporal, scheduleId: string): Promise<void> {
  try {
    await call(client => client.schedule.getHandle(scheduleId).delete())
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
  }
}
