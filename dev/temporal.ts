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

// The server reads each of its queues at most 20 times a second, so every step would wait up to 50 ms. Without these
// limits a workflow with one activity takes 28 ms instead of 100. Fairness shares a backlog between tenants.
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=2000',
  'matching.enableFairness=true',
  // Runs whose task has failed three times in a row are found by TemporalReportedProblems.
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=3',
]

// In a file and not in memory, so that a restart goes on with what was running. With a write-ahead log that costs
// nothing; with SQLite's defaults half of the throughput.
const sqlitePragmas = ['journal_mode=wal', 'synchronous=1']

/**
 * Starts a Temporal development server on 127.0.0.1 with its state under `dataDir`, and restarts it when it dies.
 * Resolves when it answers for the namespace.
 * @param uiPort port of the Temporal UI; without it there is no UI.
 * @param codecEndpoint where the UI has sealed payloads opened.
 * @param binDir where the program is kept once obtained; default `<dataDir>/bin`.
 * @param settings further dynamic configuration, as `key=value`.
 * @throws StartProblem when the program cannot be obtained or does not start.
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
        ...Object.values(searchAttributes).flatMap(({ name }) => ['--search-attribute', `${name}=Keyword`]),
        // The person's own settings are for the clusters they work with, not for this server.
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

/** Whether the server answers for the namespace. */
async function describe(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' })
  try {
    await connection.withDeadline(Date.now() + 2_000, () => connection.workflowService.describeNamespace({ namespace }))
  } finally {
    await connection.close()
  }
}
