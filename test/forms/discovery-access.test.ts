// Access to the lists of forms.
import { afterAll, describe, expect, inject, test } from 'vitest'
import { api, type Problem } from '../support/api.js'
import { aSmallTemplate, formsTenant } from '../support/factories.js'
import { problem } from '../support/http.js'
import { userIssuer } from '../support/issuer.js'

const note = [{ id: 'note', label: 'Note' }]
const form = (key: string, version: number, more: object = {}) => aSmallTemplate(note, { key, version, ...more })
const delivery = { url: 'https://example.org/forms' }
const available = '/api/clinicianforms/availableForms'
const all = '/api/clinicianforms/allAvailableForms'

const issuer = await userIssuer()
const openIdConnect = { authority: issuer.authority, audiences: 'app', scopes: 'forms' }
/** Its forms are only for who has a token. */
const [tenant, guarded] = await Promise.all([
  formsTenant({ delivery }),
  formsTenant({ delivery, launch: { openIdConnect } }),
])
await tenant.publish(
  form('wounds', 2, { title: 'Wounds' }),
  form('wounds', 10, { title: 'Wound chart' }),
  form('wounds', 11, { status: 'Development', title: 'Not yet' }),
  form('Plan', 1, { title: 'Plan' }),
  form('draft', 1, { status: 'Development' }),
)
await guarded.publish(form('wounds', 1, { title: 'Wounds' }))
afterAll(() => issuer?.stop())

/** As a program that has this token, if any. */
const list = <Body = unknown>(tenantKey: string, token = '', query = '') =>
  api(inject('baseUrl'), token).get<Body>(`${listPath(tenantKey)}${query}`)
const listPath = (tenantKey: string) => `/${tenantKey}/SinglePass/AvailableForms`

describe('the single-pass forms of a tenant', () => {
  test('are those in production, with the names of their latest versions, and need no token by default', async () => {
    const forms = [
      { name: 'Plan', key: 'Plan', versions: [1] },
      { name: 'Wound chart', key: 'wounds', versions: [2, 10] },
    ]
    const { status, headers, body } = await list(tenant.tenantKey)
    expect([status, headers.get('content-type'), body]).toEqual([200, 'application/json; charset=utf-8', forms])
    expect((await list(tenant.tenantKey, 'of no use')).body).toEqual(forms)
  })

  test('need the token that the launch policy asks for, and are 403 without it, never 401', async () => {
    const path = listPath(guarded.tenantKey)
    const good = await issuer.token(300, { scope: 'forms' })
    const refused = [
      '',
      'nonsense',
      await issuer.token(),
      await issuer.token(-3600, { scope: 'forms' }),
      guarded.forms.token,
    ]
    for (const token of refused) {
      const { status, headers, body } = await list(guarded.tenantKey, token)
      expect([status, body]).toEqual([403, problem(403, 'forbidden', path)])
      expect(headers.get('www-authenticate')).toBeNull()
    }
    expect((await list(guarded.tenantKey, '', `?token=${good}`)).status).toBe(400)
    expect((await list(guarded.tenantKey, good)).body).toEqual([{ name: 'Wounds', key: 'wounds', versions: [1] }])
  })

  test('are 404 for a tenant without a receiver, as for an unknown tenant, and empty for a tenant without forms', async () => {
    const { tenantKey, forms } = await formsTenant()
    expect([(await forms.get(available)).body, (await forms.get(all)).body]).toEqual([[], []])
    const [theirs, nobodys] = [await list<Problem>(tenantKey), await list<Problem>('no-such-tenant')]
    const { detail } = nobodys.body
    expect(theirs.body).toEqual(
      problem(404, 'not-found', listPath(tenantKey), { detail: detail.replace('no-such-tenant', tenantKey) }),
    )
    const named = (headers: Headers) => [...headers.keys()]
    expect(named(theirs.headers)).toEqual(named(nobodys.headers))
  })

  test.each(['no-such-tenant', '%20', 'a%2Fb', '-'])('of an unknown tenant (%s) are 404', async tenantKey => {
    const { status, body } = await list<Problem>(tenantKey)
    expect([status, body.type]).toEqual([404, '/problems/not-found'])
  })

  test('of a tenant whose key has a blank more are 404', async () => {
    expect((await list(`${tenant.tenantKey}%20`)).status).toBe(404)
  })

  test('have no parameters', async () => {
    const detail = expect.any(String)
    const errors = [{ pointer: '/query/publicationStatus', code: 'unknown-parameter', detail }]
    const { body } = await list(tenant.tenantKey, '', '?publicationStatus=Development')
    expect(body).toEqual(problem(400, 'validation', listPath(tenant.tenantKey), { errors }))
  })
})

describe.each(['formdefinition', 'formschema'])('%s', kind => {
  const path = (tenantKey: string, key: string, version: string) =>
    `/api/v2.0/tenant/${tenantKey}/${kind}/${key}/${version}`

  test.each([
    ['an unknown form', 'unknown', '1'],
    ['an unknown version', 'wounds', '3'],
    ['a version in development', 'wounds', '11'],
    ['a key in another letter case', 'Wounds', '2'],
    ['a key with a blank more', 'wounds%20', '2'],
    ['a version that no form can have', 'wounds', '4294967296'],
  ])('of %s is 404', async (_, key, version) => {
    const { status, body } = await tenant.forms.get<Problem>(path(tenant.tenantKey, key, version))
    expect([status, body]).toEqual([404, problem(404, 'not-found', path(tenant.tenantKey, key, version))])
  })

  test.each(['0', '-1', '1.0', 'latest', '0x1', '99999999999'])('of version %s is 400', async version => {
    const at = path(tenant.tenantKey, 'wounds', version)
    const pointer = kind === 'formschema' ? '/path/version' : '/path/formVersion'
    const errors = [{ pointer, code: 'wrong-type', detail: expect.any(String) }]
    expect((await tenant.forms.get(at)).body).toEqual(problem(400, 'validation', at, { errors }))
  })

  test('of another tenant is 404, as of one that does not exist', async () => {
    for (const tenantKey of [guarded.tenantKey, 'no-such-tenant', tenant.tenantKey.toUpperCase()]) {
      const at = path(tenantKey, 'wounds', '2')
      expect((await tenant.forms.get(at)).body).toEqual(problem(404, 'not-found', at))
    }
    expect((await guarded.forms.get(path(guarded.tenantKey, 'wounds', '2'))).status).toBe(404)
  })
})

describe('who asks for forms', () => {
  const paths = () => [
    available,
    all,
    `/api/v2.0/tenant/${tenant.tenantKey}/formdefinition/wounds/2`,
    `/api/v2.0/tenant/${tenant.tenantKey}/formschema/wounds/2`,
  ]

  test('needs a token of the scope FormsApi, and is answered 403 without it, never 401', async () => {
    for (const path of paths()) {
      for (const token of ['', 'nonsense']) {
        const { status, headers, body } = await api(inject('baseUrl'), token).get(path)
        expect([status, body]).toEqual([403, problem(403, 'forbidden', path)])
        expect(headers.get('www-authenticate')).toBeNull()
      }
      expect((await tenant.get(path)).body).toEqual(problem(403, 'insufficient-scope', path))
    }
  })

  test('needs no permission beyond it', async () => {
    const client = await tenant.formsClient([])
    for (const path of paths()) expect((await client.get(path)).body).toEqual((await tenant.forms.get(path)).body)
  })
})
