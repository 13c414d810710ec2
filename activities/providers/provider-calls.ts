// HTTP calls to providers: credentials, limits of time and size, circuit breaker.
import type { TenantId } from '../../db/connect.js'
import {
  type ClientCredentialsGrant,
  isIdempotent,
  type OpenedGlue,
  type Provider,
} from '../../db/glue/endpoints/settings.js'
import { NotEvaluated } from '../../runtime/author-text.js'
import { type Outbound, type OutboundAnswer, OutboundFailed } from '../../runtime/outbound.js'
import { render } from '../../runtime/templates.js'
import type { Circuits } from './circuits.js'
import { isRejection, isRetryableStatus, ProviderFailed, retryAfterMs } from './provider-failed.js'
import { createProviderTokens } from './provider-tokens.js'

export { ProviderFailed } from './provider-failed.js'

/** Of a call to no provider of the manifest. */
const withoutProvider = { timeoutSeconds: 30, maxAnswerMb: 1 }

export interface ProviderRequest {
  /** Whose limits and credentials count; without one: 30 s, 1 MB, no credentials. */
  provider?: Provider | undefined
  method: string
  /** Whether the call may be made again after it may have been carried out; by default what its method says. */
  idempotent?: boolean | undefined
  /** Absolute; with a provider, on its host. */
  url: string
  headers: Record<string, string>
  body?: string | undefined
  /** Redirects are followed, to the same origin; `manual`: they are an answer. */
  redirect?: 'follow' | 'manual' | undefined
  /** Without a provider: name of a circuit breaker of the tenant, for what is tried again for as long as it takes. */
  circuit?: string | undefined
  signal?: AbortSignal | undefined
}

/** Any status but 408, 425, 429 and 5xx, whose calls have failed. */
export type ProviderAnswer = OutboundAnswer

export interface ProviderCalls {
  /**
   * Calls once; a workflow retries the activity where the failure is `retryable`, after `retryAfterMs`. So a pause
   * takes no slot and survives the process. Only an access token that the provider refuses (401) is replaced and tried
   * once more.
   * @throws ProviderFailed
   * @throws CredentialsNotEvaluated
   * @throws the signal's reason when the caller gives up
   */
  call(tenant: { id: TenantId; key: string }, glue: OpenedGlue, request: ProviderRequest): Promise<ProviderAnswer>
}

export interface ProviderCallsDependencies {
  outbound: Outbound
  circuits: Circuits
}

/** Calls of tenants' providers: guarded, with their credentials, limits of time and size, and circuit breakers. */
export function createProviderCalls({ outbound, circuits }: ProviderCallsDependencies): ProviderCalls {
  const tokens = createProviderTokens({ outbound })

  return {
    async call({ id: tenant }, glue, request) {
      const { provider, circuit } = request
      if (!provider) {
        const call = () => answered(request)
        return circuit === undefined ? call() : circuits.run({ tenant, provider: circuit }, call)
      }
      stayAt(provider, request.url)
      return circuits.run({ tenant, provider: provider.key }, async () => {
        const { authentication } = provider
        // A step that says how to authenticate means it.
        if (!authentication || hasAuthorization(request.headers)) return answered(request)
        const owner = { tenant, provider: provider.key }
        const grant = rendered(authentication, provider, glue)
        const call = async () => {
          const token = await tokens.get(owner, grant)
          const answer = await answered({
            ...request,
            headers: { ...request.headers, authorization: `Bearer ${token}` },
          })
          if (answer.status === 401) tokens.drop(owner, token)
          return answer
        }
        const answer = await call()
        return answer.status === 401 ? call() : answer
      })
    },
  }

  /** One request and its answer. @throws ProviderFailed */
  async function answered({ provider, redirect = 'follow', ...request }: ProviderRequest): Promise<ProviderAnswer> {
    const { timeoutSeconds, maxAnswerMb } = provider ?? withoutProvider
    const limits = { timeoutMs: timeoutSeconds * 1000, maxBytes: maxAnswerMb * 1024 * 1024 }
    const called = provider ? `The provider '${provider.key}'` : 'The address'
    const { method, idempotent, url, headers, body, signal } = request
    const repeats = isIdempotent({ method, idempotent })
    const answer = await outbound
      .send({ method, url, headers, body, signal, redirect, ...limits })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundFailed)) throw error
        throw new ProviderFailed(error.reason, `${called} gave no answer: ${error.message}`, {
          isTransient: !error.isFinal,
          retryable: !error.isFinal && (repeats || !error.isSent),
        })
      })
    const { status } = answer
    if (!isRetryableStatus(status)) return answer
    const waitMs = retryAfterMs(answer.headers['retry-after'])
    throw new ProviderFailed('status', `${called} answered ${status}`, {
      isTransient: true,
      // Where a redirect led elsewhere, the first request has been carried out.
      retryable: repeats || (isRejection(status, waitMs) && !answer.isRedirected),
      status,
      retryAfterMs: waitMs,
    })
  }
}

/** A template of a provider's credentials could not be worked out. The same variables fail again. */
export class CredentialsNotEvaluated extends NotEvaluated {
  constructor(
    { message, missing, lacked }: NotEvaluated,
    /** Of the template in the manifest. */
    readonly pointer: string,
  ) {
    super(message, missing, lacked)
  }
}

/** @throws CredentialsNotEvaluated */
function rendered(
  grant: ClientCredentialsGrant,
  { key }: Provider,
  { settings, variables }: OpenedGlue,
): ClientCredentialsGrant {
  const at = `/glue/providers/${settings.providers.findIndex(provider => provider.key === key)}/authentication`
  const fill = (member: keyof ClientCredentialsGrant, text: string) => {
    try {
      return render(text, { variables })
    } catch (error) {
      throw error instanceof NotEvaluated ? new CredentialsNotEvaluated(error, `${at}/${member}`) : error
    }
  }
  return {
    authority: grant.authority && fill('authority', grant.authority),
    tokenUrl: grant.tokenUrl && fill('tokenUrl', grant.tokenUrl),
    clientId: fill('clientId', grant.clientId),
    clientSecret: fill('clientSecret', grant.clientSecret),
    scope: grant.scope && fill('scope', grant.scope),
  }
}

/** Keeps a provider's credentials from other hosts, whatever a template made of the address. */
function stayAt({ key, url: base }: Provider, url: string): void {
  if (URL.canParse(url) && new URL(url).origin === new URL(base).origin) return
  throw new ProviderFailed('other-host', `The address is not at the provider '${key}'`, { retryable: false })
}

const hasAuthorization = (headers: Record<string, string>): boolean =>
  Object.keys(headers).some(name => name.toLowerCase() === 'authorization')
