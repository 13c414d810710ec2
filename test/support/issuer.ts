// Runs issuers of tokens whose keys the test has.
import { createServer, type Server } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import knex from 'knex'
import Koa, { type Middleware } from 'koa'
import pino from 'pino'
import type { ClientStore } from '../../db/identity/clients.js'
import { signInStores } from '../../db/identity/sign-in-stores.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import { minHashCost } from '../../runtime/secrets/secrets.js'
import { createIdentity } from '../../server/identity/identity.js'
import { createSecretCheck } from '../../server/identity/secret-check.js'
import { recordingProvider } from './endpoints.js'

export const audience = 'armature'

interface SigningKey {
  kid: string
  privateKey: CryptoKey
  publicKey: CryptoKey
  jwk: JWK
}

/** Generates an RSA key for the identity service. */
export async function signingKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } }
}

/** Creates a web server on loopback that uses the same port after each stop, and counts its requests. */
export async function webServer(answer: (base: string) => Middleware) {
  const asked: string[] = []
  let port = 0
  let server: Server | undefined
  const site = {
    base: '',
    asked,
    count: (path: string) => asked.filter(one => one.endsWith(path)).length,
    async start() {
      const app = new Koa()
      app.use((ctx, next) => {
        asked.push(ctx.path)
        return next()
      })
      app.use((ctx, next) => answer(site.base)(ctx, next))
      const started = createServer(app.callback())
      server = started
      await new Promise<void>(resolve => started.listen(port, '127.0.0.1', resolve))
      const address = started.address()
      if (address && typeof address === 'object') port = address.port
      site.base = `http://127.0.0.1:${port}`
    },
    async stop() {
      const stopped = server
      if (!stopped) return
      stopped.closeAllConnections()
      await new Promise<unknown>(resolve => stopped.close(resolve))
    },
  }
  await site.start()
  return site
}

/** Shared by all issuers, because generating a key takes a fifth of a second. */
const firstKey = signingKey('first')

const noClients: ClientStore = { byClientId: async () => undefined }

/** Runs an identity service in this process. The test has its keys, so it can also sign tokens that the service would never issue. */
export async function startIssuer() {
  let key = await firstKey
  let identity: Middleware | undefined
  const checkSecret = createSecretCheck(1_000)
  const site = await webServer(base => {
    const log = pino({ level: 'silent' })
    const options = {
      audience,
      clients: noClients,
      people: signInStores(knex({ client: 'mysql2' }), createSeal(Buffer.alloc(32))),
      checkPassword: checkSecret,
      sendMail: undefined,
      signIn: undefined,
      temporalUi: undefined,
      secondFactor: 'optional' as const,
      secretHashCost: minHashCost,
      checkSecret,
      keys: [key.jwk],
      log,
    }
    identity ??= createIdentity({ issuer: `${base}/identity`, ...options })
    return identity
  })
  const issuer = `${site.base}/identity`
  return {
    ...site,
    issuer,
    key: () => key,
    async rotate(kid = 'second') {
      key = await signingKey(kid)
      identity = undefined
    },
    /** Signs a token. It is valid unless the arguments break it; `undefined` leaves a claim out. */
    token(
      claims: Record<string, unknown> = {},
      header: { kid?: string; alg?: string; typ?: string } = {},
      signer = key,
    ) {
      const now = Math.floor(Date.now() / 1000)
      const all = { iss: issuer, aud: audience, sub: 'c', client_id: 'c', tenant_key: 't', scope: 'FrameApi FormsApi' }
      return new SignJWT({ ...all, iat: now, exp: now + 3600, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: signer.kid, ...header })
        .sign(signer.privateKey)
    },
  }
}

/** Runs an identity provider for end users that only serves its metadata and its key. The test signs the tokens itself. */
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
    /** Signs a token for `app` that expires in this many seconds. It is accepted for a minute longer, because clocks differ. */
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
