// Connects to Temporal and runs workers.
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from '@temporalio/client'
import { ApplicationFailure, type DataConverter } from '@temporalio/common'
import {
  type ActivityInterceptorsFactory,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker'
import type { Log } from '../observe/log.js'
import { unavailable } from '../problems/problem.js'
import { processName } from '../process/process-name.js'
import { repeat } from '../process/repeat.js'
import type { Config } from '../settings/config.js'
import { callsOf, type Temporal } from './calls.js'
import { CannotOpen, createPayloadCodec, refusalIn } from './payload-codec.js'
import { createFailureClock, type PollingWorker } from './polling.js'
import { startSpans, workerSpans } from './run-spans.js'
import { searchAttributes } from './search-attributes.js'
import { measureTemporalClock } from './temporal-clock.js'

/**
 * Adds the error to a log line of the SDK if it is ours about keys. Other errors are left out because they may quote
 * what people have sent.
 */
const withReason = (meta: { error?: unknown } = {}) =>
  meta.error instanceof CannotOpen ? { ...meta, err: meta.error } : meta

/**
 * Sets up the Temporal SDK: it leaves signals to the process and writes to our log. Must be called once in a process,
 * before any connection.
 * @param metricsAddress where the SDK serves its metrics; see runtime/observe/metrics.ts.
 */
export function installTemporalRuntime(log: Log, metricsAddress: string): void {
  const sdk = log.child({ component: 'temporal' })
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
    sdk[level](withReason(meta), message)
  Runtime.install({
    shutdownSignals: [],
    logger: {
      log: (level, message, meta) =>
        write(level === 'TRACE' ? 'debug' : (level.toLowerCase() as 'info'))(message, meta),
      trace: write('debug'),
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
    },
    telemetryOptions: {
      logging: { forward: {}, filter: 'ERROR' },
      metrics: {
        prometheus: {
          bindAddress: metricsAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
  })
}

/**
 * Returns the converter that clients, workers and replays share. It encrypts all values, including failures. The
 * workflow bundle is built with the same failure converter.
 * @param refused for workflow workers; see createPayloadCodec.
 */
export const dataConverter = (
  { encryptionKey, oldEncryptionKeys }: Pick<Config, 'encryptionKey' | 'oldEncryptionKeys'>,
  refused?: (error: Error) => void,
): DataConverter => ({
  payloadCodecs: [createPayloadCodec({ current: encryptionKey, old: oldEncryptionKeys }, { refused })],
  failureConverterPath: fileURLToPath(new URL('./failure-converter.js', import.meta.url)),
})

/** How often Temporal's clock is measured, in ms. */
const measureMs = 15_000

/**
 * Opens one connection for client and worker, which must share it for eager starts. @throws if the server does not
 * answer.
 */
async function connectTemporal(config: Config): Promise<Temporal> {
  const { temporal } = config
  const connection = await NativeConnection.connect(temporal.connection)
  const client = new Client({
    connection,
    namespace: temporal.namespace,
    dataConverter: dataConverter(config),
    interceptors: { workflow: startSpans() },
  })
  return { connection, call: callsOf(client) }
}

export interface TemporalWorker extends PollingWorker {
  /** Returns the connection in use. @throws Problem 503 while there is none. */
  current(): Temporal
  /** Gives tasks 4 s to end, waits for `others` that use the connection, and closes it. */
  stop(others?: Promise<unknown>): Promise<void>
}

/**
 * Runs a worker on a task queue for the life of the process. Reconnects as long as Temporal is unavailable, and starts
 * over if the worker fails. Once connected, the SDK itself waits out an outage.
 * @param options omit them to keep only the connection, without a worker.
 * @param connected must succeed before the worker polls.
 */
export function startWorker(
  config: Config,
  log: Log,
  options: (Pick<WorkerOptions, 'taskQueue' | 'activities'> & Partial<WorkerOptions>) | undefined,
  connected: (temporal: Temporal) => Promise<void> = async () => undefined,
): TemporalWorker {
  let temporal: Temporal | undefined
  let worker: Worker | undefined
  const failures = createFailureClock()

  /** Connects, and measures Temporal's clock before anything compares times with it. */
  async function connect(): Promise<Temporal> {
    const connected = await connectTemporal(config)
    // The first call has the queue made, which takes a while.
    for (let n = 0; n < 2; n++) await measure(connected)
    return connected
  }

  const measure = ({ call }: Temporal): Promise<void> =>
    measureTemporalClock(call, processName).catch(err =>
      log.warn({ err }, 'the clock of Temporal could not be measured'),
    )

  const endMeasuring = repeat(async () => {
    if (temporal) await measure(temporal)
    return measureMs
  })

  async function work(stopping: AbortSignal): Promise<void> {
    temporal ??= await connect()
    await registerSearchAttributes(temporal, config, log)
    await connected(temporal)
    if (!options) return aborted(stopping)
    worker = await createWorker(temporal, config, log, options)
    if (stopping.aborted) return
    failures.started()
    await worker.run().finally(failures.ended)
  }

  const end = repeat(async stopping => {
    await work(stopping).catch(err => log.error({ err }, 'Temporal worker'))
    return 1_000
  })

  return {
    current() {
      if (!temporal) throw unavailable('The workflow service')
      return temporal
    },
    isRunning: () => worker !== undefined && isPolling(worker),
    failingMs: failures.failingMs,
    async stop(others) {
      const ended = Promise.all([end(), endMeasuring()])
      if (worker?.getState() === 'RUNNING') worker.shutdown()
      await ended
      await others
      await temporal?.connection.close()
    },
  }
}

/** Tells whether a worker polls its queue. */
export function isPolling(worker: Worker): boolean {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus()
  return runState === 'RUNNING' && workflowPollerState !== 'FAILED' && activityPollerState !== 'FAILED'
}

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}

function createWorker(
  temporal: Temporal,
  config: Config,
  log: Log,
  options: Pick<WorkerOptions, 'taskQueue' | 'activities'> & Partial<WorkerOptions>,
): Promise<Worker> {
  return createActivityWorker(temporal, config, {
    dataConverter: dataConverter(config, err => log.warn({ err }, 'a payload was refused')),
    workflowBundle: { codePath: fileURLToPath(new URL('../../workflows/bundle.js', import.meta.url)) },
    workflowTaskPollerBehavior: { type: 'autoscaling' },
    maxCachedWorkflows: 500,
    ...options,
  })
}

/** Creates a worker that runs activities only. The caller runs it, and shuts it down before the connection closes. */
export function createActivityWorker(
  { connection }: Temporal,
  config: Config,
  options: Pick<WorkerOptions, 'taskQueue' | 'activities'> & Partial<WorkerOptions>,
): Promise<Worker> {
  const { interceptors, sinks } = workerSpans()
  return Worker.create({
    connection,
    namespace: config.temporal.namespace,
    dataConverter: dataConverter(config),
    activityTaskPollerBehavior: { type: 'autoscaling' },
    interceptors: { activity: [refuseUnsealed, ...interceptors] },
    sinks,
    shutdownGraceTime: '4s',
    shutdownForceTime: '5s',
    ...options,
  })
}

/** Fails an activity whose input was not sealed for its run, before it does anything. */
export const refuseUnsealed: ActivityInterceptorsFactory = () => ({
  inbound: {
    execute(input, next) {
      const why = refusalIn(input.args)
      if (why !== undefined) throw ApplicationFailure.nonRetryable(why, 'input-refused')
      return next(input)
    },
  },
})

/** Numbers of types in Temporal's API (`IndexedValueType`). */
const typeNumbers = { KEYWORD: 2, INT: 3 } as const

/** Registers missing search attributes if we are permitted to. On a hosted Temporal, an operator does it beforehand. */
async function registerSearchAttributes({ connection }: Temporal, { temporal }: Config, log: Log): Promise<void> {
  const operator = connection.operatorService
  try {
    const { customAttributes } = await operator.listSearchAttributes({ namespace: temporal.namespace })
    const missing = Object.values(searchAttributes).filter(({ name }) => !(name in customAttributes))
    if (missing.length === 0) return
    const wanted = Object.fromEntries(missing.map(({ name, type }) => [name, typeNumbers[type]]))
    await operator.addSearchAttributes({ namespace: temporal.namespace, searchAttributes: wanted })
  } catch (err) {
    log.warn({ err }, 'search attributes could not be checked')
  }
}
