import { hash } from 'node:crypto'
import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError, type ScheduleSpec } from '@temporalio/client'
import type { Knex } from 'knex'
import { scheduledExports } from '../../db/forms/schedules.js'
import { scheduledExtracts } from '../../db/glue/schedules.js'
import type { Log } from '../../runtime/log.js'
import type { Temporal } from '../../runtime/temporal.js'
import { exportScheduleId } from '../../workflows/forms/contracts.js'
import { refreshScheduleId } from '../../workflows/glue/contracts.js'
import { queues } from '../../workflows/jobs/contracts.js'

const everyMs = 15_000

/** Seconds between two runs, or a time of day: `HH:MM` in an IANA time zone. */
type Rhythm = { every: number } | { dailyAt: string; timeZone: string }

interface Schedule {
  workflowType: 'scheduledRefresh' | 'scheduledExport'
  /** What the workflow is started with. */
  input: object
  rhythm: Rhythm
  /** After an outage, what should have run within so many seconds before is made up for, by one run. */
  catchupSeconds: number
}

const workflowTypes: readonly string[] = ['scheduledRefresh', 'scheduledExport'] satisfies Schedule['workflowType'][]

/**
 * Keeps the schedules in Temporal as the manifests say, in every API process; they may do so at once. A manifest counts
 * after some seconds, or once Temporal is back.
 */
export function keepSchedules(options: { db: Knex; temporal: () => Temporal; log: Log }): { stop(): void } {
  const { db, temporal, log } = options
  let timer: NodeJS.Timeout
  const next = (delayMs: number) => {
    timer = setTimeout(async () => {
      const reconciled = async () => reconcileSchedules(db, temporal().client, log)
      await reconciled().catch(err => log.warn({ err }, 'schedules are not up to date'))
      next(everyMs)
    }, delayMs).unref()
  }
  next(1_000)
  return { stop: () => clearTimeout(timer) }
}

/** Makes the schedules what the manifests say now. One that Temporal does not take keeps no other from it. */
export async function reconcileSchedules(db: Knex, client: Client, log: Log): Promise<void> {
  const wanted = await wantedSchedules(db)
  const present = new Map<string, unknown>()
  for await (const { scheduleId, action, memo } of client.schedule.list()) {
    if (workflowTypes.includes(action?.workflowType ?? '')) present.set(scheduleId, memo?.rhythm)
  }
  for (const [id, schedule] of wanted) {
    const rhythm = JSON.stringify(schedule.rhythm)
    if (present.get(id) === rhythm) continue
    try {
      // The memo tells the rhythm and cannot be changed: another rhythm is another schedule.
      if (present.has(id)) await remove(client, id)
      await create(client, id, schedule)
      log.info({ schedule: id, rhythm }, 'schedule kept')
    } catch (err) {
      log.warn({ err, schedule: id, rhythm }, 'schedule is not up to date')
    }
  }
  for (const id of present.keys()) {
    if (wanted.has(id)) continue
    await remove(client, id)
    log.info({ schedule: id }, 'schedule removed')
  }
}

async function wantedSchedules(db: Knex): Promise<Map<string, Schedule>> {
  const wanted = new Map<string, Schedule>()
  for (const { tenantKey, extractKey, seconds } of await scheduledExtracts(db)) {
    const input = { tenantKey, dataExtractKey: extractKey }
    // The next refresh makes up for one that was left out.
    const rest = { rhythm: { every: seconds }, catchupSeconds: 60 }
    wanted.set(refreshScheduleId(input), { workflowType: 'scheduledRefresh', input, ...rest })
  }
  for (const { tenantKey, key, rhythm } of await scheduledExports(db)) {
    const input = { tenantKey, exportKey: key }
    const catchupSeconds = 'every' in rhythm ? Math.max(rhythm.every, 86_400) : 86_400
    wanted.set(exportScheduleId(input), { workflowType: 'scheduledExport', input, rhythm, catchupSeconds })
  }
  return wanted
}

async function create(client: Client, scheduleId: string, schedule: Schedule): Promise<void> {
  const { workflowType, input, rhythm, catchupSeconds } = schedule
  try {
    await client.schedule.create({
      scheduleId,
      spec: specOf(scheduleId, rhythm),
      // What takes longer than the interval is not started twice.
      policies: { overlap: 'SKIP', catchupWindow: catchupSeconds * 1000 },
      action: {
        type: 'startWorkflow',
        workflowType,
        workflowId: scheduleId,
        taskQueue: queues.background,
        args: [input],
      },
      memo: { rhythm: JSON.stringify(rhythm) },
    })
  } catch (error) {
    // Another process was first.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}

function specOf(scheduleId: string, rhythm: Rhythm): ScheduleSpec {
  if ('dailyAt' in rhythm) {
    const [hour = 0, minute = 0] = rhythm.dailyAt.split(':').map(Number)
    return { calendars: [{ hour, minute }], timezone: rhythm.timeZone }
  }
  // Not all tenants at the same moment.
  const offset = Number.parseInt(hash('sha256', scheduleId, 'hex').slice(0, 8), 16) % rhythm.every
  return { intervals: [{ every: rhythm.every * 1000, offset: offset * 1000 }] }
}

async function remove(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete()
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
  }
}
