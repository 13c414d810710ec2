// Starts database, Temporal, API and worker for tests.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { applyDemoTenants } from '../../dev/demo-tenants.js'
import { startDatabase } from '../../dev/mariadb.js'
import { apiProgram, workerProgram } from '../../dev/own-processes.js'
import { projectRoot } from '../../dev/programs.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { startTemporal } from '../../dev/temporal.js'
import { minHashCost } from '../../runtime/secrets/secrets.js'
import type { DatabaseServer } from './database-servers.js'
import { startDistance } from './distance.js'
import { claimPorts } from './ports.js'
import { isReady, isUp, type RunningStack } from './running-stack.js'
import { refuseUndeclared } from './undeclared.js'

/** NODE_OPTIONS for an API that runs a garbage collection at SIGUSR2, added to those of this process (such as a debugger's). */
export const collecting = `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(join(projectRoot, 'test', 'support', 'collect-garbage.mjs'))}`

/** Makes settings for a process whose clock is ahead by this many seconds, or behind if the number is negative. */
const clockAhead = (seconds: number) => ({
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${pathToFileURL(join(projectRoot, 'test', 'support', 'clock-offset.mjs'))}`,
  CLOCK_OFFSET_MS: String(seconds * 1_000),
})

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
 * @param settingsOf.clockSeconds how far the API's clock is ahead, and the worker's behind; by default FAULT_CLOCK_SECONDS or 0.
 * @param settingsOf.distanceMs added to each round trip to the database and to Temporal; by default FAULT_DISTANCE_MS or 0.
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
  const {
    clockSeconds = Number(process.env.FAULT_CLOCK_SECONDS ?? 0),
    distanceMs = Number(process.env.FAULT_DISTANCE_MS ?? 0),
  } = settingsOf
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
  const distances = distanceMs > 0 ? await moveAway([database.url, `tcp://${temporal.address}`], distanceMs) : undefined
  const [databaseUrl = database.url, temporalUrl = `tcp://${temporal.address}`] = distances?.urls ?? []
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
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: new URL(temporalUrl).host,
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
  const ahead = clockAhead(clockSeconds)
  const apiClock = clockSeconds === 0 ? {} : { ...ahead, NODE_OPTIONS: `${ahead.NODE_OPTIONS} ${collecting}` }
  const workerClock = clockSeconds === 0 ? {} : clockAhead(-clockSeconds)
  const api = supervise(apiProgram({ ...settings, NODE_OPTIONS: collecting, ...apiClock }), { logDir, log: quiet })
  const worker = supervise(workerProgram({ ...settings, ...workerClock, WORKER_PORT: String(workerPort) }), {
    logDir,
    log: quiet,
  })
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
      await Promise.all([temporal.stop(), database.stop(), distances?.stop()])
      await claimed.release()
      const log = await readFile(api.logFile, 'utf8')
      if (settingsOf.keptIn === undefined) await rm(dataDir, { recursive: true, force: true })
      refuseUndeclared(log)
    },
  }
}

/** Puts a delaying proxy in front of each server. @returns the addresses of the proxies. */
async function moveAway(urls: readonly string[], distanceMs: number) {
  const proxies = await Promise.all(urls.map(url => startDistance(Number(new URL(url).port || 3306), distanceMs)))
  return {
    urls: urls.map((url, n) => {
      const moved = new URL(url)
      moved.port = String(proxies[n]?.port)
      return moved.href
    }),
    stop: () => Promise.all(proxies.map(proxy => proxy.stop())),
  }
}

/** Creates a scratch database on the server of DATABASE_URL, to be dropped at the end, or else starts a server. */
async function startScratchDatabase(dataDir: string, port: number) {
  const given = process.env.DATABASE_URL
  if (!given) return startDatabase({ dataDir, port, log: quiet })
  const name = `armature_test_${randomBytes(6).toString('hex')}`
  const server = connect(given, { poolSize: 1 })
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
