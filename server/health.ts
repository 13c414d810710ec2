import type Router from '@koa/router'
import type { Knex } from 'knex'
import { isAlive } from '../db/jobs/workers.js'
import type { TemporalWorker } from '../runtime/temporal.js'
import { queues } from '../workflows/jobs/contracts.js'
import { metricsText, metricsType } from './metrics.js'

const timeoutMs = 3_000
/** Five times the interval of the worker's heartbeat. */
const silenceMs = 10_000

/** `/health/live`: the process answers. `/health/ready`: database, Temporal and both workers do. `/metrics`: Prometheus. */
export function healthRoutes(router: Router, { db, worker }: { db: Knex; worker: TemporalWorker }): void {
  router.get('/health/live', ctx => {
    ctx.body = { status: 'live' }
  })

  router.get('/health/ready', async ctx => {
    const checks = {
      database: check(async () => {
        await db.raw('SELECT 1').timeout(timeoutMs)
      }),
      temporal: check(async () => {
        const { client } = worker.current()
        await client.withDeadline(Date.now() + timeoutMs, () => client.workflowService.getSystemInfo({}))
      }),
      interactiveWorker: check(async () => {
        if (!worker.isRunning()) throw new Error('it does not poll')
      }),
      backgroundWorker: check(async () => {
        if (!(await isAlive(db, queues.background, silenceMs))) throw new Error('no worker has been heard of lately')
      }),
    }
    const states = Object.fromEntries(
      await Promise.all(Object.entries(checks).map(async ([name, state]) => [name, await state])),
    )
    const ready = Object.values(states).every(state => state === 'ok')
    ctx.status = ready ? 200 : 503
    if (!ready) ctx.set('Retry-After', '5')
    ctx.body = { status: ready ? 'ready' : 'not ready', checks: states }
  })

  router.get('/metrics', async ctx => {
    ctx.type = metricsType
    ctx.body = await metricsText()
  })
}

/** 'ok', or 'down': the reasons are for the log, not for whoever asks. */
const check = (probe: () => Promise<void>): Promise<'ok' | 'down'> =>
  probe().then(
    () => 'ok',
    () => 'down',
  )
