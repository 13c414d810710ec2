// Gets access tokens by client credentials, and keeps them until shortly before they expire.
import {
  allowInsecureRequests,
  ClientError,
  ClientSecretPost,
  Configuration,
  clientCredentialsGrant,
  customFetch,
  ResponseBodyError,
} from 'openid-client'
import { NoAnswer, TokenRefused } from './problems.js'

export interface Credentials {
  clientId: string
  clientSecret: string
  /** Scopes separated by blanks, such as `FrameApi FormsApi`. */
  scope: string
  /** Key of the client's tenant. It can be left out, because client ids are unique. */
  tenantKey?: string | undefined
}

/** Tokens of one client. */
export interface Tokens {
  /** Returns the current token, or requests one. Concurrent calls share one request. @throws TokenRefused, NoAnswer */
  get(): Promise<string>
  /** Drops a token that the API refused, so that the next call requests another. */
  drop(token: string): void
}

/**
 * How long before its expiry a token is renewed, in ms. Tokens that live less than twice as long are renewed at half
 * their life.
 */
const marginMs = 60_000

/**
 * Creates access to the tokens of a client.
 * @param tokenUrl the token endpoint. With an http URL, the secret is sent unencrypted.
 * @param send sends a request, and repeats it while the service does not answer.
 */
export function clientTokens(
  tokenUrl: string,
  { clientId, clientSecret, scope, tenantKey }: Credentials,
  send: (request: Request) => Promise<Response>,
): Tokens {
  const metadata = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl }
  const service = new Configuration(metadata, clientId, undefined, ClientSecretPost(clientSecret))
  if (tokenUrl.startsWith('http:')) allowInsecureRequests(service)
  service[customFetch] = (url, { body, ...request }) => send(new Request(url, { ...request, body: body ?? null }))
  const form = { scope, ...(tenantKey === undefined ? {} : { tenant_key: tenantKey }) }
  let cached: { token: Promise<string>; value?: string; until: number } | undefined

  return {
    get() {
      if (cached && Date.now() < cached.until) return cached.token
      const fresh: NonNullable<typeof cached> = { token: request(), until: Number.POSITIVE_INFINITY }
      cached = fresh
      return fresh.token

      async function request(): Promise<string> {
        try {
          const { access_token, expires_in = 0 } = await clientCredentialsGrant(service, form)
          const lifeMs = expires_in * 1_000
          fresh.value = access_token
          fresh.until = Date.now() + lifeMs - Math.min(marginMs, lifeMs / 2)
          return access_token
        } catch (error) {
          if (cached === fresh) cached = undefined
          throw reasonOf(error)
        }
      }
    },
    drop(token) {
      if (cached?.value === token) cached = undefined
    },
  }
}

function reasonOf(error: unknown): unknown {
  if (error instanceof ResponseBodyError) {
    const { error: code, status, error_description = 'no reason was given' } = error
    return new TokenRefused(code, status, error_description, { cause: error })
  }
  if (!(error instanceof ClientError)) return error
  // openid-client wraps the errors of its fetch.
  if (error.cause instanceof NoAnswer) return error.cause
  return new TokenRefused('unexpected_answer', undefined, error.message, { cause: error })
}
