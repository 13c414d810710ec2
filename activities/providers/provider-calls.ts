// HTTP calls of providers, with their credentials, limits of time and size, and circuit breakers.
import type { TenantId } from '../../db/connect.js'
import { explained, mayNotGo, secretNamed } from '../../db/glue/endpoints/secret-hosts.js'
import {
  type ClientCredentialsGrant,
  isIdempotent,
  type OpenedGlue,
  type Provider,
} from '../../db/glue/endpoints/settings.js'
import type { Evaluator, Kind } from '../../runtime/expressions/expressions.js'
import { NotEvaluated } from '../../runtime/expressions/parsed-texts.js'
import { type Outbound, type OutboundAnswer, OutboundFailed } from '../../runtime/outbound/outbound.js'
import type { Circuits } from './circuits.js'
import { isRejection, isRetryableStatus, ProviderFailed, retryAfterMs } from './provider-failed.js'
import { createProviderTokens, type OpenedGrant } from './provider-tokens.js'

export { ProviderFailed } from './provider-failed.js'

/** Limits of a call that names no provider. */
const withoutProvider = { timeoutSeconds: 30, maxAnswerMb: 1 }

export interface ProviderRequest {
  /**
   * The provider, whose limits and credentials apply. Without one, the limits are 30 s and 1 MB, and no credentials are
   * sent.
   */
  provider?: Provider | undefined
  method: string
  /** Whether repeating the call does no harm. If undefined, the method decides. */
  idempotent?: boolean | undefined
  /** An absolute address. With a provider, it must have the provider's origin. */
  url: string
  headers: Record<string, string>
  body?: string | undefined
  /** `follow`, the default, follows redirects within the origin. `manual` returns a redirect as the answer. */
  redirect?: 'follow' | 'manual' | undefined
  /** For calls without a provider that are retried without end: names a circuit breaker of the tenant for them. */
  circuit?: string | undefined
  /** Whose limits the templates of the provider's credentials have. */
  kind: Kind
  /** What the call is made for, such as a job. Its failures count once for the circuit breaker. */
  run?: string | undefined
  signal?: AbortSignal | undefined
}

/** An answer with any status except those that invite a retry, which count as failures. */
export type ProviderAnswer = OutboundAnswer

export interface ProviderCalls {
  /**
   * Makes one call. It is not repeated here: the workflow retries the activity after `retryAfterMs` if the failure is
   * `retryable`, so that waiting takes no worker slot and survives the process. The one exception is a token that the
   * provider refuses with 401; it is replaced, and the call is made once more.
   * @throws ProviderFailed
   * @throws CredentialsNotEvaluated
   * @throws the signal's reason when the caller gives up
   */
  call(tenant: { id: TenantId; key: string }, glue: OpenedGlue, request: ProviderRequest): Promise<ProviderAnswer>
}

export interface ProviderCallsDependencies {
  outbound: Outbound
  circuits: Circuits
  evaluator: Evaluator
}

/**
 * Creates the calls of tenants' providers. All go through the guarded client, which keeps them from private addresses.
 */
export function createProviderCalls({ outbound, circuits, evaluator }: ProviderCallsDependencies): ProviderCalls {
  const tokens = createProviderTokens({ outbound })

  return {
    async call({ id: tenant }, glue, request) {
      const { provider, circuit, kind, run } = request
      if (!provider) {
        const call = () => sendOnce(request)
        return circuit === undefined ? call() : circuits.run({ tenant, provider: circuit, run }, call)
      }
      requireSameOrigin(provider, request.url)
      return circuits.run({ tenant, provider: provider.key, run }, async () => {
        const { authentication } = provider
        // An Authorization header of the step itself takes precedence over the provider's credentials.
        if (!authentication || hasAuthorization(request.headers)) return sendOnce(request)
        const owner = { tenant, provider: provider.key }
        const { variables } = glue.settings
        const fill = (text: string) => evaluator.template(tenant, kind, text, { variables })
        const grant = await rendered(authentication, provider, glue, new URL(request.url).host, fill)
        const call = async () => {
          const token = await unlessGivenUp(tokens.get(owner, grant), request.signal)
          const headers = { ...request.headers, authorization: `Bearer ${token}` }
          const answer = await sendOnce({ ...request, headers }).catch((error: unknown) => {
            if (error instanceof ProviderFailed && error.status === 401) tokens.drop(owner, token)
            throw error
          })
          if (answer.status === 401) tokens.drop(owner, token)
          return answer
        }
        const answer = await call()
        return answer.status === 401 ? call() : answer
      })
    },
  }

  /**
   * Sends one request and returns its answer.
   * @throws ProviderFailed
   */
  async function sendOnce({ provider, redirect = 'follow', ...request }: ProviderRequest): Promise<ProviderAnswer> {
    const { timeoutSeconds, maxAnswerMb } = provider ?? withoutProvider
    const limits = { timeoutMs: timeoutSeconds * 1000, maxBytes: maxAnswerMb * 1024 * 1024 }
    const target = provider ? `The provider '${provider.key}'` : 'The address'
    const { method, idempotent, url, headers, body, signal } = request
    const repeats = isIdempotent({ method, idempotent })
    const answer = await outbound
      .send({ method, url, headers, body, signal, redirect, ...limits })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundFailed)) throw error
        throw new ProviderFailed(error.reason, `${target} gave no answer: ${error.message}`, {
          isTransient: !error.isFinal,
          retryable: !error.isFinal && (repeats || !error.isSent),
        })
      })
    const { status } = answer
    const waitMs = retryAfterMs(answer.headers['retry-after'])
    if (!isRetryableStatus(status, waitMs)) return answer
    throw new ProviderFailed('status', `${target} answered ${status}`, {
      isTransient: true,
      // After a redirect, the first request has been carried out even if the second was rejected.
      retryable: repeats || (isRejection(status, waitMs) && !answer.isRedirected),
      status,
      retryAfterMs: waitMs,
    })
  }
}

/** A template of a provider's credentials could not be evaluated. A retry with the same variables would fail too. */
export class CredentialsNotEvaluated extends NotEvaluated {
  constructor(
    { message, missing, lacked }: NotEvaluated,
    /** Pointer of the template in the manifest. */
    readonly pointer: string,
  ) {
    super(message, missing, lacked)
  }
}

/**
 * Evaluates the templates of a provider's credentials.
 * @throws CredentialsNotEvaluated
 */
async function rendered(
  grant: ClientCredentialsGrant,
  { key }: Provider,
  glue: OpenedGlue,
  host: string,
  evaluate: (text: string) => Promise<string>,
): Promise<OpenedGrant> {
  const { settings } = glue
  const at = `/glue/providers/${settings.providers.findIndex(provider => provider.key === key)}/authentication`
  const evaluated = <T>(member: keyof ClientCredentialsGrant, value: Promise<T>): Promise<T> =>
    value.catch((error: unknown) => {
      const reason = explained(error, glue, undefined)
      throw reason instanceof NotEvaluated ? new CredentialsNotEvaluated(reason, `${at}/${member}`) : reason
    })
  const fill = (member: keyof ClientCredentialsGrant, text: string) => evaluated(member, evaluate(text))
  const openSecret = async () => {
    const secret = secretNamed(glue, grant.clientSecret)
    // The provider gets a token for the secret, so it must be one of the secret's hosts, as the token endpoint.
    if (!secret.hosts.includes(host)) throw new NotEvaluated(mayNotGo(secret.name, host))
    return secret
  }
  const { name, value, hosts } = await evaluated('clientSecret', openSecret())
  return {
    authority: grant.authority && (await fill('authority', grant.authority)),
    tokenUrl: grant.tokenUrl && (await fill('tokenUrl', grant.tokenUrl)),
    clientId: await fill('clientId', grant.clientId),
    clientSecret: value,
    secretName: name,
    secretHosts: hosts,
    scope: grant.scope && (await fill('scope', grant.scope)),
  }
}

/** Refuses an address at another origin, so that a template cannot send a provider's credentials elsewhere. */
function requireSameOrigin({ key, url: base }: Provider, url: string): void {
  if (URL.canParse(url) && new URL(url).origin === new URL(base).origin) return
  throw new ProviderFailed('other-host', `The address is not at the provider '${key}'`, { retryable: false })
}

/**
 * Waits for a token until the call that needs it is given up. The request for the token goes on, because others may wait for
 * it too.
 * @throws the signal's reason when the caller gives up
 */
async function unlessGivenUp(token: Promise<string>, signal: AbortSignal | undefined): Promise<string> {
  if (!signal) return token
  let giveUp = () => {}
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([token, givenUp])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

const hasAuthorization = (headers: Record<string, string>): boolean =>
  Object.keys(headers).some(name => name.toLowerCase() === 'authorization')
