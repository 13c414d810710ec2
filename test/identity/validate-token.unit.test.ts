// Validation of platform tokens.
import { createSign, KeyObject } from 'node:crypto'
import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthorityUnavailable } from '../../activities/auth/authority.js'
import { createTokenValidator, type TokenValidator } from '../../activities/auth/validate-token.js'
import { TokenRefused } from '../../activities/auth/verify-token.js'
import { audience, signingKey, startIssuer, webServer } from '../support/issuer.js'

let issuer: Awaited<ReturnType<typeof startIssuer>>
let validator: TokenValidator

beforeEach(async () => {
  issuer = await startIssuer()
  validator = createTokenValidator({ authority: issuer.issuer, audience })
})
afterEach(async () => {
  vi.useRealTimers()
  await issuer.stop()
})

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow
const asBase64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const refusal = (token: string) =>
  validator.validate(token).then(
    () => 'accepted',
    (error: unknown) => error,
  )

/** Moves the clock only: timers and sockets go on as ever. */
function later(ms: number) {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now + ms)
}

describe('a valid token', () => {
  it('says tenant, client, scopes, subject and expiry', async () => {
    const exp = seconds(3600)
    expect(await validator.validate(await issuer.token({ exp }))).toEqual({
      tenantKey: 't',
      clientId: 'c',
      audiences: ['armature'],
      scopes: ['FrameApi', 'FormsApi'],
      tokenVersion: 0,
      subject: 'c',
      expiresAt: exp * 1000,
    })
  })

  it('is accepted with clocks up to 60 s apart', async () => {
    expect(await validator.validate(await issuer.token({ exp: seconds(-50), nbf: seconds(50) }))).toBeTruthy()
  })

  it('may carry its scopes as a list', async () => {
    expect(await validator.validate(await issuer.token({ scope: ['a', 'b'] }))).toMatchObject({ scopes: ['a', 'b'] })
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['an object', { FrameApi: true }],
    ['a number', 7],
    ['a list with a number', ['FrameApi', 7]],
  ])('has no scopes where its claim is %s', async (_, scope) => {
    expect(await validator.validate(await issuer.token({ scope, scp: null }))).toMatchObject({ scopes: [] })
  })

  it.each(['nbf', 'iat', 'sub', 'jti', 'cnf'])('may have %s as null, which is as if it were absent', async claim => {
    expect(await validator.validate(await issuer.token({ [claim]: null }))).toMatchObject({ clientId: 'c' })
  })

  it('may have the type null', async () => {
    const header = { alg: 'RS256', kid: 'first', typ: null }
    const signed = `${asBase64(header)}.${(await issuer.token()).split('.')[1]}`
    const signature = createSign('RSA-SHA256').update(signed).sign(KeyObject.from(issuer.key().privateKey), 'base64url')
    expect(await validator.validate(`${signed}.${signature}`)).toMatchObject({ clientId: 'c' })
  })

  it.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', 'jwt', 'application/jwt'])(
    'may be of type %s',
    async typ => {
      expect(await validator.validate(await issuer.token({}, { typ }))).toMatchObject({ clientId: 'c' })
    },
  )

  it('is remembered until it expires, and not longer', async () => {
    const token = await issuer.token({ exp: seconds(300) })
    const first = await validator.validate(token)
    await issuer.stop()
    expect(await validator.validate(token)).toBe(first)
    later(358_000)
    expect(await validator.validate(token)).toBe(first)
    later(3_000)
    expect(await refusal(token)).toMatchObject({ reason: 'expired' })
  })

  it('is remembered while the authority is down, for as long as the keys known count', async () => {
    const token = await issuer.token({ exp: seconds(9_999) })
    await validator.validate(token)
    await issuer.stop()
    later(1_200_000)
    const again = await validator.validate(token)
    expect(await validator.validate(token)).toBe(again)
    later(2_500_000)
    expect(await refusal(token)).toBeInstanceOf(AuthorityUnavailable)
  })
})

describe('a token is refused', () => {
  const cases: Record<string, [string, () => Promise<string> | string]> = {
    'when it has expired': ['expired', () => issuer.token({ exp: seconds(-61) })],
    'before its time': ['not-yet-valid', () => issuer.token({ nbf: seconds(120) })],
    'before its time, however far that is': ['not-yet-valid', () => issuer.token({ nbf: 1e300 })],
    'before a time that is no number': ['claims', () => issuer.token({ nbf: '0' })],
    'without an expiry': ['claims', () => issuer.token({ exp: undefined })],
    'with null as its expiry': ['claims', () => issuer.token({ exp: null })],
    'with an expiry that is no number': ['claims', () => issuer.token({ exp: String(seconds(3600)) })],
    'with null as its issuer': ['issuer', () => issuer.token({ iss: null })],
    'with null as its audience': ['audience', () => issuer.token({ aud: null })],
    'with nulls, signed by another key': [
      'signature',
      async () => issuer.token({ nbf: null, iat: null }, {}, await signingKey('first')),
    ],
    'with nulls, when it has expired': ['expired', () => issuer.token({ nbf: null, iat: null, exp: seconds(-61) })],
    'whose payload is not encoded': ['malformed', () => withRawPayload()],
    'of another issuer': ['issuer', () => issuer.token({ iss: 'https://other.example/identity' })],
    'whose issuer differs by a slash': ['issuer', () => issuer.token({ iss: `${issuer.issuer}/` })],
    'for another audience': ['audience', () => issuer.token({ aud: 'other' })],
    'without an audience': ['audience', () => issuer.token({ aud: undefined })],
    'without tenant_key': ['claims', () => issuer.token({ tenant_key: undefined })],
    'with a tenant_key that is no text': ['claims', () => issuer.token({ tenant_key: ['t'] })],
    'with an empty client_id': ['claims', () => issuer.token({ client_id: '' })],
    'with an audience that is no text': ['audience', () => issuer.token({ aud: { armature: true } })],
    'of a key nobody published': ['unknown-key', () => issuer.token({}, { kid: 'nobody' })],
    'signed by another key under the published name': [
      'signature',
      async () => issuer.token({}, {}, await signingKey('first')),
    ],
    'without a signature (alg none)': ['algorithm', () => new UnsecuredJWT({ iss: issuer.issuer }).encode()],
    'signed with the public key as a secret (HS256)': ['algorithm', () => hmacWithPublicKey()],
    'whose payload was changed': ['signature', async () => tampered(await issuer.token())],
    'cut short': ['signature', async () => (await issuer.token()).slice(0, -40)],
    'cut to two parts': ['malformed', async () => (await issuer.token()).split('.').slice(0, 2).join('.')],
    'with a critical header nobody knows': ['malformed', () => withCriticalHeader()],
    'when it is empty': ['malformed', () => ''],
    'when it is noise': ['malformed', () => 'a.b.c'],
    'when it is huge': ['malformed', () => 'a'.repeat(1_000_000)],
  }

  async function hmacWithPublicKey() {
    const secret = new TextEncoder().encode(await exportSPKI(issuer.key().publicKey))
    return new SignJWT({ iss: issuer.issuer }).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret)
  }

  function tampered(token: string) {
    const [header, payload = '', signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return [header, asBase64({ ...claims, tenant_key: 'other' }), signature].join('.')
  }

  /** A JWS as RFC 7797 allows, which a JWT must not be: the signature is right. */
  async function withRawPayload() {
    const header = { alg: 'RS256', kid: 'first', crit: ['b64'], b64: false }
    const signed = `${asBase64(header)}.${(await issuer.token()).split('.')[1]}`
    const signature = createSign('RSA-SHA256').update(signed).sign(KeyObject.from(issuer.key().privateKey), 'base64url')
    return `${signed}.${signature}`
  }

  async function withCriticalHeader() {
    const [, payload, signature] = (await issuer.token()).split('.')
    return [asBase64({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 }), payload, signature].join('.')
  }

  it.each(Object.entries(cases))('%s', async (_name, [reason, token]) => {
    const hostile = await token()
    const error = await refusal(hostile)
    expect(error).toBeInstanceOf(TokenRefused)
    expect(error).toMatchObject({ reason })
    if (hostile) expect(JSON.stringify([error, String(error)])).not.toContain(hostile)
  })

  it.each([
    'logout+jwt',
    'application/logout+jwt',
    'Logout+JWT',
    'secevent+jwt',
    'dpop+jwt',
    'id_token+jwt',
    'application/at+jwt+x',
    'text/at+jwt',
    'JWE',
    '',
  ])('of type "%s"', async typ => {
    expect(await refusal(await issuer.token({}, { typ }))).toMatchObject({ reason: 'type' })
  })

  it('with a type that is no string', async () => {
    const [, payload, signature] = (await issuer.token()).split('.')
    const token = [asBase64({ alg: 'RS256', kid: 'first', typ: ['at+jwt'] }), payload, signature].join('.')
    expect(await refusal(token)).toMatchObject({ reason: 'type' })
  })

  it('without asking the authority when the issuer, the type or the algorithm already tells', async () => {
    await refusal(await issuer.token({ iss: 'https://other.example' }))
    await refusal(await issuer.token({}, { typ: 'logout+jwt' }))
    await refusal(new UnsecuredJWT({ iss: issuer.issuer }).encode())
    expect(issuer.asked).toEqual([])
  })
})

describe('keys', () => {
  it('are fetched once for callers that come together', async () => {
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, n) => issuer.token({ jti: String(n) })))
    await Promise.all(tokens.map(token => validator.validate(token)))
    expect(issuer.count('/openid-configuration')).toBe(1)
    expect(issuer.count('/jwks')).toBe(1)
  })

  it('of unknown name are looked for again at most once in 30 s', async () => {
    const unknown = async (kid: string) =>
      expect(await refusal(await issuer.token({}, { kid }))).toMatchObject({ reason: 'unknown-key' })
    await validator.validate(await issuer.token())
    for (const kid of ['a', 'b', 'c', 'd']) await unknown(kid)
    expect(issuer.count('/jwks')).toBe(2)
    later(31_000)
    await Promise.all(['e', 'f', 'g'].map(unknown))
    expect(issuer.count('/jwks')).toBe(3)
  })

  it('may be rotated: the new one is found without a restart', async () => {
    await validator.validate(await issuer.token())
    await issuer.rotate()
    const tokens = await Promise.all([1, 2, 3].map(jti => issuer.token({ jti: String(jti) })))
    for (const claims of await Promise.all(tokens.map(token => validator.validate(token))))
      expect(claims).toMatchObject({ tenantKey: 't' })
    expect(issuer.count('/jwks')).toBe(2)
  })

  it('may be replaced under the same name: the new one is found within 30 s', async () => {
    await validator.validate(await issuer.token())
    await issuer.rotate('first')
    const tokens = await Promise.all([1, 2, 3].map(jti => issuer.token({ jti: String(jti) })))
    for (const claims of await Promise.all(tokens.map(token => validator.validate(token))))
      expect(claims).toMatchObject({ tenantKey: 't' })
    expect(issuer.count('/jwks')).toBe(2)
  })

  it('are read again at most once in 30 s for wrong signatures and unknown names together', async () => {
    const wrong = async (kid: string, reason: string) =>
      expect(await refusal(await issuer.token({}, { kid }, await signingKey('x')))).toMatchObject({ reason })
    await validator.validate(await issuer.token())
    for (const jti of [1, 2, 3]) {
      await wrong('first', 'signature')
      await wrong(String(jti), 'unknown-key')
    }
    expect(issuer.count('/jwks')).toBe(2)
    later(31_000)
    await Promise.all([wrong('first', 'signature'), wrong('first', 'signature'), wrong('b', 'unknown-key')])
    expect(issuer.count('/jwks')).toBe(3)
  })

  it('that are known stay in use for an hour while the authority is down', async () => {
    await validator.validate(await issuer.token())
    const [soon, late] = [await issuer.token({ jti: 'a' }), await issuer.token({ jti: 'b', exp: seconds(9999) })]
    await issuer.stop()
    later(1_200_000)
    expect(await validator.validate(soon)).toMatchObject({ tenantKey: 't' })
    later(2_500_000)
    expect(await refusal(late)).toMatchObject({ message: `The keys of ${issuer.issuer} cannot be read` })
  })

  it('stay in use when an unknown key causes another read that fails', async () => {
    await validator.validate(await issuer.token())
    const another = await issuer.token({ jti: 'a' })
    const unknown = await issuer.token({}, { kid: 'nobody' })
    await issuer.stop()
    expect(await refusal(unknown)).toMatchObject({ reason: 'unknown-key' })
    expect(await validator.validate(another)).toMatchObject({ tenantKey: 't' })
  })

  it('are read again after ten minutes, so that a withdrawn one is no longer accepted', async () => {
    await validator.validate(await issuer.token())
    const ofFirst = await issuer.token({ jti: 'a' })
    await issuer.rotate()
    later(601_000)
    expect(await refusal(ofFirst)).toMatchObject({ reason: 'unknown-key' })
  })

  it('admit no token after they were withdrawn, not even a cached one', async () => {
    const seen = await issuer.token()
    await validator.validate(seen)
    await issuer.rotate()
    later(601_000)
    expect(await refusal(seen)).toMatchObject({ reason: 'unknown-key' })
  })

  it('are renewed shortly before they expire, without delaying callers', async () => {
    const token = await issuer.token({ exp: seconds(9_999) })
    const first = await validator.validate(token)
    later(550_000)
    expect(await validator.validate(token)).toBe(first)
    await vi.waitFor(() => expect(issuer.count('/jwks')).toBe(2))
  })
})

describe('an authority', () => {
  it('that is down is not reported as a fault of the token, and works once it is up', async () => {
    const token = await issuer.token()
    await issuer.stop()
    expect(await refusal(token)).toBeInstanceOf(AuthorityUnavailable)
    await issuer.start()
    later(1_100)
    expect(await validator.validate(token)).toMatchObject({ clientId: 'c' })
  })

  it('that is down is asked at most once a second', async () => {
    const down = await webServer(() => ctx => {
      ctx.status = 503
    })
    validator = createTokenValidator({ authority: down.base, audience })
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => issuer.token({ iss: down.base, jti: String(n) })),
    )
    for (const token of tokens) expect(await refusal(token)).toBeInstanceOf(AuthorityUnavailable)
    expect(down.asked).toHaveLength(1)
    await down.stop()
  })

  it('whose key set fails is asked for it at most once a second', async () => {
    const site = await webServer(base => ctx => {
      if (ctx.path !== '/jwks') ctx.body = { issuer: base, jwks_uri: `${base}/jwks` }
    })
    validator = createTokenValidator({ authority: site.base, audience })
    const ask = async (kid: string) =>
      expect(await refusal(await issuer.token({ iss: site.base }, { kid }))).toBeInstanceOf(AuthorityUnavailable)
    for (const kid of ['a', 'b', 'c', 'd']) await ask(kid)
    expect(site.count('/jwks')).toBe(1)
    later(1_100)
    await ask('e')
    expect(site.count('/jwks')).toBe(2)
    await site.stop()
  })

  const wrong = {
    'names another issuer': (base: string) => ({ issuer: 'https://other.example', jwks_uri: `${base}/jwks` }),
    'names itself with a slash more': (base: string) => ({ issuer: `${base}/`, jwks_uri: `${base}/jwks` }),
    'has no keys': (base: string) => ({ issuer: base }),
    'has keys at no address': (base: string) => ({ issuer: base, jwks_uri: 'nowhere' }),
  }
  it.each(Object.entries(wrong))('whose metadata %s is not used', async (_name, metadata) => {
    const site = await webServer(base => ctx => {
      ctx.body = metadata(base)
    })
    validator = createTokenValidator({ authority: site.base, audience })
    expect(await refusal(await issuer.token({ iss: site.base }))).toBeInstanceOf(AuthorityUnavailable)
    expect(site.count('/jwks')).toBe(0)
    await site.stop()
  })

  it.each(['http://identity.example', 'ftp://127.0.0.1/identity'])('at %s is refused at the start', authority => {
    expect(() => createTokenValidator({ authority, audience })).toThrow(
      `must be https, or http on a loopback address: ${authority}`,
    )
  })
})
