// An issuer of users' tokens.
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { recordingProvider } from './endpoints.js'

/** An identity provider of end users, of which there is nothing but its metadata, its key and the tokens that a test signs. */
export async function userIssuer(ports?: readonly number[]) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'users', alg: 'ES256' }
  const server = await recordingProvider(
    ({ path }) => ({
      body: path === '/keys' ? { keys: [jwk] } : { issuer: server.url, jwks_uri: `${server.url}/keys` },
    }),
    ports,
  )
  return {
    authority: server.url,
    stop: server.stop,
    /** A token for `app`; in this many seconds it is no longer valid by the clock, and a minute later for nobody. */
    token: (validSeconds = 300, claims: object = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'users' })
        .setIssuer(server.url)
        .setAudience('app')
        .setSubject('user')
        .setIssuedAt()
        .setExpirationTime(Math.floor(Date.now() / 1000) + validSeconds)
        .sign(privateKey),
  }
}
