// Access tokens of the platform at providers (OAuth 2.0 client credentials), cached until they expire.
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
import { type Outbound, OutboundFailed } from '../../runtime/outbound.js'
import { isRetryableStatus, ProviderFailed, retryAfterMs } from './provider-failed.js'

/** A token is renewed so long before it expires; one that lives shorter than twice that at half its life. */
const marginMs = 30_000
/** The life of a token whose answer does not say. */
const unknownLifeMs = 300_000
/** A failure is remembered so long, so that an endpoint in trouble is not hammered. */
const failureLifeMs = 1_000

/** Access tokens of ours at providers. */
export interface ProviderTokens {
  /**
   * The token for these credentials: kept until shortly before it expires; callers at the same time share one request.
   * @param grant its members are rendered. @throws ProviderFailed
   */
  get(of: TokenOwner, grant: ClientCredentialsGrant): Promise<string>
  /** The provider did not take this token: the next caller gets another. */
  drop(of: TokenOwner, token: string): void
}

export interface TokenOwner {
  tenant: TenantId
  provider: string
}

interface Kept {
  /** The credentials, as JSON: others mean another token. */
  grant: string
  token: Promise<string>
  /** Set once the token is here. */
  value?: string
  until: number
}

/** By OAuth 2.0 client credentials, through the guarded client. */
export function createProviderTokens({ outbound }: { outbound: Outbound }): ProviderTokens {
  const kept = new Map<string, Kept>()
  const nameOf = ({ tenant, provider }: TokenOwner) => `${tenant}/${provider}`

  return {
    get(of, grant) {
      const asked = JSON.stringify(grant)
      const known = kept.get(nameOf(of))
      if (known && known.grant === asked && Date.now() < known.until) return known.token
      const fresh: Kept = { grant: asked, token: ask(), until: Number.POSITIVE_INFINITY }
      kept.set(nameOf(of), fresh)
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
      if (kept.get(nameOf(of))?.value === token) kept.delete(nameOf(of))
    },
  }
}

/** Asks once. The error has a text of ours: the endpoint may quote the request. */
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
    throw unanswered instanceof OutboundFailed ? ofCall(provider, unanswered) : ofAnswer(provider, last, error)
  }
}

async function clientOf(grant: ClientCredentialsGrant, fetch: CustomFetch): Promise<Configuration> {
  const { authority = '', tokenUrl, clientId, clientSecret } = grant
  const client =
    tokenUrl === undefined
      ? // The guarded client decides about http.
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

/** In the body where the metadata allows it: in the header not all servers decode what the standard encodes. */
function secretAs(secret: string, unlessSaid: 'client_secret_post' | 'client_secret_basic'): ClientAuth {
  const post = ClientSecretPost(secret)
  const basic = ClientSecretBasic(secret)
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [unlessSaid]
    return (methods.includes('client_secret_post') ? post : basic)(server, ...rest)
  }
}

function ofCall(provider: string, { isFinal, reason, message }: OutboundFailed): ProviderFailed {
  return new ProviderFailed(
    isFinal ? reason : 'token-unavailable',
    `No token for the provider '${provider}': ${message}`,
    { retryable: !isFinal },
  )
}

function ofAnswer(provider: string, answer: Response | undefined, error: unknown): ProviderFailed {
  const status = answer?.status
  if (status !== undefined && isRetryableStatus(status)) {
    const message = `No token for the provider '${provider}': the token endpoint answered ${status}`
    const waitMs = retryAfterMs(answer?.headers.get('retry-after'))
    return new ProviderFailed('token-unavailable', message, { retryable: true, status, retryAfterMs: waitMs })
  }
  // The standard's error codes are words; anything else is the endpoint's own text.
  const code = error instanceof ResponseBodyError && /^[a-z_]{1,40}$/.test(error.error) ? ` (${error.error})` : ''
  const message = `No token for the provider '${provider}': ${
    status === undefined || status < 300
      ? 'what the token endpoint or its metadata says cannot be used'
      : `the token endpoint answered ${status}${code}`
  }`
  return new ProviderFailed('token-refused', message, { retryable: false, status })
}
