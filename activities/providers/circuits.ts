// Circuit breakers of providers, and their states for operators.
import { setTimeout as sleep } from 'node:timers/promises'
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen, IterableBackoff } from 'cockatiel'
import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { type Circuit, circuitStore, type CircuitState as StateName } from '../../db/glue/providers/circuits.js'
import type { Log } from '../../runtime/log.js'
import { ProviderFailed } from './provider-failed.js'

/** A provider is left alone after so many failures in a row. */
const failuresToOpen = 5
/** For how long, before a single call tries it again: longer each time in a row. */
const restsMs = [10_000, 20_000, 40_000, 60_000]
/** The failure of a call while another one tries the provider. */
const trialMs = 1_000
const saveAgainMs = 5_000

const names: Record<CircuitState, StateName> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  [CircuitState.Isolated]: 'open',
}

/** Circuit breakers of this process, one for each provider of each tenant. */
export interface Circuits {
  /**
   * Does the work unless the provider is left alone at the moment.
   * @throws ProviderFailed 'circuit-open' with the time until it is tried again.
   */
  run<T>(of: { tenant: TenantId; provider: string }, work: () => Promise<T>): Promise<T>
}

interface CircuitOptions {
  db: Knex
  log: Pick<Log, 'info' | 'warn'>
  /** Of this process, as in its heartbeat. */
  process: string
  failuresToOpen?: number
  restsMs?: number[]
}

/**
 * Opens a provider's circuit after transient failures in a row; 429 is none of them, for who says it is well.
 * Each change of state is noted in the table `glue_circuits`, for operators; no call waits for that.
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
  const note = noteOf(options)
  let opened = 0
  let closedUntil = 0
  let lastFailure: string | null = null

  const policy = circuitBreaker(handleWhen(counts), {
    halfOpenAfter: new IterableBackoff(rests),
    breaker: new ConsecutiveBreaker(options.failuresToOpen ?? failuresToOpen),
  })
  // A trial that is cancelled says nothing of the provider: the circuit stays as it was.
  function counts(error: unknown): boolean {
    if (!(error instanceof ProviderFailed)) return policy.state === CircuitState.HalfOpen
    if (!error.isTransient || error.status === 429) return false
    lastFailure = error.status === undefined ? error.reason : `${error.reason} ${error.status}`
    return true
  }
  policy.onStateChange(state => {
    if (state === CircuitState.Open) closedUntil = Date.now() + (rests[Math.min(opened++, rests.length - 1)] ?? 0)
    if (state === CircuitState.Closed) opened = 0
    note(names[state], lastFailure)
  })

  return async work => {
    const waitMs = policy.state === CircuitState.HalfOpen ? trialMs : closedUntil - Date.now()
    if (policy.state !== CircuitState.Closed && waitMs > 0) {
      const why = lastFailure === null ? '' : ` (${lastFailure})`
      const message = `The provider '${provider}' has failed${why} and is left alone for a while`
      throw new ProviderFailed('circuit-open', message, {
        retryable: true,
        retryAfterMs: waitMs,
      })
    }
    return policy.execute(work)
  }
}

/** Writes the newest state, one write at a time; one that fails is done again. */
function noteOf({ db, log, process, tenant, provider }: CircuitOptions & { tenant: TenantId; provider: string }) {
  let next: Circuit | undefined
  let isWriting = false

  async function write(): Promise<void> {
    isWriting = true
    while (next) {
      const row = next
      next = undefined
      await circuitStore(db, tenant)
        .save(row)
        .catch(async err => {
          log.warn({ err, tenant, provider }, 'the state of a provider is not noted yet')
          next ??= row
          await sleep(saveAgainMs, undefined, { ref: false })
        })
    }
    isWriting = false
  }

  return (state: StateName, last_failure: string | null) => {
    log.info({ tenant, provider, state, lastFailure: last_failure }, 'circuit of a provider')
    next = { provider_key: provider, process, state, last_failure, changed_at: new Date() }
    if (!isWriting) void write()
  }
}
