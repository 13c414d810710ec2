// Says how access tokens of people are made.
import { scopes } from '../../runtime/secrets/scopes.js'
import { tokenLife } from './client-credentials.js'

/** Returns what the library needs to make the access tokens of people. @param audience their `aud`. */
export const personTokens = (audience: string) =>
  ({
    scope: scopes.join(' '),
    audience,
    accessTokenTTL: tokenLife,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  }) as const
