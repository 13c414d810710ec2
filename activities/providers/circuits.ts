// Circuit breakers of providers. They report their states for operators to see.
import { setTimeout as sleep } from 'node:timers/promises'
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen, IterableBackoff } from 'cockatiel'
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { type Circuit, circuitStore, type CircuitState as StateName } from '../../db/glue/providers/circuits.js'
import type { Log } from '../../runtime/observe/log.js'
import { ProviderFailed } from './provider-failed.js'

/** How many failures in a row open a provider's circuit. */
const failuresToOpen = 5
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
   * @throws ProviderFailed 'circuit-open' with the time until the provider is tried again.
   */
  run<T>(of: { tenant: TenantId; provider: string }, work: () => Promise<T>): Promise<T>
}

interface CircuitOptions {
  db: Knex
  log: Pick<Log, 'info' | 'warn'>
  /** Name of this process, as in its heartbeat. */
  process: string
  failuresToOpen?: number
  restsMs?: number[]
}

/**
 * Creates circuit breakers that open after several transient failures in a row. A status of 429 does not count, because
 * a provider that asks for fewer calls is working. Each change of state is saved to the table `glue_circuits` for
 * operators; calls do not wait for that.
 */
export function createCircuits(options: CircuitOptions): Circuits {
  const circuits = new Map<string, OneCircuit>()
  return {
    run(of, work) {
      const key = `${of.tenant}/${of.provider}`
      const known = circuits.get(key)
      const circuit = known ?? circuitOf({ ...options, ...of })
      if (!known) circuits.set(key, circuit)
      return circuit(work)
    },
  }
}

type OneCircuit = <T>(work: () => Promise<T>) => Promise<T>

function circuitOf(options: CircuitOptions & { tenant: TenantId; provider: string }): OneCircuit {
  const { provider } = options
  const rests = options.restsMs ?? restsMs
  const saveState = createStateWriter(options)
  let opened = 0
  let closedUntil = 0
  let lastFailure: string | null = null

  const policy = circuitBreaker(handleWhen(countsAsFailure), {
    halfOpenAfter: new IterableBackoff(rests),
    breaker: new ConsecutiveBreaker(options.failuresToOpen ?? failuresToOpen),
  })
  // Any other error ends a trial without a result, for example when it is cancelled, so the circuit must open again.
  function countsAsFailure(error: unknown): boolean {
    if (!(error instanceof ProviderFailed)) return policy.state === CircuitState.HalfOpen
    if (!error.isTransient || error.status === 429) return false
    lastFailure = error.status === undefined ? error.reason : `${error.reason} ${error.status}`
    return true
  }
  policy.onStateChange(state => {
    if (state === CircuitState.Open) closedUntil = Date.now() + (rests[Math.min(opened++, rests.length - 1)] ?? 0)
    if (state === CircuitState.Closed) opened = 0
    saveState(names[state], lastFailure)
  })

  return async work => {
    const waitMs = policy.state === CircuitState.HalfOpen ? trialMs : closedUntil - Date.now()
    if (policy.state !== CircuitState.Closed && waitMs > 0) {
      const why = lastFailure === null ? '' : ` (${lastFailure})`
      const message = `The provider '${provider}' has failed${why} and is not called for a while`
      throw new ProviderFailed('circuit-open', message, {
        retryable: true,
        retryAfterMs: waitMs,
      })
    }
    return policy.execute(work)
  }
}

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
