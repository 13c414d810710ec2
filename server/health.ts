// Health checks and the metrics endpoint.
import type Router from '@koa/router'
import type { Knex } from 'knex'
import type { Context } from 'koa'
import { isAlive } from '../db/jobs/workers.js'
import type { Reads } from '../db/replicas.js'
import { metricsText, metricsType } from '../runtime/metrics.js'
import { stopping } from '../runtime/shutdown.js'
import type { TemporalWorker } from '../runtime/temporal.js'
import { queues } from '../workflows/jobs/contracts.js'
import { platformMetrics } from './metrics.js'

const timeoutMs = 3_000
/** Five times the interval of the worker's heartbeat. */
const silenceMs = 10_000

/** Each rejects where the process lacks what it names. */
type Checks = Record<string, () => Promise<void>>

/**
 * Health and metrics. `/health/live`: the process runs. `/health/ready`: it can answer callers, for which it needs the database,
 * and is not about to stop.
 * `/health/status`: the whole platform, with Temporal, both kinds of worker, and replicas.
 * `/metrics`: this process; `/metrics/platform`: the whole installation.
 */
export function healthRoutes(
  router: Router,
  { db, reads, worker }: { db: Knex; reads: Reads; worker: TemporalWorker },
): void {
  const ready: Checks = {
    async process() {
      if (stopping.aborted) throw new Error('it stops')
    },
    async database() {
      await db.raw('SELECT 1').timeout(timeoutMs)
    },
  }
  const platform: Checks = {
    ...ready,
    async temporal() {
      const { client } = worker.current()
      await client.withDeadline(Date.now() + timeoutMs, () => client.workflowService.getSystemInfo({}))
    },
    async interactiveWorker() {
      if (!worker.isRunning()) throw new Error('it does not poll')
    },
    async backgroundWorker() {
      await requireWorker(queues.background)
    },
    async callsWorker() {
      await requireWorker(queues.calls)
    },
  }
  async function requireWorker(queue: string): Promise<void> {
    if (!(await isAlive(db, queue, silenceMs))) throw new Error('no worker has been heard of lately')
  }
  const metrics = platformMetrics(db)

  router.get('/health/live', ctx => {
    ctx.body = { status: 'live' }
  })
  router.get('/health/ready', ctx => answerHealth(ctx, ready))
  router.get('/health/status', async ctx => {
    await answerHealth(ctx, platform)
    const replicas = Object.fromEntries(reads.replicas().map(({ name, state }) => [name, state]))
    // A replica that is left out is no outage: the primary is read instead.
    if (Object.keys(replicas).length > 0) ctx.body = { ...Object(ctx.body), replicas }
  })
  router.get('/metrics', async ctx => {
    ctx.type = metricsType
    ctx.body = await metricsText()
  })
  router.get('/metrics/platform', async ctx => {
    ctx.type = metrics.contentType
    ctx.body = await metrics.metrics()
  })
}

/** Answers 200 where all checks pass, else 503. */
async function answerHealth(ctx: Context, checks: Checks): Promise<void> {
  const states = Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, probe]) => [name, await state(probe)])),
  )
  const ready = Object.values(states).every(state => state === 'ok')
  ctx.status = ready ? 200 : 503
  if (!ready) ctx.set('Retry-After', '5')
  ctx.body = { status: ready ? 'ready' : 'not ready', checks: states }
}

/** 'ok', or 'down': the reasons are for the log, not for whoever asks. */
const state = (probe: () => Promise<void>): Promise<'ok' | 'down'> =>
  probe().then(
    () => 'ok',
    () => 'down',
  )
