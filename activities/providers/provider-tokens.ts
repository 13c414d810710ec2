// Gets the access tokens with which we call providers (OAuth 2.0 client credentials), and caches them until they
// expire.
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  clientCredentialsGrant,
  customFetch,
  discovery,
  ResponseBodyError,
} from 'openid-client'
import type { TenantId } from '../../db/connect.js'
import type { ClientCredentialsGrant } from '../../db/glue/endpoints/settings.js'
import { type Outbound, OutboundFailed } from '../../runtime/outbound/outbound.js'
import { isRetryableStatus, ProviderFailed, retryAfterMs } from './provider-failed.js'

/**
 * How long before its expiry a token is renewed. A token that lives for less than a minute is renewed at half its life.
 */
const marginMs = 30_000
/** Assumed life of a token whose response does not state it. */
const unknownLifeMs = 300_000
/** How long a failure is remembered, so that a failing endpoint is not called by every request. */
const failureLifeMs = 1_000

/** Access tokens with which we call providers. */
export interface ProviderTokens {
  /**
   * Returns a token for these credentials, from the cache until shortly before it expires. Concurrent callers share one
   * request.
   * @param grant with evaluated templates.
   * @throws ProviderFailed
   */
  get(of: TokenOwner, grant: ClientCredentialsGrant): Promise<string>
  /** Drops a token that the provider refused, so that the next caller gets a new one. */
  drop(of: TokenOwner, token: string): void
}

export interface TokenOwner {
  tenant: TenantId
  provider: string
}

interface CachedToken {
  /** The credentials as JSON. A token is only used for the credentials that it was requested with. */
  grant: string
  token: Promise<string>
  /** The token itself, once it has arrived. */
  value?: string
  until: number
}

/** Creates a token cache that requests tokens through the guarded client. */
export function createProviderTokens({ outbound }: { outbound: Outbound }): ProviderTokens {
  const cache = new Map<string, CachedToken>()
  const nameOf = ({ tenant, provider }: TokenOwner) => `${tenant}/${provider}`

  return {
    get(of, grant) {
      const asked = JSON.stringify(grant)
      const known = cache.get(nameOf(of))
      if (known && known.grant === asked && Date.now() < known.until) return known.token
      const fresh: CachedToken = { grant: asked, token: ask(), until: Number.POSITIVE_INFINITY }
      cache.set(nameOf(of), fresh)
      return fresh.token

      async function ask(): Promise<string> {
        try {
          const { access_token: value, expires_in: seconds } = await requestToken(outbound, of.provider, grant)
          const lifeMs = seconds === undefined ? unknownLifeMs : seconds * 1000
          fresh.until = Date.now() + lifeMs - Math.min(marginMs, lifeMs / 2)
          fresh.value = value
          return value
        } catch (error) {
          fresh.until = Date.now() + failureLifeMs
          throw error
        }
      }
    },
    drop(of, token) {
      if (cache.get(nameOf(of))?.value === token) cache.delete(nameOf(of))
    },
  }
}

/**
 * Requests a token once. Errors carry a text of ours, because the endpoint's text may quote the request with its
 * secret.
 */
async function requestToken(outbound: Outbound, provider: string, grant: ClientCredentialsGrant) {
  let last: Response | undefined
  let unanswered: unknown
  const watched: CustomFetch = async (url, { body, ...options }) => {
    last = undefined
    try {
      last = await outbound.fetch(url, { ...options, body: body ?? null })
      return last
    } catch (error) {
      unanswered = error
      throw error
    }
  }
  try {
    const client = await clientOf(grant, watched)
    return await clientCredentialsGrant(client, grant.scope ? { scope: grant.scope } : {})
  } catch (error) {
    throw unanswered instanceof OutboundFailed
      ? callFailure(provider, unanswered)
      : answerFailure(provider, last, error)
  }
}

async function clientOf(grant: ClientCredentialsGrant, fetch: CustomFetch): Promise<Configuration> {
  const { authority = '', tokenUrl, clientId, clientSecret } = grant
  const client =
    tokenUrl === undefined
      ? // The guarded client decides whether http is allowed.
        await discovery(new URL(authority), clientId, undefined, secretAs(clientSecret, 'client_secret_basic'), {
          execute: [allowInsecureRequests],
          [customFetch]: fetch,
        })
      : new Configuration(
          { issuer: tokenUrl, token_endpoint: tokenUrl },
          clientId,
          undefined,
          secretAs(clientSecret, 'client_secret_post'),
        )
  client[customFetch] = fetch
  allowInsecureRequests(client)
  return client
}

/**
 * Sends the secret in the body if the endpoint allows it, because not all servers decode the header as the standard
 * encodes it.
 */
function secretAs(secret: string, unlessSaid: 'client_secret_post' | 'client_secret_basic'): ClientAuth {
  const post = ClientSecretPost(secret)
  const basic = ClientSecretBasic(secret)
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [unlessSaid]
    return (methods.includes('client_secret_post') ? post : basic)(server, ...rest)
  }
}

function callFailure(provider: string, { isFinal, reason, message }: OutboundFailed): ProviderFailed {
  return new ProviderFailed(
    isFinal ? reason : 'token-unavailable',
    `No token for the provider '${provider}': ${message}`,
    { retryable: !isFinal },
  )
}

function answerFailure(provider: string, answer: Response | undefined, error: unknown): ProviderFailed {
  const status = answer?.status
  if (status !== undefined && isRetryableStatus(status)) {
    const message = `No token for the provider '${provider}': the token endpoint answered ${status}`
    const waitMs = retryAfterMs(answer?.headers.get('retry-after'))
    return new ProviderFailed('token-unavailable', message, { retryable: true, status, retryAfterMs: waitMs })
  }
  // The standard's error codes are plain words. Anything else is the endpoint's own text and is not repeated.
  const code = error instanceof ResponseBodyError && /^[a-z_]{1,40}$/.test(error.error) ? ` (${error.error})` : ''
  const message = `No token for the provider '${provider}': ${
    status === undefined || status < 300
      ? 'what the token endpoint or its metadata says cannot be used'
      : `the token endpoint answered ${status}${code}`
  }`
  return new ProviderFailed('token-refused', message, { retryable: false, status })
}
