// Assembles the router: health, the common key set, and the cells behind it.
import Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
import type { IsProxy } from '../../runtime/caller-address.js'
import type { Log } from '../../runtime/log.js'
import { metricsText, metricsType } from '../../runtime/metrics.js'
import { notFound } from '../../runtime/problem.js'
import { stopping } from '../../runtime/shutdown.js'
import { answerHealth, type Checks } from '../health.js'
import { problemOf, render } from '../middleware/problem.js'
import { trace } from '../middleware/trace.js'
import { unreadBody } from '../middleware/unread-body.js'
import type { CellCalls } from './cell-calls.js'
import type { Directory } from './directory.js'
import { forward } from './forward.js'
import { keySets } from './key-sets.js'
import { tenantOfPath } from './tenant-name.js'

export interface RouterDependencies {
  cells: readonly CellCalls[]
  directory: Directory
  isProxy: IsProxy
  log: Log
}

/** The HTTP application of the router. */
export function createRouterApp({ cells, directory, isProxy, log }: RouterDependencies): Koa {
  const app = new Koa()
  app.silent = true
  app.on('error', err => log.debug({ err }, 'connection'))
  app.use(trace(log))
  app.use(unreadBody)
  app.use(ownProblems)
  app.use(healthOf(directory).routes())
  app.use(keySets(cells, log))
  app.use(tenantOfPath().routes())
  app.use(forward({ cells, directory, isProxy }))
  return app
}

/** Answers of the router itself; those of cells pass as they are. */
const ownProblems: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    const problem = problemOf(ctx, error)
    if (ctx.res.headersSent) return void ctx.res.destroy()
    ctx.respond = true
    ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
    render(ctx, problem)
  }
}

/**
 * `/health/live`: the process runs. `/health/ready`: it knows the tenants of a cell, and is not about to stop. `/health/status`:
 * it can read the directories of all cells. `/metrics`: this process.
 */
function healthOf(directory: Directory): Router {
  const router = new Router()
  const ready: Checks = {
    async process() {
      if (stopping.aborted) throw new Error('it stops')
    },
    async directory() {
      if (!directory.isUsable()) throw new Error('no cell was read yet')
    },
  }
  router.use(['/health', '/metrics'], (ctx, next) => {
    ctx.set({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
    return next()
  })
  router.get('/health/live', ctx => {
    ctx.body = { status: 'live' }
  })
  router.get('/health/ready', ctx => answerHealth(ctx, ready))
  router.get('/health/status', ctx => {
    const cells = [...directory.isCurrent()].map(([name, isCurrent]) => {
      const check = async () => {
        if (!isCurrent) throw new Error('its database is away')
      }
      return [`cell ${name}`, check] as const
    })
    return answerHealth(ctx, { ...ready, ...Object.fromEntries(cells) })
  })
  router.get('/metrics', async ctx => {
    ctx.type = metricsType
    ctx.body = await metricsText()
  })
  // A cell's own are asked for at its own address.
  router.all(['/health/{*rest}', '/metrics/{*rest}'], ctx => {
    throw notFound(`The router has nothing at ${ctx.path}.`)
  })
  return router
}
