// Reads and checks the settings of `npm start`, and marks its data directory as in use.
import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import { type Config, readConfig } from '../runtime/settings/config.js'
import { portFrom, requireFreePorts } from './ports.js'
import { StartProblem } from './programs.js'

/** The settings of `npm start`, from its environment. docs/settings.md explains the variables. */
export interface StartSettings {
  dataDir: string
  logDir: string
  /** Address and port of the API. */
  host: string
  port: number
  metricsPort: number
  temporalPort: number
  temporalUiPort: number
  /** Port of the demo's data provider. */
  providerPort: number
  /** Port of the private database server. Undefined to let it choose one. */
  databasePort: number | undefined
  /** Address of a database to use instead of starting one; likewise `temporalAddress`. */
  databaseUrl: string | undefined
  temporalAddress: string | undefined
}

/** Reads the settings. @throws StartProblem that names the variable which is wrong. */
export function startSettings(env: NodeJS.ProcessEnv): StartSettings {
  const dataDir = resolve(projectRoot, env.DATA_DIR || '.data')
  return {
    dataDir,
    logDir: join(dataDir, 'logs'),
    host: env.HOST || '127.0.0.1',
    port: portFrom(env, 'PORT', 3000),
    metricsPort: portFrom(env, 'METRICS_PORT', 9464),
    temporalPort: portFrom(env, 'TEMPORAL_PORT', 7233),
    temporalUiPort: portFrom(env, 'TEMPORAL_UI_PORT', 8233),
    providerPort: portFrom(env, 'PROVIDER_PORT', 3100),
    databasePort: env.DATABASE_PORT ? portFrom(env, 'DATABASE_PORT', 0) : undefined,
    databaseUrl: env.DATABASE_URL || undefined,
    temporalAddress: env.TEMPORAL_ADDRESS || undefined,
  }
}

/**
 * Checks every port that we are going to listen on, before anything is started.
 * @throws StartProblem that names the variable of each port that is taken.
 */
export async function requirePorts(settings: StartSettings): Promise<void> {
  const { host, port, metricsPort, temporalPort, temporalUiPort, providerPort, databasePort } = settings
  await requireFreePorts({
    PORT: { port, host },
    METRICS_PORT: { port: metricsPort, host },
    PROVIDER_PORT: { port: providerPort },
    ...(settings.temporalAddress
      ? {}
      : { TEMPORAL_PORT: { port: temporalPort }, TEMPORAL_UI_PORT: { port: temporalUiPort } }),
    ...(settings.databaseUrl || !databasePort ? {} : { DATABASE_PORT: { port: databasePort } }),
  })
}

/**
 * Checks the environment of our own processes before anything is started. Values that are chosen only later, such as the
 * address of the database, are replaced by placeholders.
 * @throws StartProblem that names every wrong variable, or if the demo tenants must not be created here because their
 * secrets are public.
 */
export function checkEnvironment(settings: StartSettings, env: NodeJS.ProcessEnv): Config {
  const config = configOf(settings, env)
  // Without DATABASE_URL the demo tenants go into our own database, which only this machine can reach.
  const isWanted = env.DEMO_TENANTS === 'yes'
  if (config.allowsPublishedSecrets && (isWanted || !settings.databaseUrl)) return config
  const where = settings.databaseUrl
    ? 'the database of DATABASE_URL'
    : 'an API that others can reach (HOST, PUBLIC_URL) or NODE_ENV=production'
  throw new StartProblem(
    `npm start is refused: it makes the demo tenants, whose secrets everybody knows, for ${where}.\n` +
      '  To do so on a network that you trust, set DEMO_TENANTS=yes (not with NODE_ENV=production).\n' +
      '  For real tenants, run the migration, npm run api and npm run worker: docs/install.md.',
  )
}

function configOf(settings: StartSettings, env: NodeJS.ProcessEnv): Config {
  try {
    const key = env.ENCRYPTION_KEY || Buffer.alloc(32).toString('base64')
    const DATABASE_URL = settings.databaseUrl ?? 'mysql://later/armature'
    return readConfig({ ...env, DATABASE_URL, ENCRYPTION_KEY: key, OUTBOUND_ALLOW: outboundAllow(settings, env) })
  } catch (error) {
    throw new StartProblem(error instanceof Error ? error.message : String(error))
  }
}

/** Adds the demo provider to OUTBOUND_ALLOW. It listens on loopback, where the platform calls only listed addresses. */
export function outboundAllow({ providerPort }: StartSettings, env: NodeJS.ProcessEnv): string {
  return [env.OUTBOUND_ALLOW, `127.0.0.1:${providerPort}`].filter(Boolean).join(',')
}

/** Makes the data directory. @throws StartProblem if it cannot be written. */
export function makeDataDir({ dataDir }: StartSettings): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    throw new StartProblem(`${dataDir} cannot be written (${why}): set DATA_DIR to a directory of yours.`)
  }
}

/**
 * Marks the data directory as in use until this process ends.
 * @throws StartProblem if another living process uses it.
 */
export function claimDataDir({ dataDir }: StartSettings): void {
  const holder = holderOf(dataDir)
  if (holder !== undefined && holder !== process.pid) {
    throw new StartProblem(
      `${dataDir} is in use by another npm start (process ${holder}): stop that one, or set DATA_DIR to another directory.`,
    )
  }
  const file = claimOf(dataDir)
  writeFileSync(file, `${process.pid} ${startTime('self')}\n`)
  process.once('exit', () => rmSync(file, { force: true }))
}

/** Free disk space that `npm start` asks for, in bytes: enough for MariaDB, Temporal, their programs and some work. */
const neededBytes = 2 * 1024 ** 3

/** @throws StartProblem if the disk of the data directory is nearly full. */
export function requireDiskSpace(dataDir: string, needed = neededBytes): void {
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize >= needed) return
  const gb = (bytes: number) => (bytes / 1024 ** 3).toFixed(1)
  throw new StartProblem(
    `The disk of ${dataDir} has ${gb(bavail * bsize)} GB left, and ${gb(needed)} GB are needed: make room, or set DATA_DIR to a directory on another disk.`,
  )
}

/** Returns the id of the living process that uses a data directory, or undefined. */
export function holderOf(dataDir: string): number | undefined {
  const file = claimOf(dataDir)
  const [pid, started] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []
  if (!pid || !isAlive(Number(pid)) || (started ?? '') !== startTime(pid)) return undefined
  return Number(pid)
}

const claimOf = (dataDir: string): string => join(dataDir, 'armature.pid')

/** Returns the key that encrypts secrets at rest. It is generated once; without it, they could never be read again. */
export function encryptionKey(dataDir: string): string {
  const file = join(dataDir, 'encryption.key')
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** Returns the directory for exports of forms: EXPORT_DIRECTORY, which must exist, or one that is created under `dataDir`. */
export function exportDirectory({ dataDir }: StartSettings, env: NodeJS.ProcessEnv): string {
  if (env.EXPORT_DIRECTORY) return env.EXPORT_DIRECTORY
  const directory = join(dataDir, 'exports')
  mkdirSync(directory, { recursive: true })
  return directory
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Returns when a process was started, to notice that its id has been reused by another. Only Linux tells; elsewhere the
 * text is empty.
 */
function startTime(pid: string): string {
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) return ''
  // The start time is field 22. Counted from behind field 2, the name in parentheses, which may itself contain spaces.
  return readFileSync(stat, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? ''
}
