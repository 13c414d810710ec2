// Bearer tokens at the API.
import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { api, newTenant, type Problem, type Tenant } from '../support/api.js'
import { problem, send } from '../support/http.js'
import { signingKey, startIssuer } from '../support/issuer.js'
import { startOwnApp } from '../support/own-app.js'

const path = '/api/v1/group'
const challenge = 'Bearer realm="armature"'
const invalidToken = `${challenge}, error="invalid_token"`

let tenant: Tenant
let own: Awaited<ReturnType<typeof startOwnApp>>
let claims: { tenant_key: string; client_id: string; scope: string }
beforeAll(async () => {
  tenant = await newTenant(inject('baseUrl'))
  own = await startOwnApp(inject('databaseUrl'))
  claims = { tenant_key: tenant.tenantKey, client_id: `${tenant.tenantKey}-0`, scope: 'FrameApi' }
})
afterAll(() => own.stop())

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow

describe('a request without a bearer token is 401 with a challenge', () => {
  test.each([
    ['no header', {}],
    ['an empty header', { authorization: '' }],
    ['Basic', { authorization: `Basic ${Buffer.from('demo-integration:demo-integration-secret').toString('base64')}` }],
    ['Bearer alone', { authorization: 'Bearer' }],
    ['an empty bearer', { authorization: 'Bearer  ' }],
    ['two tokens', { authorization: 'Bearer a b' }],
    ['another scheme', { authorization: 'DPoP abc' }],
    ['the token in the query', {}, `?access_token=abc`],
  ])('%s', async (_, headers: object, query = '') => {
    const answer = await send(inject('baseUrl'), path + query, { headers: { ...headers } })
    expect(JSON.parse(answer.text)).toEqual(problem(401, 'unauthenticated', path))
    expect(answer.headers['www-authenticate']).toBe(challenge)
  })
})

test('the scheme is taken in any letter case', async () => {
  const { status } = await api(inject('baseUrl'), '').get(path, { authorization: `bEARER   ${tenant.token} ` })
  expect(status).toBe(200)
})

test('a valid token of an issuer that is configured is accepted', async () => {
  const { status, body } = await api(own.baseUrl, await own.issuer.token(claims)).get(path)
  expect([status, body]).toEqual([200, { PageInfo: expect.objectContaining({ TotalCount: 0 }), Edges: [] }])
})

describe('a token is 401 invalid_token', () => {
  const cases: Record<string, () => Promise<string> | string> = {
    garbage: () => 'garbage',
    'three parts of garbage': () => 'a.b.c',
    'of 8,000 letters': () => 'a'.repeat(8_000),
    'that has expired': () => own.issuer.token({ ...claims, exp: seconds(-61) }),
    'that is not yet valid': () => own.issuer.token({ ...claims, nbf: seconds(120) }),
    'that never expires': () => own.issuer.token({ ...claims, exp: undefined }),
    'for another audience': () => own.issuer.token({ ...claims, aud: 'somebody' }),
    'that names another issuer': () => own.issuer.token({ ...claims, iss: 'https://issuer.example' }),
    'of the platform itself, where another issuer is configured': () => tenant.token,
    'with alg none': () =>
      new UnsecuredJWT({ ...claims, iss: own.issuer.issuer, aud: 'armature' }).setExpirationTime('1h').encode(),
    'in HS256 with the public key as the secret': async () =>
      new SignJWT({ ...claims, iss: own.issuer.issuer, aud: 'armature' })
        .setProtectedHeader({ alg: 'HS256', kid: own.issuer.key().kid })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(await exportSPKI(own.issuer.key().publicKey))),
    'signed by somebody else under our key id': async () =>
      own.issuer.token(claims, {}, await signingKey(own.issuer.key().kid)),
    'of a key that nobody published': () => own.issuer.token(claims, { kid: 'unknown' }),
    'without a tenant': () => own.issuer.token({ ...claims, tenant_key: undefined }),
    'of a client that does not exist': () => own.issuer.token({ ...claims, client_id: 'nobody' }),
    'of a tenant that does not exist': () => own.issuer.token({ ...claims, tenant_key: 'nowhere' }),
    'of a client in another tenant than its own': () => own.issuer.token({ ...claims, tenant_key: 'demo' }),
    'of a client that is written in another case': () =>
      own.issuer.token({ ...claims, client_id: claims.client_id.toUpperCase() }),
  }

  test.each(Object.entries(cases))('%s', async (_, make) => {
    const token = await make()
    const { status, headers, body } = await api(own.baseUrl, token).get<Problem>(path)
    expect(body).toEqual(problem(401, 'unauthenticated', path))
    expect([status, headers.get('www-authenticate')]).toEqual([401, invalidToken])
    expect(JSON.stringify(body)).not.toContain(token)
    expect(own.lines.join()).not.toContain(token)
  })

  test('of a second real issuer that is not ours', async () => {
    const other = await startIssuer()
    const { headers, body } = await api(inject('baseUrl'), await other.token(claims)).get<Problem>(path)
    expect(body).toEqual(problem(401, 'unauthenticated', path))
    expect(headers.get('www-authenticate')).toBe(invalidToken)
    expect(other.asked).toEqual([])
    await other.stop()
  })
})

test('while the issuer cannot be reached, a token that needs it is 503 with Retry-After, and works again afterwards', async () => {
  const lonely = await startOwnApp(inject('databaseUrl'))
  const token = await lonely.issuer.token(claims)
  await lonely.issuer.stop()
  const away = await api(lonely.baseUrl, token).get<Problem>(path)
  expect(away.body).toEqual(problem(503, 'unavailable', path))
  expect(away.headers.get('retry-after')).toBe('5')
  await lonely.issuer.start()
  await expect.poll(async () => (await api(lonely.baseUrl, token).get(path)).status).toBe(200)
  await lonely.stop()
})
