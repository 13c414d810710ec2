// Serves a worker's health checks and its metrics.
import { createServer, type Server } from 'node:http'
import type { Knex } from 'knex'
import { metricsText, metricsType } from '../../runtime/observe/metrics.js'
import { buildId } from '../../runtime/process/build.js'
import { stopping } from '../../runtime/process/shutdown.js'
import { version } from '../../runtime/process/version.js'
import type { Polling } from '../../runtime/temporal/polling.js'

/** How long the database may take to answer, in ms. */
const timeoutMs = 3_000

interface Monitored {
  db: Knex
  polling: Polling
}

/**
 * Listens until the server is closed. If the port is taken, the process ends.
 * - `/health/live`: the process need not be restarted.
 * - `/health/ready`: it works. `checks` names what does not: the database, or a task queue that is not polled.
 * - `/metrics`: metrics of this process.
 */
export function serveMonitor(port: number, host: string, { db, polling }: Monitored): Server {
  const build = { version, build: buildId() }
  const server = createServer(async ({ url }, response) => {
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url === '/health/live') {
      const isLive = await polling.isLive()
      return json(isLive ? 200 : 503, { status: isLive ? 'live' : 'not live', ...build })
    }
    if (url === '/health/ready') {
      const database = await isAnswering(db)
      const states = { process: !stopping.aborted, database, ...polling.states() }
      const checks = Object.fromEntries(Object.entries(states).map(([name, isOk]) => [name, isOk ? 'ok' : 'down']))
      const isReady = Object.values(states).every(Boolean)
      return json(isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', checks, ...build })
    }
    if (url !== '/metrics') return json(404, { detail: 'A worker answers /health/live, /health/ready and /metrics.' })
    return response.writeHead(200, { 'content-type': metricsType }).end(await metricsText())
  })
  return server.listen(port, host)
}

const isAnswering = (db: Knex): Promise<boolean> =>
  db
    .raw('SELECT 1')
    .timeout(timeoutMs)
    .then(
      () => true,
      () => false,
    )
