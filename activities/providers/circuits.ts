// Circuit breakers of providers. They report their states for operators to see.
import { setTimeout as sleep } from 'node:timers/promises'
import { CircuitState, circuitBreaker, handleWhen, IterableBackoff, SamplingBreaker } from 'cockatiel'
import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import type { TenantId } from '../../db/connect.js'
import { type Circuit, circuitStore, type CircuitState as StateName } from '../../db/glue/providers/circuits.js'
import type { Log } from '../../runtime/observe/log.js'
import { ProviderFailed } from './provider-failed.js'

/** A provider's circuit opens when more than half of at least five calls within 30 s fail. */
const sampleMs = 30_000
const shareToOpen = 0.5
const callsToOpen = 5
/** The statuses that count, besides calls without an answer. Gateways answer them when a provider is away. */
const awayStatuses = [502, 503, 504]
/** How many runs with failures are remembered, so that their next ones do not count. */
const maxFailedRuns = 100
/**
 * How long a circuit stays open before one call may try the provider again. Each further failure of a trial takes the
 * next value.
 */
const restsMs = [10_000, 20_000, 40_000, 60_000]
/** How long a caller is told to wait while another call is trying the provider. */
const trialMs = 1_000
const saveAgainMs = 5_000

const names: Record<CircuitState, StateName> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  [CircuitState.Isolated]: 'open',
}

/** The circuit breakers of this process, one for each provider of each tenant. */
export interface Circuits {
  /**
   * Does the work, unless the provider's circuit is open.
   * @param of.run what the call is made for, such as a job. The failures of a run count once within 30 s, and a run
   * whose failure opened the circuit goes on trying. Without it, each call counts by itself.
   * @throws ProviderFailed 'circuit-open' with the time until the provider is tried again.
   */
  run<T>(of: CircuitOwner & { run?: string | undefined }, work: () => Promise<T>): Promise<T>
}

interface CircuitOwner {
  tenant: TenantId
  provider: string
}

interface CircuitOptions {
  db: Knex
  log: Pick<Log, 'info' | 'warn'>
  /** Name of this process, as in its heartbeat. */
  process: string
  restsMs?: number[]
}

/**
 * Creates circuit breakers that open when most calls get no answer, or one that says that the provider is away. Other
 * failures do not count: a provider that answers 429, or 500 for a certain record, is working. Each change of state is
 * saved to the table `glue_circuits` for operators; calls do not wait for that.
 */
export function createCircuits(options: CircuitOptions): Circuits {
  const circuits = new Map<string, OneCircuit>()
  return {
    run({ tenant, provider, run }, work) {
      const key = `${tenant}/${provider}`
      const known = circuits.get(key)
      const circuit = known ?? circuitOf({ ...options, tenant, provider })
      if (!known) circuits.set(key, circuit)
      return circuit(work, run)
    },
  }
}

type OneCircuit = <T>(work: () => Promise<T>, run: string | undefined) => Promise<T>

function circuitOf(options: CircuitOptions & CircuitOwner): OneCircuit {
  const { provider } = options
  const rests = options.restsMs ?? restsMs
  const saveState = createStateWriter(options)
  const failedRuns = new LRUCache<string, true>({ max: maxFailedRuns, ttl: sampleMs })
  let opened = 0
  let openUntil = 0
  let lastFailure: string | null = null
  let lastFailedRun: string | undefined
  let openedBy: string | undefined

  const policy = circuitBreaker(
    handleWhen(error => error instanceof CountedFailure),
    {
      halfOpenAfter: new IterableBackoff(rests),
      breaker: new SamplingBreaker({
        threshold: shareToOpen,
        duration: sampleMs,
        minimumRps: callsToOpen / (sampleMs / 1000),
      }),
    },
  )
  policy.onStateChange(state => {
    if (state === CircuitState.Open) {
      openUntil = Date.now() + (rests[Math.min(opened++, rests.length - 1)] ?? 0)
      openedBy = lastFailedRun
    }
    if (state === CircuitState.Closed) opened = 0
    saveState(names[state], lastFailure)
  })

  /**
   * Records a failure, and tells whether the circuit counts it. During a trial it also counts those of a run that has failed before and
   * errors of our own, such as a cancellation, because the trial has shown nothing and the circuit must open again.
   */
  function recordFailure(error: unknown, run: string | undefined): boolean {
    const isTrial = policy.state === CircuitState.HalfOpen
    if (!(error instanceof ProviderFailed)) return isTrial
    if (!error.isTransient || (error.status !== undefined && !awayStatuses.includes(error.status))) return false
    if (run !== undefined && failedRuns.has(run) && !isTrial) return false
    if (run !== undefined) failedRuns.set(run, true)
    lastFailure = error.status === undefined ? error.reason : `${error.reason} ${error.status}`
    lastFailedRun = run
    return true
  }

  return async (work, run) => {
    const waitMs = policy.state === CircuitState.HalfOpen ? trialMs : openUntil - Date.now()
    if (policy.state !== CircuitState.Closed && waitMs > 0) {
      if (run !== undefined && run === openedBy) return work()
      const why = lastFailure === null ? '' : ` (${lastFailure})`
      const message = `The provider '${provider}' has failed${why} and is not called for a while`
      throw new ProviderFailed('circuit-open', message, {
        retryable: true,
        retryAfterMs: waitMs,
      })
    }
    try {
      return await policy.execute(() =>
        work().catch((cause: unknown) => {
          throw recordFailure(cause, run) ? new CountedFailure('', { cause }) : cause
        }),
      )
    } catch (error) {
      throw error instanceof CountedFailure ? error.cause : error
    }
  }
}

/** Marks a failure for the breaker. Its cause is the failure. */
class CountedFailure extends Error {}

/**
 * Returns a function that saves a state. It writes one at a time, skips states that are outdated by then, and retries a
 * write that fails.
 */
function createStateWriter({
  db,
  log,
  process,
  tenant,
  provider,
}: CircuitOptions & { tenant: TenantId; provider: string }) {
  let next: Omit<Circuit, 'changed_at'> | undefined
  let isWriting = false

  async function write(): Promise<void> {
    isWriting = true
    while (next) {
      const row = next
      next = undefined
      await circuitStore(db, tenant)
        .save(row)
        .catch(async err => {
          log.warn({ err, tenant, provider }, 'the state of a provider could not be saved and is retried')
          next ??= row
          await sleep(saveAgainMs, undefined, { ref: false })
        })
    }
    isWriting = false
  }

  return (state: StateName, last_failure: string | null) => {
    log.info({ tenant, provider, state, lastFailure: last_failure }, 'the circuit of a provider changed')
    next = { provider_key: provider, process, state, last_failure }
    if (!isWriting) void write()
  }
}
