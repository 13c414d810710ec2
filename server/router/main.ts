// The router before the APIs of all cells: `npm run router`.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDirectory } from '../../db/cells/directory.js'
import { connect } from '../../db/connect.js'
import { cellSetting, readRouterConfig } from '../../runtime/config.js'
import { createLog } from '../../runtime/log.js'
import { onShutdown } from '../../runtime/shutdown.js'
import { activeIds, startTracing } from '../../runtime/tracing.js'
import { httpServer } from '../http-server.js'
import { createRouterApp } from './app.js'
import { cellCalls } from './cell-calls.js'
import { keepDirectory } from './directory.js'

const config = readRouterConfig(process.env)
const log = createLog('router', config.logLevel, config.traces ? activeIds : undefined)
const stopTracing = config.traces && (await startTracing('armature-router', log, config.traces))

// A cell whose database hangs is known to be away after some seconds.
const databases = [...config.cells].map(
  ([name, { databaseUrl }]) =>
    [name, connect(databaseUrl, { poolSize: 2, silenceMs: 3_000, setting: cellSetting(name), log })] as const,
)
const cells = [...config.cells].map(([name, { address }]) => cellCalls(name, address))
const directory = await keepDirectory(new Map(databases.map(([name, db]) => [name, () => readDirectory(db)])), log)

const server = httpServer(createRouterApp({ cells, directory, isProxy: config.isProxy, log }))
server.listen(config.port, config.host)
await once(server, 'listening')
log.info({ port: config.port, cells: cells.map(({ name }) => name) }, 'router listens')

async function shutdown(): Promise<void> {
  // As the API: load balancers see that it is not ready, and until then requests are answered.
  await sleep(config.drainMs)
  const closed = new Promise(resolve => server.close(resolve))
  server.closeIdleConnections()
  await Promise.race([closed, sleep(8_000)])
  server.closeAllConnections()
  await directory.stop()
  await Promise.all([...cells.map(cell => cell.close()), ...databases.map(([, db]) => db.destroy())])
  await stopTracing?.()
}
onShutdown(log, shutdown, config.drainMs)
