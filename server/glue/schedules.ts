import { hash } from 'node:crypto'
import { type Client, ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client'
import type { Knex } from 'knex'
import { scheduledExtracts } from '../../db/glue/schedules.js'
import type { Log } from '../../runtime/log.js'
import type { Temporal } from '../../runtime/temporal.js'
import { refreshScheduleId, type ScheduledRefresh } from '../../workflows/glue/contracts.js'
import { queues } from '../../workflows/jobs/contracts.js'

const everyMs = 15_000
const workflowType = 'scheduledRefresh'

interface Schedule {
  seconds: number
  refresh: ScheduledRefresh
}

/**
 * Keeps the schedules in Temporal as the manifests say, in every API process; they may do so at once. A manifest counts
 * after some seconds, or once Temporal is back.
 */
export function keepSchedules(options: { db: Knex; temporal: () => Temporal; log: Log }): { stop(): void } {
  const { db, temporal, log } = options
  let timer: NodeJS.Timeout
  const next = (delayMs: number) => {
    timer = setTimeout(async () => {
      await reconcile(db, temporal, log).catch(err => log.warn({ err }, 'schedules are not up to date'))
      next(everyMs)
    }, delayMs).unref()
  }
  next(1_000)
  return { stop: () => clearTimeout(timer) }
}

async function reconcile(db: Knex, temporal: () => Temporal, log: Log): Promise<void> {
  const { client } = temporal()
  const wanted = new Map<string, Schedule>()
  for (const { tenantKey, extractKey, seconds } of await scheduledExtracts(db)) {
    const refresh = { tenantKey, dataExtractKey: extractKey }
    wanted.set(refreshScheduleId(refresh), { seconds, refresh })
  }
  const present = new Map<string, number>()
  for await (const { scheduleId, action, memo } of client.schedule.list()) {
    if (action?.workflowType === workflowType) present.set(scheduleId, Number(memo?.seconds))
  }
  for (const [id, schedule] of wanted) {
    if (present.get(id) === schedule.seconds) continue
    // The memo tells the interval and cannot be changed: another interval is another schedule.
    if (present.has(id)) await remove(client, id)
    await create(client, id, schedule)
    log.info({ schedule: id, seconds: schedule.seconds }, 'schedule kept')
  }
  for (const id of present.keys()) {
    if (wanted.has(id)) continue
    await remove(client, id)
    log.info({ schedule: id }, 'schedule removed')
  }
}

async function create(client: Client, scheduleId: string, { seconds, refresh }: Schedule): Promise<void> {
  // Not all tenants at the same moment.
  const offset = (Number.parseInt(hash('sha256', scheduleId, 'hex').slice(0, 8), 16) % seconds) * 1000
  try {
    await client.schedule.create({
      scheduleId,
      spec: { intervals: [{ every: seconds * 1000, offset }] },
      // A refresh that takes longer than the interval is not started twice; after an outage it is not made up for.
      policies: { overlap: 'SKIP', catchupWindow: '1m' },
      action: {
        type: 'startWorkflow',
        workflowType,
        workflowId: scheduleId,
        taskQueue: queues.background,
        args: [refresh],
      },
      memo: { seconds },
    })
  } catch (error) {
    // Another process was first.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
  }
}

async function remove(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete()
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
  }
}
