// The token endpoint.
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { decodeJwt, decodeProtectedHeader, type JWK } from 'jose'
import compose from 'koa-compose'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTokenValidator } from '../../activities/auth/validate-token.js'
import { clientStore } from '../../db/identity/clients.js'
import { signInStores } from '../../db/identity/sign-in-stores.js'
import { rotateSigningKeys, signingKeys } from '../../db/identity/signing-keys.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import { minHashCost } from '../../runtime/secrets/secrets.js'
import { createIdentity } from '../../server/identity/identity.js'
import { rotatingIdentity } from '../../server/identity/rotation.js'
import { createSecretCheck } from '../../server/identity/secret-check.js'
import { strangers } from '../../server/middleware/rate-limit.js'
import { createRateLimits } from '../../server/rate-limits.js'
import { secret, startIdentityDatabase } from '../support/identity-database.js'
import { audience, webServer } from '../support/issuer.js'

const lines: string[] = []
const log = pino({ level: 'trace' }, { write: line => lines.push(line) })
const consoles = (['log', 'info', 'warn', 'error'] as const).map(name => vi.spyOn(console, name))

let database: Awaited<ReturnType<typeof startIdentityDatabase>>
let site: Awaited<ReturnType<typeof webServer>>
let keys: JWK[]
let limitedIdentity: ReturnType<typeof createIdentity> | undefined

beforeAll(async () => {
  database = await startIdentityDatabase()
  keys = await signingKeys(database.db, createSeal(Buffer.alloc(32, 7)))
  const clients = clientStore(database.db)
  let identity: ReturnType<typeof createIdentity> | undefined
  site = await webServer(base => {
    const check = createSecretCheck(1_000)
    const options = { audience, clients, ...forPeople(), secretHashCost: minHashCost, checkSecret: check, keys, log }
    identity ??= createIdentity({ issuer: `${base}/identity`, ...options })
    return identity
  })
}, 60_000)

afterAll(async () => {
  await site.stop()
  await database.stop()
}, 60_000)

const forPeople = () => ({
  people: signInStores(database.db, createSeal(Buffer.alloc(32, 7))),
  checkPassword: createSecretCheck(1_000),
  sendMail: undefined,
  signIn: undefined,
  temporalUi: undefined,
  secondFactor: 'optional' as const,
})

interface Answer {
  access_token: string
  scope?: string
  error?: string
  error_description?: string
}

const json = async (response: Response) => JSON.parse(await response.text())

type Form = Record<string, string | undefined>
const valid = { client_id: 'many', client_secret: secret, tenant_key: 'demo', scope: 'FrameApi' }

async function post(form: Form, headers: Record<string, string> = {}, base = site.base) {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries({ grant_type: 'client_credentials', ...form })) {
    if (value !== undefined) body.set(name, value)
  }
  const response = await fetch(`${base}/identity/connect/token`, { method: 'POST', headers, body })
  const answer: Answer = await json(response)
  return { status: response.status, headers: response.headers, body: answer }
}

const getAs = (host: string, url: string) =>
  new Promise<string>((resolve, reject) => {
    get(url, { headers: { host } }, response => resolve(text(response))).on('error', reject)
  })

const basic = (id: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(password)}`).toString('base64')}`,
})

describe('a token', () => {
  it('is a JWT for one tenant, one hour and the scopes asked for', async () => {
    const { status, headers, body } = await post({ ...valid, scope: 'FrameApi FormsApi' })
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'FrameApi FormsApi',
    })
    expect(decodeProtectedHeader(body.access_token)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: keys[0]?.kid })
    const claims = decodeJwt(body.access_token)
    expect(claims).toEqual({
      iss: `${site.base}/identity`,
      aud: audience,
      sub: 'many',
      client_id: 'many',
      tenant_key: 'demo',
      scope: 'FrameApi FormsApi',
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 3600,
      jti: expect.any(String),
    })
  })

  it('passes validation', async () => {
    const { body } = await post(valid)
    const validator = createTokenValidator({ authority: `${site.base}/identity`, audience })
    expect(await validator.validate(body.access_token)).toMatchObject({
      tenantKey: 'demo',
      clientId: 'many',
      scopes: ['FrameApi'],
    })
  })

  it('is given to a client that authenticates in the Authorization header', async () => {
    const { status } = await post({ tenant_key: 'demo', scope: 'FormsApi' }, basic('many', secret))
    expect(status).toBe(200)
  })

  it('is given without a tenant key, since a client id is unique', async () => {
    const { body } = await post({ ...valid, tenant_key: undefined })
    expect(decodeJwt(body.access_token)).toMatchObject({ tenant_key: 'demo', client_id: 'many' })
  })

  it("has the client's only scope if the request names none", async () => {
    expect((await post({ ...valid, client_id: 'one', scope: undefined })).body).toMatchObject({ scope: 'FrameApi' })
  })

  it('is issued to a page of another origin that has the secret', async () => {
    expect((await post(valid, { origin: 'https://page.example' })).status).toBe(200)
  })
})

describe('no token', () => {
  const cases: Record<string, [number, string, Form]> = {
    'for a wrong secret': [401, 'invalid_client', { client_secret: 'wrong' }],
    'without a secret': [401, 'invalid_client', { client_secret: undefined }],
    'for a huge secret': [401, 'invalid_client', { client_secret: 'x'.repeat(40_000) }],
    'for an unknown client': [401, 'invalid_client', { client_id: 'nobody' }],
    'for a client that is written in another case': [401, 'invalid_client', { client_id: 'Many' }],
    'for a client with a space more': [401, 'invalid_client', { client_id: 'many ' }],
    'for a disabled client': [401, 'invalid_client', { client_id: 'off' }],
    'without a client': [400, 'invalid_request', { client_id: undefined, client_secret: undefined }],
    'for an unknown tenant': [400, 'invalid_grant', { tenant_key: 'nowhere' }],
    'for the tenant of somebody else': [400, 'invalid_grant', { tenant_key: 'other' }],
    'for a scope the client does not have': [400, 'invalid_scope', { scope: 'FrameApi PlatformAdmin' }],
    'for a scope that does not exist': [400, 'invalid_scope', { scope: 'openid' }],
    'for a scope of impossible letters': [400, 'invalid_scope', { scope: 'Frame"Api' }],
    'without scope for a client with several': [400, 'invalid_scope', { scope: undefined }],
    'without scope for a client with none': [400, 'invalid_scope', { client_id: 'none', scope: undefined }],
    'for another grant': [400, 'unsupported_grant_type', { grant_type: 'password' }],
    'for the grant of people': [400, 'invalid_request', { grant_type: 'authorization_code' }],
    'for no grant': [400, 'invalid_request', { grant_type: undefined }],
  }
  it.each(Object.entries(cases))('%s', async (_name, [status, error, form]) => {
    const answer = await post({ ...valid, ...form })
    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(answer.body.error_description).toEqual(expect.any(String))
  })

  it('and no hint whether a client or a tenant exists', async () => {
    const clients = ['many', 'nobody', 'off'].map(client_id => post({ ...valid, client_id, client_secret: 'wrong' }))
    const [wrong, ...others] = (await Promise.all(clients)).map(({ body }) => body)
    for (const other of others) expect(other).toEqual(wrong)
    const tenants = ['other', 'nowhere'].map(tenant_key => post({ ...valid, tenant_key }))
    const [theirs, nowhere] = (await Promise.all(tenants)).map(({ body }) => body)
    expect(theirs).toEqual(nowhere)
  })

  it('for a field given twice, another content type, or a body over 56 KB', async () => {
    const send = async (type: string, body: string) => {
      const url = `${site.base}/identity/connect/token`
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
      return [response.status, (await json(response)).error]
    }
    const form = 'application/x-www-form-urlencoded'
    const twice = `${new URLSearchParams({ ...valid, grant_type: 'client_credentials' })}&tenant_key=other`
    expect(await send(form, twice)).toEqual([400, 'invalid_request'])
    expect(await send('application/json', JSON.stringify(valid))).toEqual([400, 'invalid_request'])
    expect(await send(form, 'x'.repeat(60_000))).toEqual([400, 'invalid_request'])
  })

  it('but a JSON error for a caller that prefers HTML', async () => {
    expect((await post({ ...valid, client_secret: 'wrong' }, { accept: 'text/html' })).body.error).toBe(
      'invalid_client',
    )
  })

  it('but 429 with Retry-After after too many wrong secrets, for a client that exists and one that does not', async () => {
    const limited = await webServer(base => {
      const options = {
        audience,
        clients: clientStore(database.db),
        ...forPeople(),
        secretHashCost: minHashCost,
        keys,
        log,
      }
      limitedIdentity ??= createIdentity({ issuer: `${base}/identity`, ...options, checkSecret: createSecretCheck(2) })
      return limitedIdentity
    })
    const guess = (client_id: string, n: number) =>
      post({ ...valid, client_id, client_secret: `${n}` }, {}, limited.base)
    expect((await post(valid, {}, limited.base)).status).toBe(200)
    for (const client of ['one', 'nobody']) {
      const answers = []
      for (let n = 0; n < 3; n++) answers.push(await guess(client, n))
      expect(answers.at(-1)).toMatchObject({ status: 429, body: { error: 'too_many_requests' } })
      expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await post(valid, {}, limited.base)).status).toBe(200)
    await limited.stop()
  })

  it('and 503 with Retry-After while the database is away; it works again by itself', async () => {
    await database.goAway()
    const away = await post(valid)
    expect([away.status, away.body.error, away.headers.get('retry-after')]).toEqual([
      503,
      'temporarily_unavailable',
      '5',
    ])
    await database.comeBack()
    expect((await post(valid)).status).toBe(200)
  }, 60_000)
})

describe('a signing key', () => {
  it('can be replaced without a restart: old tokens stay valid until they expire, then the key is removed', async () => {
    const { db } = database
    const seal = createSeal(Buffer.alloc(32, 7))
    let service: Awaited<ReturnType<typeof rotatingIdentity>> | undefined
    const rotating = await webServer(() => (ctx, next) => service?.identity(ctx, next))
    service = await rotatingIdentity({
      readKeys: () => signingKeys(db, seal),
      serviceWith: keys =>
        createIdentity({
          issuer: `${rotating.base}/identity`,
          audience,
          clients: clientStore(db),
          ...forPeople(),
          secretHashCost: minHashCost,
          checkSecret: createSecretCheck(1_000),
          keys,
          log,
        }),
      log,
      everyMs: 20,
    })
    const published = async (): Promise<string[]> =>
      (await json(await fetch(`${rotating.base}/identity/jwks`))).keys.map(({ kid }: JWK) => kid).sort()
    const signer = async () => {
      const { access_token: token } = (await post(valid, {}, rotating.base)).body
      return { token, kid: decodeProtectedHeader(token).kid }
    }
    /** As if the new key had been made so much earlier. */
    const agedBy = (minutes: number) =>
      db('signing_keys')
        .whereNot({ kid: first.kid })
        .update({ created_at: new Date(Date.now() - minutes * 60_000) })
    const first = await signer()
    await db('signing_keys').update({ created_at: new Date(Date.now() - 86_400_000) })

    const [added] = await rotateSigningKeys(db, seal)
    await expect.poll(published).toEqual([first.kid, added?.kid].sort())
    expect((await signer()).kid).toBe(first.kid)
    await expect(rotateSigningKeys(db, seal)).rejects.toMatchObject({ status: 409, code: 'rotation-under-way' })

    await agedBy(16)
    await expect.poll(async () => (await signer()).kid).toBe(added?.kid)
    const validator = createTokenValidator({ authority: `${rotating.base}/identity`, audience })
    for (const { token } of [first, await signer()]) expect(await validator.validate(token)).toBeTruthy()

    await agedBy(86)
    await expect.poll(published).toEqual([added?.kid])
    expect(await db('signing_keys').pluck('kid')).toEqual([added?.kid])
    service.stop()
    await rotating.stop()
  })
})

describe('the service', () => {
  it('describes itself by its issuer, whatever Host a caller names', async () => {
    const issuer = `${site.base}/identity`
    for (const address of [
      `${issuer}/.well-known/openid-configuration`,
      `${issuer}/.well-known/oauth-authorization-server`,
      // RFC 8414, 3.1: the well-known part stands before the path of the issuer.
      `${site.base}/.well-known/oauth-authorization-server/identity`,
    ]) {
      const metadata = await getAs('evil.example', address)
      expect(metadata).not.toContain('evil')
      expect(JSON.parse(metadata)).toMatchObject({
        issuer,
        token_endpoint: `${issuer}/connect/token`,
        jwks_uri: `${issuer}/jwks`,
        grant_types_supported: ['client_credentials', 'authorization_code'],
      })
    }
  })

  it('is described to pages of other origins, by GET', async () => {
    const address = `${site.base}/.well-known/oauth-authorization-server/identity`
    const { status, headers } = await fetch(address, { headers: { origin: 'https://page.example' } })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect((await fetch(address, { method: 'POST' })).status).toBe(404)
  })

  it('sets its cookies for https alone where browsers use https, although a proxy speaks http to it', async () => {
    const issuer = 'https://armature.example/below/identity'
    const clients = clientStore(database.db)
    const checkSecret = createSecretCheck(1_000)
    const options = { audience, clients, ...forPeople(), secretHashCost: minHashCost, checkSecret, keys, log }
    const limits = { rateLimits: createRateLimits(), isProxy: () => false, wrongCredentialsPerMinute: 1_000 }
    const identity = compose([strangers(limits), createIdentity({ issuer, ...options })])
    const proxied = await webServer(() => identity)
    const query = new URLSearchParams({
      client_id: 'armature-console',
      redirect_uri: 'https://armature.example/below/console/signed-in',
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    const { status, headers } = await fetch(`${proxied.base}/identity/auth?${query}`, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([303, expect.stringMatching('^/below/identity/sign-in/')])
    const cookies = headers.getSetCookie()
    expect(cookies).toHaveLength(2)
    for (const cookie of cookies)
      expect(cookie).toMatch(/; path=\/below\/identity\/.*; samesite=lax; secure; httponly/i)
    await proxied.stop()
  })

  it('publishes its keys without their private parts', async () => {
    const { keys: published } = await json(await fetch(`${site.base}/identity/jwks`))
    expect(published).toEqual([{ kty: 'RSA', use: 'sig', alg: 'RS256', kid: keys[0]?.kid, e: 'AQAB', n: keys[0]?.n }])
  })

  it.each(['me', 'reg', 'request', 'token', 'interaction/x', 'connect/token/', 'auth/x/abort'])(
    'has nothing at /%s',
    async path => {
      for (const method of ['GET', 'POST']) {
        expect((await fetch(`${site.base}/identity/${path}`, { method })).status).toBe(404)
      }
    },
  )

  it('never logs a secret, and writes nothing to the console', () => {
    expect(lines.length).toBeGreaterThan(10)
    for (const part of [secret, encodeURIComponent(secret), 'eyJ', 'scrypt$']) expect(lines.join()).not.toContain(part)
    const written = consoles.flatMap(spy => spy.mock.calls.map(String))
    expect(written.filter(line => line.includes('oidc-provider'))).toEqual([])
  })
})
