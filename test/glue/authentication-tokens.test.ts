// Validation of users' tokens.
import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { openDatabase } from '../support/factories.js'
import { bearer, type Callers, call, expectRefusal, startCallers } from '../support/glue-callers.js'
import { signingKey } from '../support/issuer.js'
import { algorithms, type SecondProvider, startSecondProvider } from '../support/second-provider.js'

let provider: SecondProvider
let other: SecondProvider
let callers: Callers
let tenantKey: string
const db = openDatabase()

const steps = [{ name: 'answer', respond: {} }]

beforeAll(async () => {
  provider = await startSecondProvider()
  other = await startSecondProvider()
  callers = await startCallers([new URL(provider.url).host, new URL(other.url).host])
  const endpointWith = (key: string, openIdConnect: object) => ({ key, steps, authentication: [{ openIdConnect }] })
  const { issuer: authority } = provider
  const own = { authority: callers.platform.issuer, audiences: 'armature' }
  const tenant = await newTenant(
    inject('baseUrl'),
    {},
    {
      glue: {
        variables: { authority, audience: 'app-b', scope: 'write' },
        endpoints: [
          endpointWith('scoped', { authority, audiences: 'app-a, app-b', scopes: 'read,write' }),
          endpointWith('unscoped', { authority, audiences: 'app-a' }),
          endpointWith('templated', {
            authority: '{{ variables.authority }}',
            audiences: 'app-x,{{ variables.audience }}',
            scopes: 'read, {{ variables.scope }}',
          }),
          endpointWith('slash', { authority: `${authority}/`, audiences: 'app-a' }),
          endpointWith('own', own),
          endpointWith('own-scoped', { ...own, scopes: 'GlueRuntimeApi' }),
          {
            key: 'twice',
            steps,
            authentication: [
              { openIdConnect: { authority, audiences: 'app-a' } },
              { openIdConnect: { authority, audiences: 'app-b' } },
            ],
          },
        ],
      },
    },
  )
  tenantKey = tenant.tenantKey
  // The clients -1, -2 and -3.
  await tenant.clients([[], [], []], ['GlueRuntimeApi'])
})
afterAll(() => Promise.all([callers.stop(), provider.stop(), other.stop()]))

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow
const send = (endpoint: string, token: string) => call(callers.baseUrl, `${tenantKey}/${endpoint}`, bearer(token))

describe('a token of the provider itself is admitted, and handed to the pipeline', () => {
  test.each(algorithms)('signed with %s', async alg => {
    const token = await provider.issue(alg, 'app-b', 'read write')
    const { status, body } = await send('scoped', token)
    expect([status, body]).toEqual([200, { userToken: token }])
  })
})

describe('a token that keeps every rule is admitted', () => {
  const kept: [string, string, () => Promise<string>][] = [
    ['with the first of the audiences', 'scoped', () => provider.token()],
    ['with the other audience', 'scoped', () => provider.token({ aud: 'app-b' })],
    ['with one audience among others', 'scoped', () => provider.token({ aud: ['x', 'app-b', 'y'] })],
    ['with more scopes than are asked for', 'scoped', () => provider.token({ scope: 'a write b read c' })],
    ['with its scopes as several claims', 'scoped', () => provider.token({ scope: ['write', 'read'] })],
    ['with its scopes in scp', 'scoped', () => provider.token({ scope: undefined, scp: ['read', 'write'] })],
    ['with its scopes in scp as one text', 'scoped', () => provider.token({ scope: undefined, scp: 'read write' })],
    ['with its scopes in both claims', 'scoped', () => provider.token({ scope: 'read', scp: ['write'] })],
    ['without a scope claim where none is asked for', 'unscoped', () => provider.token({ scope: undefined })],
    ['with a scope that is null where none is asked for', 'unscoped', () => provider.token({ scope: null })],
    [
      'with a scope that is null, and its scopes in scp',
      'scoped',
      () => provider.token({ scope: null, scp: 'read write' }),
    ],
    ['with a time before which it must not be used that is null', 'unscoped', () => provider.token({ nbf: null })],
    ['with a time of issue that is null', 'unscoped', () => provider.token({ iat: null })],
    ['with an odd scope claim where none is asked for', 'unscoped', () => provider.token({ scope: { a: [1] } })],
    ['a minute after it has expired', 'scoped', () => provider.token({ exp: seconds(-55) })],
    ['a minute before its time', 'scoped', () => provider.token({ nbf: seconds(55) })],
    ['that names no key, where the algorithm leaves one', 'scoped', () => provider.token({}, { kid: undefined })],
    ['of no tenant: matching is for our own identity service only', 'scoped', () => provider.token()],
    ['of another tenant there', 'scoped', () => provider.token({ tenant_key: 'somebody-else', client_id: 7 })],
    ['where every setting is a template', 'templated', () => provider.token({ aud: 'app-b' })],
    ['of the type of access tokens', 'scoped', () => provider.token({}, { typ: 'application/at+jwt' })],
    ['of our own identity service, for the same tenant', 'own', () => ownToken({ tenant_key: tenantKey })],
    ['of an access token of Keycloak', 'unscoped', () => provider.token({ typ: 'Bearer', nonce: 'n', azp: 'app-a' })],
    [
      'of an access token of Entra for its own app, by roles',
      'unscoped',
      () => provider.token({ scope: undefined, azp: 'app-a', roles: ['reader'] }),
    ],
    ['of an access token of Cognito', 'unscoped', () => provider.token({ token_use: 'access', auth_time: 1 })],
    [
      'of an access token with its type, whatever its claims look like',
      'unscoped',
      () => provider.token({ scope: undefined, nonce: 'n', at_hash: 'h' }, { typ: 'at+jwt' }),
    ],
    ['with a confirmation that is null', 'unscoped', () => provider.token({ cnf: null })],
    ['for an audience of each of two methods', 'twice', () => provider.token({ aud: ['app-a', 'app-b'] })],
  ]
  test.each(kept)('%s', async (_, endpoint, make) => {
    const token = await make()
    const { status, body } = await send(endpoint, token)
    expect([status, body]).toEqual([200, { userToken: token }])
  })
})

describe('a token of our own identity service', () => {
  const client = (id: string) => db('clients').where({ client_id: `${tenantKey}-${id}` })
  const tokenOf = (id: string) =>
    callers.platform.token({ tenant_key: tenantKey, client_id: `${tenantKey}-${id}`, scope: 'GlueRuntimeApi' })

  test('admits a client until the client is removed or disabled', async () => {
    const [enabled, deleted] = [await tokenOf('1'), await tokenOf('2')]
    for (const token of [enabled, deleted]) expect((await send('own', token)).status).toBe(200)
    await client('1').update({ disabled: 1 })
    await client('2').delete()
    for (const token of [enabled, deleted]) {
      const traceId = expectRefusal(await send('own', token), `${tenantKey}/own`)
      expect(callers.reasonOf(traceId)).toBe('openIdConnect: client')
    }
  })

  test('counts only while the client has the required scope', async () => {
    const token = await tokenOf('3')
    expect((await send('own-scoped', token)).status).toBe(200)
    await client('3').update({ scopes: '["FrameApi"]' })
    const traceId = expectRefusal(await send('own-scoped', token), `${tenantKey}/own-scoped`)
    expect(callers.reasonOf(traceId)).toBe('openIdConnect: scope')
  })

  test.each(['0', 'nobody'])('of a client of another tenant (%s) is refused', async id => {
    const token = await callers.platform.token({ tenant_key: 'demo', client_id: `${tenantKey}-${id}` })
    expectRefusal(await send('own', token), `${tenantKey}/own`)
  })
})

const ownToken = (claims: object) => callers.platform.token({ scope: undefined, client_id: undefined, ...claims })
const ownLogoutToken = () => callers.platform.token({ tenant_key: tenantKey }, { typ: 'logout+jwt' })

describe('a token that breaks one rule is refused like any other, and the log says which', () => {
  const broken: [string, string, string, () => Promise<string> | string][] = [
    ['of another issuer', 'scoped', 'issuer', () => other.token()],
    ['that names another issuer', 'scoped', 'issuer', () => provider.token({ iss: other.issuer })],
    ['whose issuer ends with a slash', 'scoped', 'issuer', () => provider.token({ iss: `${provider.issuer}/` })],
    ['whose issuer has another letter case', 'scoped', 'issuer', () => provider.token({ iss: shouted() })],
    ['without an issuer', 'scoped', 'issuer', () => provider.token({ iss: undefined })],
    ['where the setting has a slash more', 'slash', 'issuer', () => provider.token()],
    ['for another audience', 'scoped', 'audience', () => provider.token({ aud: 'app-c' })],
    ['for other audiences', 'scoped', 'audience', () => provider.token({ aud: ['app', 'app-a,app-b'] })],
    ['for an audience in another letter case', 'scoped', 'audience', () => provider.token({ aud: 'App-A' })],
    ['without an audience', 'scoped', 'audience', () => provider.token({ aud: undefined })],
    ['with an empty audience', 'scoped', 'audience', () => provider.token({ aud: '' })],
    ['with an audience that is no text', 'scoped', 'audience', () => provider.token({ aud: { a: 'app-a' } })],
    ['for the audience of one of two methods', 'twice', 'audience', () => provider.token()],
    ['without one of the scopes', 'scoped', 'scope', () => provider.token({ scope: 'read' })],
    ['without any scope', 'scoped', 'scope', () => provider.token({ scope: undefined })],
    ['with a scope in another letter case', 'scoped', 'scope', () => provider.token({ scope: 'read Write' })],
    ['with a longer scope', 'scoped', 'scope', () => provider.token({ scope: 'read write-all' })],
    ['with its scopes in commas', 'scoped', 'scope', () => provider.token({ scope: 'read,write' })],
    ['with a scope that is no text', 'scoped', 'scope', () => provider.token({ scope: { read: 1, write: 1 } })],
    ['with a number among its scopes', 'scoped', 'scope', () => provider.token({ scope: ['read', 'write', 1] })],
    [
      'without a scope that a template names',
      'templated',
      'scope',
      () => provider.token({ aud: 'app-b', scope: 'read' }),
    ],
    ['for an audience that no template names', 'templated', 'audience', () => provider.token()],
    ['that has expired', 'scoped', 'expired', () => provider.token({ exp: seconds(-65) })],
    ['without an expiry', 'scoped', 'claims', () => provider.token({ exp: undefined })],
    ['with an expiry that is no number', 'scoped', 'claims', () => provider.token({ exp: 'tomorrow' })],
    ['before its time', 'scoped', 'not-yet-valid', () => provider.token({ nbf: seconds(65) })],
    ['of a key nobody published', 'scoped', 'unknown-key', () => provider.token({}, { kid: 'nobody' })],
    ['of a key of another provider', 'scoped', 'unknown-key', () => provider.token({}, {}, strangers('ES256', 'own'))],
    ['of another key under a published name', 'scoped', 'signature', async () => platformSigned()],
    ['whose payload was changed', 'scoped', 'signature', async () => changed(await provider.token())],
    ['without a signature (alg none)', 'scoped', 'algorithm', () => unsigned()],
    ['signed with the public key as a secret', 'scoped', 'algorithm', () => withPublicKey()],
    ['cut short', 'scoped', 'signature', async () => (await provider.token()).slice(0, -8)],
    ['that is a logout token', 'scoped', 'type', () => provider.token({}, { typ: 'logout+jwt' })],
    ['that is a logout token of our own', 'own', 'type', () => ownLogoutToken()],
    ['that is an ID token with a hash', 'unscoped', 'id-token', () => idToken({ at_hash: 'h' })],
    ['that is an ID token of a hybrid flow', 'unscoped', 'id-token', () => provider.token({ c_hash: 'h' })],
    ['that is an ID token with a nonce', 'unscoped', 'id-token', () => idToken({ nonce: 'n' })],
    ['that is an ID token for its client', 'unscoped', 'id-token', () => idToken({ azp: 'app-a' })],
    ['that is an ID token of Keycloak', 'scoped', 'id-token', () => provider.token({ typ: 'ID' })],
    ['that is an ID token of Cognito', 'scoped', 'id-token', () => provider.token({ token_use: 'id' })],
    [
      'that is bound to a key of DPoP',
      'scoped',
      'bound',
      () => provider.token({ cnf: { jkt: 'k' } }, { typ: 'at+jwt' }),
    ],
    ['that is bound to a certificate', 'scoped', 'bound', () => provider.token({ cnf: { 'x5t#S256': 'k' } })],
    ['of our own that is bound', 'own', 'bound', () => ownToken({ tenant_key: tenantKey, cnf: { jkt: 'k' } })],
    ['that is noise', 'scoped', 'malformed', () => 'a.b.c'],
    ['of 15,000 letters', 'scoped', 'malformed', () => 'a'.repeat(15_000)],
    ['of our own identity service, for another tenant', 'own', 'tenant', () => ownToken({ tenant_key: 'demo' })],
    ['of our own identity service, for no tenant', 'own', 'tenant', () => ownToken({ tenant_key: undefined })],
    ['of our own for another audience', 'own', 'audience', () => ownToken({ tenant_key: tenantKey, aud: 'x' })],
  ]

  const idToken = (claims: object) => provider.token({ scope: undefined, auth_time: 1, ...claims })
  const shouted = () => provider.issuer.replace('http', 'HTTP')
  const strangers = (alg: 'ES256', kid: string) => ({ ...other.keyOf(alg), kid })

  async function platformSigned() {
    const { privateKey } = await signingKey('x')
    return provider.token({}, {}, { ...provider.keyOf('RS256'), privateKey })
  }

  function changed(token: string) {
    const [header, payload = '', signature] = token.split('.')
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'root' }
    return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
  }

  const rightClaims = () => ({ iss: provider.issuer, aud: 'app-a', scope: 'read write', exp: seconds(600) })
  const unsigned = () => new UnsecuredJWT(rightClaims()).encode()

  async function withPublicKey() {
    const { publicKey, kid } = provider.keyOf('RS256')
    const secret = new TextEncoder().encode(await exportSPKI(publicKey))
    return new SignJWT(rightClaims()).setProtectedHeader({ alg: 'HS256', kid }).sign(secret)
  }

  test.each(broken)('%s', async (_, endpoint, reason, make) => {
    const token = await make()
    const traceId = expectRefusal(await send(endpoint, token), `${tenantKey}/${endpoint}`)
    expect(callers.reasonOf(traceId)).toBe(`openIdConnect: ${reason}`)
    expect(callers.mentions(token)).toBe(false)
  })
})
