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
import { mayNotGo } from '../../db/glue/endpoints/secret-hosts.js'
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
  get(of: TokenOwner, grant: OpenedGrant): Promise<string>
  /** Drops a token that the provider refused, so that the next caller gets a new one. */
  drop(of: TokenOwner, token: string): void
}

/** Credentials with evaluated templates. */
export interface OpenedGrant extends ClientCredentialsGrant {
  /** Name of the client secret, for messages. */
  secretName: string
  /** The only hosts that the client secret may be sent to. */
  secretHosts: readonly string[]
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
async function requestToken(outbound: Outbound, provider: string, grant: OpenedGrant) {
  let last: Response | undefined
  let failure: unknown
  // The metadata of an authority can name a token endpoint at any host.
  const mayGetSecret = (host: string) => {
    if (!grant.secretHosts.includes(host)) throw new UnusableAnswer(mayNotGo(grant.secretName, host))
  }
  const reading =
    (read: (members: Members) => object, check?: (host: string) => void): CustomFetch =>
    async (url, { body, ...options }) => {
      last = undefined
      try {
        check?.(new URL(url).host)
        last = await outbound.fetch(url, { ...options, body: body ?? null })
        return last.ok ? Response.json(read(await membersOf(last))) : last
      } catch (error) {
        failure = error
        throw error
      }
    }
  try {
    const client = await clientOf(grant, reading(readMetadata), reading(readToken, mayGetSecret))
    return await clientCredentialsGrant(client, grant.scope ? { scope: grant.scope } : {})
  } catch (error) {
    throw failure instanceof OutboundFailed
      ? callFailure(provider, failure)
      : answerFailure(provider, last, failure ?? error)
  }
}

type Members = Record<string, unknown>

/** An answer cannot be used. The message says which of its members is wrong, and does not quote it. */
class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
}

/** Reads a JSON object, whatever content type the answer claims. @throws UnusableAnswer */
async function membersOf(answer: Response): Promise<Members> {
  const members: unknown = await answer.json().catch(() => undefined)
  if (typeof members === 'object' && members !== null) return { ...members }
  throw new UnusableAnswer('the token endpoint or its metadata answered something other than a JSON object')
}

/** Returns the members of an authority's metadata that we need. @throws UnusableAnswer */
function readMetadata({ issuer, token_endpoint, token_endpoint_auth_methods_supported: methods }: Members): object {
  for (const [name, value] of Object.entries({ issuer, token_endpoint }))
    if (typeof value !== 'string' || !URL.canParse(value))
      throw new UnusableAnswer(`the member '${name}' of the metadata is not an address`)
  return { issuer, token_endpoint, ...(Array.isArray(methods) && { token_endpoint_auth_methods_supported: methods }) }
}

/**
 * Returns a token answer in the form that RFC 6749 wants. Many endpoints leave `token_type` out, call it `BearerToken`,
 * send `expires_in` as text, or write null for what they do not have.
 * @throws UnusableAnswer
 */
function readToken({ access_token, token_type, expires_in }: Members): object {
  if (typeof access_token !== 'string' || access_token === '')
    throw new UnusableAnswer("the token endpoint's answer has no text as 'access_token'")
  if (!/^(bearer.*)?$/i.test(String(token_type ?? '')))
    throw new UnusableAnswer("the token endpoint's answer has a 'token_type' other than Bearer")
  const seconds = Number(expires_in)
  const isKnown = Number.isFinite(seconds) && seconds > 0
  return { access_token, token_type: 'bearer', ...(isKnown && { expires_in: seconds }) }
}

async function clientOf(
  grant: OpenedGrant,
  fetchMetadata: CustomFetch,
  fetchToken: CustomFetch,
): Promise<Configuration> {
  const { authority = '', tokenUrl, clientId, clientSecret } = grant
  const client =
    tokenUrl === undefined
      ? // The guarded client decides whether http is allowed.
        await discovery(new URL(authority), clientId, undefined, secretAs(clientSecret, 'client_secret_basic'), {
          execute: [allowInsecureRequests],
          [customFetch]: fetchMetadata,
        })
      : new Configuration(
          { issuer: tokenUrl, token_endpoint: tokenUrl },
          clientId,
          undefined,
          secretAs(clientSecret, 'client_secret_post'),
        )
  client[customFetch] = fetchToken
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
  const waitMs = retryAfterMs(answer?.headers.get('retry-after'))
  if (status !== undefined && isRetryableStatus(status, waitMs)) {
    const message = `No token for the provider '${provider}': the token endpoint answered ${status}`
    return new ProviderFailed('token-unavailable', message, { retryable: true, status, retryAfterMs: waitMs })
  }
  const message = `No token for the provider '${provider}': ${refusalOf(status, error)}`
  return new ProviderFailed('token-refused', message, { retryable: false, status })
}

function refusalOf(status: number | undefined, error: unknown): string {
  if (error instanceof UnusableAnswer) return error.message
  if (status === undefined) return 'the address of the token endpoint or its authority cannot be used'
  if (status < 300) return "the member 'issuer' of the metadata is not the authority"
  // The standard's error codes are plain words. Anything else is the endpoint's own text and is not repeated.
  const code = error instanceof ResponseBodyError && /^[a-z_]{1,40}$/.test(error.error) ? ` (${error.error})` : ''
  return `the token endpoint answered ${status}${code}`
}
