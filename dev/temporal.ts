// Starts a Temporal development server.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { searchAttributes } from '../runtime/temporal/search-attributes.js'
import type { LogLine } from './programs.js'
import { type Supervised, supervise } from './supervise.js'
import { temporalBinary } from './temporal-binary.js'

/** A Temporal development server, and how to reach it. */
export interface TemporalServer {
  /** host:port of the frontend. */
  address: string
  process: Supervised
  stop(withinMs?: number): Promise<void>
}

// By default the server reads each of its queues at most 20 times a second, so every step waits up to 50 ms. With these
// limits a workflow with one activity takes 28 ms instead of 100. Fairness shares a backlog between tenants.
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=2000',
  'matching.enableFairness=true',
  // Makes runs whose workflow task failed three times in a row searchable by TemporalReportedProblems.
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=3',
]

// The state is in a file, so that workflows survive a restart. With a write-ahead log this costs nothing compared to memory;
// with SQLite's defaults it would cost half of the throughput.
const sqlitePragmas = ['journal_mode=wal', 'synchronous=1']

/**
 * Starts a Temporal development server on 127.0.0.1 with its state under `dataDir`, and restarts it whenever it dies.
 * Resolves when the server knows the namespace.
 * @param uiPort port of the Temporal UI. Without it, there is no UI.
 * @param codecEndpoint address at which the UI gets encrypted payloads decrypted.
 * @param binDir directory for the downloaded program, by default `<dataDir>/bin`.
 * @param settings further dynamic configuration, as `key=value`.
 * @throws StartProblem if the program cannot be downloaded or does not start.
 */
export async function startTemporal(options: {
  dataDir: string
  binDir?: string
  port: number
  uiPort?: number
  codecEndpoint?: string
  namespace?: string
  settings?: readonly string[]
  log: LogLine
}): Promise<TemporalServer> {
  const { dataDir, port, uiPort, codecEndpoint, namespace = 'default', settings = [], log } = options
  const logDir = join(dataDir, 'logs')
  const state = join(dataDir, 'temporal')
  mkdirSync(logDir, { recursive: true })
  mkdirSync(state, { recursive: true })
  const command = await temporalBinary({ binDir: options.binDir ?? join(dataDir, 'bin'), logDir, log })
  const program = supervise(
    {
      name: 'temporal',
      command,
      args: [
        ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
        ...(uiPort ? ['--ui-port', String(uiPort), '--ui-disable-news-fetch'] : ['--headless']),
        ...(codecEndpoint ? ['--ui-codec-endpoint', codecEndpoint] : []),
        ...['--namespace', namespace, '--db-filename', join(state, 'temporal.db')],
        ...sqlitePragmas.flatMap(pragma => ['--sqlite-pragma', pragma]),
        ...[...dynamicConfig, ...settings].flatMap(setting => ['--dynamic-config-value', setting]),
        ...Object.values(searchAttributes).flatMap(({ name, type }) => [
          '--search-attribute',
          `${name}=${type === 'INT' ? 'Int' : 'Keyword'}`,
        ]),
        // The user's own configuration of the CLI is meant for other clusters and must not affect this server.
        ...['--disable-config-file', '--disable-config-env', '--log-format', 'json'],
      ],
    },
    { logDir, log },
  )
  const address = `127.0.0.1:${port}`
  try {
    await program.ready(() => describe(address, namespace))
  } catch (error) {
    await program.stop()
    throw error
  }
  return { address, process: program, stop: program.stop }
}

/** Rejects unless the server answers and knows the namespace. */
async function describe(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' })
  try {
    await connection.withDeadline(Date.now() + 2_000, () => connection.workflowService.describeNamespace({ namespace }))
  } finally {
    await connection.close()
  }
}
