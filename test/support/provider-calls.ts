// Calls providers directly, without an endpoint.
import pino from 'pino'
import { inject } from 'vitest'
import { createCircuits } from '../../activities/providers/circuits.js'
import { createProviderCalls, ProviderFailed, type ProviderRequest } from '../../activities/providers/provider-calls.js'
import { connect } from '../../db/connect.js'
import { noGlueSettings, type Provider } from '../../db/glue/endpoints/settings.js'
import { createOutbound } from '../../runtime/outbound/outbound.js'
import { aKey } from './api.js'
import { sharedEvaluator } from './expressions.js'

/** Makes the settings of a provider, with all defaults filled in. */
export const providerAt = (url: string, more: Partial<Provider> = {}): Provider => ({
  key: aKey('p'),
  url,
  alsoKnownAs: [],
  limits: {},
  timeoutSeconds: 20,
  retrySeconds: 900,
  maxAnswerMb: 1,
  ...more,
})

export const secretValue = 'a-secret-that-nobody-sees'

/** Calls providers as a worker does, and collects the log. Circuits are stored in the database of the shared stack. */
export function providerCalls(options: {
  allow: string[]
  tenant?: number
  process?: string
  variables?: Record<string, string>
  /** Hosts that the secrets may go to; by default those that are allowed. */
  hosts?: string[]
  restsMs?: number[]
}) {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => lines.push(line) })
  const db = connect(inject('databaseUrl'), { poolSize: 2 })
  const outbound = createOutbound(options)
  const { process = aKey('process'), restsMs } = options
  const circuits = createCircuits({ db, log, process, ...(restsMs && { restsMs }) })
  const calls = createProviderCalls({ outbound, circuits, evaluator: sharedEvaluator })
  const hosts = options.hosts ?? options.allow
  const secrets = { secret: { value: secretValue, hosts }, wrong: { value: 'wrong', hosts } }
  const settings = { ...noGlueSettings, variables: options.variables ?? {} }
  // By default a number that no tenant has.
  const tenant = { id: options.tenant ?? 4_000_000_000 + Math.floor(Math.random() * 200_000_000), key: 'any' }
  const call = (request: Partial<ProviderRequest> & { url: string }) =>
    calls.call(tenant, { settings, secrets }, { kind: 'request', method: 'GET', headers: {}, ...request })
  return {
    db,
    lines,
    calls,
    process,
    call,
    /** Makes a call that must fail. @returns the failure. @throws Error if the call succeeds or fails in another way. */
    async failure(request: Parameters<typeof call>[0]): Promise<ProviderFailed> {
      const failure: unknown = await call(request).catch((error: unknown) => error)
      if (failure instanceof ProviderFailed) return failure
      throw new Error(`No ProviderFailed: ${failure instanceof Error ? failure.stack : JSON.stringify(failure)}`)
    },
    async stop() {
      await outbound.close()
      await db('glue_circuits').where({ tenant_id: tenant.id }).delete()
      await db.destroy()
    },
  }
}
