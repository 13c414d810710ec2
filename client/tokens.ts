// Access tokens by client credentials, kept until shortly before they expire.
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
  /** Scopes with blanks between, such as `FrameApi FormsApi`. */
  scope: string
  /** It may be left out, because a client id is unique. */
  tenantKey?: string | undefined
}

/** Tokens of one client. */
export interface Tokens {
  /** The present token; calls at the same time share one request. @throws TokenRefused, NoAnswer */
  get(): Promise<string>
  /** The API did not take this token: the next call gets another. */
  drop(token: string): void
}

/** A token is renewed so long before it expires; one that lives shorter than twice that at half its life. */
const marginMs = 60_000

/**
 * @param tokenUrl the token endpoint. Over http the secret is sent in the clear, as the address says.
 * @param send sends one request, and repeats it while the service is away.
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
  let held: { token: Promise<string>; value?: string; until: number } | undefined

  return {
    get() {
      if (held && Date.now() < held.until) return held.token
      const fresh: NonNullable<typeof held> = { token: ask(), until: Number.POSITIVE_INFINITY }
      held = fresh
      return fresh.token

      async function ask(): Promise<string> {
        try {
          const { access_token, expires_in = 0 } = await clientCredentialsGrant(service, form)
          const lifeMs = expires_in * 1_000
          fresh.value = access_token
          fresh.until = Date.now() + lifeMs - Math.min(marginMs, lifeMs / 2)
          return access_token
        } catch (error) {
          if (held === fresh) held = undefined
          throw reasonOf(error)
        }
      }
    },
    drop(token) {
      if (held?.value === token) held = undefined
    },
  }
}

function reasonOf(error: unknown): unknown {
  if (error instanceof ResponseBodyError) {
    const { error: code, status, error_description = 'no reason is given' } = error
    return new TokenRefused(code, status, error_description, { cause: error })
  }
  if (!(error instanceof ClientError)) return error
  // openid-client wraps what its fetch throws.
  if (error.cause instanceof NoAnswer) return error.cause
  return new TokenRefused('unexpected_answer', undefined, error.message, { cause: error })
}
