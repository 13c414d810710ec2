// Starts database, Temporal, API and worker for tests.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { applyDemoTenants } from '../../dev/demo-tenants.js'
import { startDatabase } from '../../dev/mariadb.js'
import { apiProgram, workerProgram } from '../../dev/own-processes.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { startTemporal } from '../../dev/temporal.js'
import { projectRoot } from '../../runtime/process/version.js'
import { minHashCost } from '../../runtime/secrets/secrets.js'
import type { DatabaseServer } from './database-servers.js'
import { clockAhead, clockSeconds, loading, moveAway } from './modes.js'
import { claimPorts } from './ports.js'
import { isReady, isUp, type RunningStack } from './running-stack.js'
import { refuseUndeclared } from './undeclared.js'

/** NODE_OPTIONS for an API that runs a garbage collection at SIGUSR2. */
export const collecting = loading('collect-garbage.mjs')

/** A stack that a test file has started for itself, because it needs other settings. */
export interface Stack extends RunningStack {
  /** Starts another worker. */
  addWorker(env?: NodeJS.ProcessEnv): Supervised
  /** Ends Temporal for good. */
  stopTemporal(): Promise<void>
  stop(): Promise<void>
}

const quiet = () => undefined

/**
 * Starts database, Temporal, API and worker on free ports, with the demo tenants, and waits until all are ready. If DATABASE_URL is set,
 * uses a scratch database on that server.
 * @param settingsOf.temporal dynamic configuration of Temporal, as `key=value`.
 * @param settingsOf.keptIn a directory that keeps the data for a later start with the same ENCRYPTION_KEY.
 * @param settingsOf.database a running server to use. It keeps running when the stack stops.
 * @param settingsOf.clockSeconds how far the API's clock is ahead, and the worker's behind; by default that of the mode.
 * @param settingsOf.distanceMs added to each round trip to the database and to Temporal; by default that of the mode.
 */
export async function startStack(
  env: NodeJS.ProcessEnv = {},
  settingsOf: {
    temporal?: readonly string[]
    keptIn?: string
    database?: Pick<DatabaseServer, 'url' | 'process'>
    clockSeconds?: number
    distanceMs?: number
  } = {},
): Promise<Stack> {
  const ahead = settingsOf.clockSeconds ?? clockSeconds
  const dataDir = settingsOf.keptIn ?? (await mkdtemp(join(tmpdir(), 'armature-stack-')))
  const logDir = join(dataDir, 'logs')
  const exportDir = join(dataDir, 'exports')
  await mkdir(exportDir, { recursive: true })
  const claimed = await claimPorts()
  // There must be more ports than all test files start providers, because no port is used twice.
  const [port = 0, metricsPort = 0, workerPort = 0, temporalPort = 0, uiPort = 0, databasePort = 0, ...providerPorts] =
    claimed.ports
  const [database, temporal] = await Promise.all([
    settingsOf.database
      ? { ...settingsOf.database, stop: async () => {} }
      : startScratchDatabase(dataDir, databasePort),
    startTemporal({
      dataDir,
      binDir: join(projectRoot, '.data', 'bin'),
      port: temporalPort,
      uiPort,
      namespace: 'default',
      settings: settingsOf.temporal ?? [],
      log: quiet,
    }),
  ])
  const moved = await moveAway(database.url, temporal.address, settingsOf.distanceMs)
  const encryptionKey = env.ENCRYPTION_KEY ?? randomBytes(32).toString('base64')
  const baseUrl = `http://127.0.0.1:${port}`
  await migrate(database.url)
  const providerUrl = `http://127.0.0.1:${providerPorts[0]}`
  await applyDemoTenants(database.url, { encryptionKey, providerUrl, secretHashCost: minHashCost })
  const settings = {
    ...process.env,
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    PUBLIC_URL: '',
    IDENTITY_AUTHORITY: '',
    DATABASE_URL: moved.databaseUrl,
    TEMPORAL_ADDRESS: moved.temporalAddress,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_UI_URL: `http://127.0.0.1:${uiPort}`,
    EXPORT_DIRECTORY: exportDir,
    SECRET_HASH_COST: String(minHashCost),
    // All tests call from the same address, so the limit per address must not apply.
    WRONG_CREDENTIALS_PER_MINUTE: '1000000',
    // A test may call from another address by sending X-Forwarded-For.
    TRUSTED_PROXIES: '127.0.0.1',
    OUTBOUND_ALLOW: providerPorts.map(each => `127.0.0.1:${each}`).join(','),
    ...env,
    ENCRYPTION_KEY: encryptionKey,
  }
  const api = supervise(
    apiProgram({ ...settings, ...clockAhead(ahead, loading('collect-garbage.mjs', env.NODE_OPTIONS)) }),
    { logDir, log: quiet },
  )
  const workerEnv = { ...settings, ...clockAhead(-ahead, env.NODE_OPTIONS), WORKER_PORT: String(workerPort) }
  const worker = supervise(workerProgram(workerEnv), { logDir, log: quiet })
  const added: Supervised[] = []
  await api.ready(() => isReady(baseUrl))

  return {
    baseUrl,
    metricsUrl: `http://127.0.0.1:${metricsPort}`,
    workerUrl: `http://127.0.0.1:${workerPort}`,
    databaseUrl: database.url,
    temporalAddress: temporal.address,
    encryptionKey,
    providerPorts,
    api,
    worker,
    temporal: temporal.process,
    database: database.process,
    dataDir,
    exportDir,
    ready: () => isUp(baseUrl),
    addWorker(env = {}) {
      const name = `worker-${added.length + 2}`
      const another = supervise({ ...workerProgram({ ...settings, ...env }), name }, { logDir, log: quiet })
      added.push(another)
      return another
    },
    stopTemporal: () => temporal.process.stop(),
    async stop() {
      await Promise.all([api, worker, ...added].map(program => program.stop()))
      await Promise.all([temporal.stop(), database.stop(), moved.stop()])
      await claimed.release()
      const log = await readFile(api.logFile, 'utf8')
      if (settingsOf.keptIn === undefined) await rm(dataDir, { recursive: true, force: true })
      refuseUndeclared(log)
    },
  }
}

/**
 * Creates a scratch database on the server of DATABASE_URL, to be dropped at the end, or else starts a server. On Vitess, where a keyspace
 * is not made by a statement, uses the one of DATABASE_URL.
 */
async function startScratchDatabase(dataDir: string, port: number) {
  const given = process.env.DATABASE_URL
  if (!given) return startDatabase({ dataDir, port, log: quiet })
  const name = `armature_test_${randomBytes(6).toString('hex')}`
  const server = connect(given, { poolSize: 1 })
  const [[{ version }]] = await server.raw('SELECT VERSION() AS version')
  if (version.endsWith('-Vitess')) return { url: given, process: undefined, stop: () => server.destroy() }
  await server.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [name])
  const url = new URL(given)
  url.pathname = `/${name}`
  return {
    url: url.href,
    process: undefined,
    async stop() {
      await server.raw('DROP DATABASE ??', [name])
      await server.destroy()
    },
  }
}
