// The settings of `npm start`.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../runtime/settings/config.js'
import { portFrom, requireFreePorts } from './ports.js'
import { projectRoot, StartProblem } from './programs.js'

/** The settings of `npm start` in its environment. docs/settings.md explains the variables. */
export interface StartSettings {
  dataDir: string
  logDir: string
  /** Address and port of the API. */
  host: string
  port: number
  temporalPort: number
  temporalUiPort: number
  /** Of the data provider of the demo. */
  providerPort: number
  /** A port for the private database server, when one was asked for. */
  databasePort: number | undefined
  /** Real services to use instead of starting our own. */
  databaseUrl: string | undefined
  temporalAddress: string | undefined
}

/** @throws StartProblem naming the variable that is wrong. */
export function startSettings(env: NodeJS.ProcessEnv): StartSettings {
  const dataDir = resolve(projectRoot, env.DATA_DIR || '.data')
  return {
    dataDir,
    logDir: join(dataDir, 'logs'),
    host: env.HOST || '127.0.0.1',
    port: portFrom(env, 'PORT', 3000),
    temporalPort: portFrom(env, 'TEMPORAL_PORT', 7233),
    temporalUiPort: portFrom(env, 'TEMPORAL_UI_PORT', 8233),
    providerPort: portFrom(env, 'PROVIDER_PORT', 3100),
    databasePort: env.DATABASE_PORT ? portFrom(env, 'DATABASE_PORT', 0) : undefined,
    databaseUrl: env.DATABASE_URL || undefined,
    temporalAddress: env.TEMPORAL_ADDRESS || undefined,
  }
}

/**
 * Checks every port we are going to listen on, before anything is started.
 * @throws StartProblem naming the variable of each port that is taken.
 */
export async function requirePorts(settings: StartSettings): Promise<void> {
  const { host, port, temporalPort, temporalUiPort, providerPort, databasePort } = settings
  await requireFreePorts({
    PORT: { port, host },
    PROVIDER_PORT: { port: providerPort },
    ...(settings.temporalAddress
      ? {}
      : { TEMPORAL_PORT: { port: temporalPort }, TEMPORAL_UI_PORT: { port: temporalUiPort } }),
    ...(settings.databaseUrl || !databasePort ? {} : { DATABASE_PORT: { port: databasePort } }),
  })
}

/**
 * Checks the environment of our own processes, before anything is started; what we choose ourselves later is given a stand-in here.
 * @throws StartProblem with every wrong variable, or where the demo tenants, whose secrets are public, must not be made.
 */
export function checkEnvironment(settings: StartSettings, env: NodeJS.ProcessEnv): Config {
  const config = configOf(settings, env)
  // They go into a database of our own that this machine alone reaches.
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
    const DATABASE_URL = settings.databaseUrl ?? 'mysql://later'
    return readConfig({ ...env, DATABASE_URL, ENCRYPTION_KEY: key, OUTBOUND_ALLOW: outboundAllow(settings, env) })
  } catch (error) {
    throw new StartProblem(error instanceof Error ? error.message : String(error))
  }
}

/** The provider listens on loopback, where nothing is called unless it is listed. */
export function outboundAllow({ providerPort }: StartSettings, env: NodeJS.ProcessEnv): string {
  return [env.OUTBOUND_ALLOW, `127.0.0.1:${providerPort}`].filter(Boolean).join(',')
}

/**
 * Marks the data directory as ours until the process ends.
 * @throws StartProblem when a living process has marked it.
 */
export function claimDataDir({ dataDir }: StartSettings): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
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

/** The living process that has marked a data directory. */
export function holderOf(dataDir: string): number | undefined {
  const file = claimOf(dataDir)
  const [pid, started] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []
  if (!pid || !isAlive(Number(pid)) || (started ?? '') !== startTime(pid)) return undefined
  return Number(pid)
}

const claimOf = (dataDir: string): string => join(dataDir, 'armature.pid')

/** The key that seals secrets at rest: generated once, then kept, since without it they cannot be read again. */
export function encryptionKey(dataDir: string): string {
  const file = join(dataDir, 'encryption.key')
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** Where exports of forms go: EXPORT_DIRECTORY, which must exist, or else a directory that is made with the other data. */
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

/** When a process was started, since process ids are used again; empty where the system does not say (only Linux does). */
function startTime(pid: string): string {
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) return ''
  // Field 22; the second field, the name in parentheses, may itself contain spaces.
  return readFileSync(stat, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? ''
}
