// Health checks.
import type Router from '@koa/router'
import type { Knex } from 'knex'
import type { Context } from 'koa'
import { isAlive } from '../db/jobs/workers.js'
import type { Reads } from '../db/replicas.js'
import { buildId } from '../runtime/process/build.js'
import { stopping } from '../runtime/process/shutdown.js'
import { version } from '../runtime/process/version.js'
import type { Polling } from '../runtime/temporal/polling.js'
import type { TemporalWorker } from '../runtime/temporal/temporal.js'
import { queues } from '../workflows/jobs/contracts.js'

const timeoutMs = 3_000

/** How long ago a worker's last heartbeat may be: five times its interval. */
const silenceTimeoutMs = 10_000

/** Checks by name. Each rejects if what it checks does not work. */
type Checks = Record<string, () => Promise<void>>

/**
 * Serves health checks.
 * - `/health/live`: the process need not be restarted; see `Polling.isLive`.
 * - `/health/ready`: the process can serve requests, that is, it reaches the database and is not stopping.
 * - `/health/status`: the whole platform works, with Temporal and the workers; replicas are listed.
 */
export function healthRoutes(
  router: Router,
  { db, reads, worker, polling }: { db: Knex; reads: Reads; worker: TemporalWorker; polling: Polling },
): void {
  const ready: Checks = {
    async process() {
      if (stopping.aborted) throw new Error('The process is stopping')
    },
    async database() {
      await db.raw('SELECT 1').timeout(timeoutMs)
    },
  }
  const platform: Checks = {
    ...ready,
    async temporal() {
      await worker.current().call(client => client.workflowService.getSystemInfo({}), timeoutMs)
    },
    async interactiveWorker() {
      if (!worker.isRunning()) throw new Error('The worker is not polling')
    },
    async backgroundWorker() {
      await requireWorker(queues.background)
    },
    async callsWorker() {
      await requireWorker(queues.calls)
    },
  }
  async function requireWorker(queue: string): Promise<void> {
    if (!(await isAlive(db, queue, silenceTimeoutMs))) throw new Error('No worker has sent a heartbeat lately')
  }

  router.get('/health/live', async ctx => {
    const isLive = await polling.isLive()
    ctx.status = isLive ? 200 : 503
    ctx.body = { status: isLive ? 'live' : 'not live', version, build: buildId() }
  })
  router.get('/health/ready', ctx => answerHealth(ctx, ready))
  router.get('/health/status', async ctx => {
    await answerHealth(ctx, platform)
    const replicas = Object.fromEntries(reads.replicas().map(({ name, state }) => [name, state]))
    // A replica that is not read is no outage, because the primary is read instead.
    if (Object.keys(replicas).length > 0) ctx.body = { ...Object(ctx.body), replicas }
  })
}

/** Answers 200 if all checks pass, otherwise 503. */
async function answerHealth(ctx: Context, checks: Checks): Promise<void> {
  const states = Object.fromEntries(
    await Promise.all(Object.entries(checks).map(async ([name, probe]) => [name, await state(probe)])),
  )
  const ready = Object.values(states).every(state => state === 'ok')
  ctx.status = ready ? 200 : 503
  if (!ready) ctx.set('Retry-After', '5')
  ctx.body = { status: ready ? 'ready' : 'not ready', checks: states, version, build: buildId() }
}

/** Returns 'ok' or 'down'. The reason is withheld from callers. */
const state = (probe: () => Promise<void>): Promise<'ok' | 'down'> =>
  probe().then(
    () => 'ok',
    () => 'down',
  )
