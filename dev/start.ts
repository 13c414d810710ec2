// `npm start`: runs the whole platform on one machine, for development and demonstration. It supervises MariaDB, Temporal,
// the API, the background worker and a data provider, restarts any that dies, and stops them all on Ctrl-C.
import { migrate } from '../db/migrate.js'
import { NoDatabase, requireDatabase } from '../db/reachable.js'
import { type Config, isLocal, readConfig } from '../runtime/settings/config.js'
import { writeAddresses } from '../runtime/settings/started-here.js'
import { NoTemporal, requireTemporal } from '../runtime/temporal/reachable.js'
import { demoForm } from './demo-forms.js'
import { whoDemoPeopleAre } from './demo-people.js'
import { applyDemoTenants } from './demo-tenants.js'
import { startDatabase } from './mariadb.js'
import { apiProgram, providerProgram, workerProgram } from './own-processes.js'
import { StartProblem } from './programs.js'
import {
  checkEnvironment,
  claimDataDir,
  encryptionKey,
  exportDirectory,
  makeDataDir,
  outboundAllow,
  requireDiskSpace,
  requirePorts,
  type StartSettings,
  startSettings,
} from './settings.js'
import { type Program, supervise, supervised } from './supervise.js'
import { startTemporal } from './temporal.js'

const log = (line: string) => console.log(line)
let stopped: Promise<void> | undefined

stopOnRequest()
try {
  await start()
} catch (error) {
  // If we were stopped while starting, errors of half-started programs are expected and not shown.
  if (!stopped) {
    console.error(error instanceof StartProblem ? error.message : error)
    await stop(1)
  }
}

async function start(): Promise<void> {
  const settings = startSettings(process.env)
  const checked = checkEnvironment(settings, process.env)
  await requirePorts(settings)
  makeDataDir(settings)
  requireDiskSpace(settings.dataDir)
  claimDataDir(settings)
  await requireServers(settings, checked)

  const [databaseUrl, temporal] = await Promise.all([database(settings), temporalServer(settings, checked)])
  const env = {
    ...process.env,
    ...temporal,
    OUTBOUND_ALLOW: outboundAllow(settings, process.env),
    PORT: String(settings.port),
    METRICS_PORT: String(settings.metricsPort),
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: process.env.ENCRYPTION_KEY || encryptionKey(settings.dataDir),
    EXPORT_DIRECTORY: exportDirectory(settings, process.env),
  }
  await migrate(databaseUrl)
  const { secretHashCost } = checked
  const demo = { encryptionKey: env.ENCRYPTION_KEY, providerUrl: providerUrl(settings), secretHashCost }
  await applyDemoTenants(databaseUrl, demo)
  log('Schema, demo tenants and forms are up to date')

  const config = readConfig(env)
  await startOurOwn(config, env, settings)
  if (stopped) return
  writeAddresses(settings.dataDir, { url: config.publicUrl, providerUrl: providerUrl(settings) })
  log(whereThingsAre(config, settings))
}

/**
 * Checks servers that are not ours, before anything is downloaded and started.
 * @throws StartProblem
 */
async function requireServers({ databaseUrl, temporalAddress }: StartSettings, { temporal }: Config) {
  try {
    if (databaseUrl) await requireDatabase(databaseUrl)
    if (temporalAddress) await requireTemporal(temporal)
  } catch (error) {
    throw error instanceof NoDatabase || error instanceof NoTemporal ? new StartProblem(error.message) : error
  }
}

async function database({ databaseUrl, databasePort, dataDir }: StartSettings): Promise<string> {
  if (databaseUrl) return databaseUrl
  const { url, port } = await startDatabase({ dataDir, log, ...(databasePort ? { port: databasePort } : {}) })
  log(`Database answers on 127.0.0.1:${port}`)
  return url
}

async function temporalServer(settings: StartSettings, { host, publicUrl }: Config): Promise<NodeJS.ProcessEnv> {
  if (settings.temporalAddress) return { TEMPORAL_ADDRESS: settings.temporalAddress }
  // The Temporal UI here has no login, so it cannot send the token that the codec endpoint asks for. If everything is local,
  // the endpoint does without.
  const opensForUi = process.env.TEMPORAL_CODEC_LOCAL_UI !== 'false' && isLocal(host, publicUrl)
  const { address } = await startTemporal({
    dataDir: settings.dataDir,
    port: settings.temporalPort,
    uiPort: settings.temporalUiPort,
    namespace: process.env.TEMPORAL_NAMESPACE || 'default',
    log,
    ...(opensForUi ? { codecEndpoint: `${publicUrl}/temporal/codec` } : {}),
  })
  log(`Temporal answers on ${address}`)
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_UI_URL: `http://127.0.0.1:${settings.temporalUiPort}`,
    TEMPORAL_CODEC_LOCAL_UI: String(opensForUi),
  }
}

function providerUrl({ providerPort }: StartSettings): string {
  return `http://127.0.0.1:${providerPort}`
}

async function startOurOwn(config: Config, env: NodeJS.ProcessEnv, settings: StartSettings): Promise<void> {
  log('Starting the API, the worker and the data provider')
  const answersReady = async () => {
    const answer = await fetch(`http://${reachable(config)}:${config.port}/health/status`, {
      signal: AbortSignal.timeout(5_000),
    })
    if (!answer.ok) throw new Error(`/health/status answers ${answer.status}: ${await answer.text()}`)
  }
  // The provider answers 401 without a token, which still shows that it is up.
  const providerAnswers = () => fetch(providerUrl(settings), { signal: AbortSignal.timeout(5_000) })
  const run = (program: Program) => supervise(program, { logDir: settings.logDir, log })
  const provider = run(providerProgram({ ...process.env, PROVIDER_PORT: String(settings.providerPort) }))
  const programs = [apiProgram(env), workerProgram(env)].map(run)
  await Promise.all([provider.ready(providerAnswers), ...programs.map(program => program.ready(answersReady))])
}

/** Returns the host at which this machine reaches what the API serves. */
function reachable({ host }: Config): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
}

function whereThingsAre(config: Config, settings: StartSettings): string {
  const { publicUrl, identity, temporal, exports } = config
  return `
Armature is running.

  API          ${publicUrl}
  Console      ${publicUrl}/console/
  Docs         ${publicUrl}/docs
  A form       ${publicUrl}/demo/SinglePass/${demoForm}
  OpenAPI      ${publicUrl}/openapi.json
  Identity     ${identity.authority}
  Metrics      http://${reachable(config)}:${settings.metricsPort}/metrics
  Temporal UI  ${temporal.uiUrl}
  Provider     ${providerUrl(settings)}, a register of vaccinations for the demo, and where its forms are sent
  Data         ${settings.dataDir}
  Exports      ${exports.directory}, where exports of forms with the destination "directory" go
  Logs         ${settings.logDir}

${whoDemoPeopleAre()}

Next: ${demoCommand()}, in another terminal, imports 38,000 real places and 10,000 invented people. Ctrl-C here stops everything.`
}

/** Returns the command that runs the demo here. It finds the addresses in the data directory. */
function demoCommand(): string {
  const { DATA_DIR } = process.env
  return `${DATA_DIR ? `DATA_DIR=${DATA_DIR} ` : ''}npm run demo`
}

/**
 * Stops everything on Ctrl-C, on a signal and when the terminal closes. Also watches for the end of npm, because the shell
 * that npm runs us in may not pass a signal on.
 */
function stopOnRequest(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
  // When the terminal is gone, printing fails. That must not interrupt the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  if (!process.env.npm_lifecycle_event) return
  const npm = process.ppid
  setInterval(() => process.ppid !== npm && void stop(0), 500).unref()
}

/** Stops all programs within 15 seconds, each after those that depend on it, and ends this process. */
function stop(exitCode: number): Promise<void> {
  stopped ??= (async () => {
    if (supervised.size > 0) log('\nStopping…')
    const deadline = Date.now() + 14_000
    await stopPrograms(['api', 'worker', 'provider'], 6_000)
    await stopPrograms(['temporal'], 3_000)
    // The database gets the remaining time, since a clean end saves it the recovery at the next start.
    await stopPrograms(['mariadb'], deadline - Date.now())
    process.exit(exitCode)
  })()
  return stopped
}

async function stopPrograms(names: string[], withinMs: number): Promise<void> {
  const programs = [...supervised].filter(program => names.includes(program.name))
  await Promise.all(programs.map(program => program.stop(withinMs)))
}
