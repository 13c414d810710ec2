// The background worker process: `npm run worker`.
import { EventEmitter } from 'node:events'
import { hostname } from 'node:os'
import { connect } from '../db/connect.js'
import { clientStore } from '../db/identity/clients.js'
import { sayAlive } from '../db/jobs/workers.js'
import { readConfig } from '../runtime/config.js'
import { createLog } from '../runtime/log.js'
import { onStop } from '../runtime/stop.js'
import { installTemporalRuntime, keepWorker } from '../runtime/temporal.js'
import { queues } from '../workflows/jobs/contracts.js'
import { createGrants } from './auth/grants.js'
import { createTokenValidator } from './auth/validate-token.js'
import { createActivities } from './create-activities.js'
import { createMailer } from './mail.js'

const config = readConfig(process.env)
const log = createLog('worker', config.logLevel)
installTemporalRuntime(log)

const db = connect(config.databaseUrl, { poolSize: config.databasePoolSize, log })
const activities = createActivities({
  db,
  log,
  grants: createGrants({ clients: clientStore(db) }),
  tokens: createTokenValidator({ ...config.identity, log }),
  // Nobody waits in this process.
  ends: new EventEmitter(),
  mailer: config.smtp && createMailer(config.smtp),
})
const worker = keepWorker(config, log, {
  taskQueue: queues.background,
  activities,
  maxConcurrentActivityTaskExecutions: 10,
})

const name = `${hostname()}/${process.pid}`
const alive = setInterval(() => {
  if (!worker.isRunning()) return
  sayAlive(db, name, queues.background).catch(err => log.warn({ err }, 'heartbeat'))
}, 2_000)

onStop(log, async () => {
  clearInterval(alive)
  await worker.stop()
  await db.destroy()
})
log.info('worker started')
