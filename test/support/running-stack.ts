// Describes running stacks, above all the one that all files of a test run share.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { pidFileOf, type Supervised } from '../../dev/supervise.js'
import { until } from './until.js'

/** A process that tests may signal. It is started again when it dies. */
export type Victim = Pick<Supervised, 'name' | 'pid' | 'logFile'>

/** The addresses and processes of a running platform. */
export interface RunningStack {
  baseUrl: string
  /** Address of the API's metrics. */
  metricsUrl: string
  /** Address of the worker, for its health and metrics. */
  workerUrl: string
  databaseUrl: string
  temporalAddress: string
  /** ENCRYPTION_KEY of its processes. */
  encryptionKey: string
  /** Ports on 127.0.0.1 where nothing listens yet, and which the API and the worker may call. */
  providerPorts: number[]
  api: Victim
  worker: Victim
  temporal: Victim
  /** Undefined if DATABASE_URL names the server, because tests must not kill a server that is not ours. */
  database: Victim | undefined
  dataDir: string
  /** EXPORT_DIRECTORY of its processes. */
  exportDir: string
  /** Resolves when the API answers. */
  ready(): Promise<void>
}

/** Returns the stack that shared-stack.ts has started. Its processes are found by their pid files. */
export function sharedStack(): RunningStack {
  const [baseUrl, dataDir] = [inject('baseUrl'), inject('dataDir')]
  const logDir = join(dataDir, 'logs')
  const victim = (name: string): Victim => ({
    name,
    logFile: join(logDir, `${name}.log`),
    get pid() {
      return readPid(pidFileOf(logDir, name))
    },
  })
  return {
    baseUrl,
    metricsUrl: inject('metricsUrl'),
    workerUrl: inject('workerUrl'),
    databaseUrl: inject('databaseUrl'),
    temporalAddress: inject('temporalAddress'),
    encryptionKey: inject('encryptionKey'),
    providerPorts: inject('providerPorts'),
    api: victim('api'),
    worker: victim('worker'),
    temporal: victim('temporal'),
    database: process.env.DATABASE_URL ? undefined : victim('mariadb'),
    dataDir,
    exportDir: inject('exportDir'),
    ready: () => isUp(baseUrl),
  }
}

/** Reads a process id from a pid file. Returns undefined while the process does not run. */
function readPid(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Waits until the API is ready, which may take a while after a kill. */
export const isUp = (baseUrl: string): Promise<void> =>
  until(
    'the API is ready',
    () =>
      isReady(baseUrl).then(
        () => true,
        () => false,
      ),
    120_000,
  ).then(() => undefined)

/** @throws Error unless `/health/status` answers 200. */
export async function isReady(baseUrl: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/health/status`, { signal: AbortSignal.timeout(5_000) })
  if (!answer.ok) throw new Error(await answer.text())
}
