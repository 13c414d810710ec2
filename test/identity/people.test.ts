// People sign in with a password: codes, sessions, links, and what their roles allow.
import { decodeJwt } from 'jose'
import { expect, inject, test, vi } from 'vitest'
import { tenantRoles } from '../../runtime/secrets/roles.js'
import { admin, api, newTenant } from '../support/api.js'
import { auditOf } from '../support/audit.js'
import { aLink, anAccount, aPerson } from '../support/console.js'
import { anEntity, aType } from '../support/factories.js'
import { paths, put } from '../support/frame.js'
import { authorizeUrl, codeOf, exchange, newBrowser, sendPassword, tokenOfPerson } from '../support/people.js'

const baseUrl = inject('baseUrl')
const tenant = await newTenant(baseUrl)
const ada = await aPerson(tenant.tenantKey, 'operator')
const platform = await admin(baseUrl)
const accounts = `/admin/v1/tenants/${tenant.tenantKey}/accounts`
const personApi = async (person: Parameters<typeof tokenOfPerson>[0]) => api(baseUrl, await tokenOfPerson(person))

test("a person's token names the account, the tenant and the scopes of the roles, and no others", async () => {
  const token = await tokenOfPerson(ada)
  expect(decodeJwt(token)).toMatchObject({
    iss: `${baseUrl}/identity`,
    aud: 'armature',
    sub: ada.id,
    client_id: 'armature-console',
    tenant_key: tenant.tenantKey,
    scope: 'FrameApi FormsApi',
  })
  expect((await api(baseUrl, token).get('/admin/v1/tenants')).status).toBe(403)
})

test('callers are told what they may do, a client and a person alike', async () => {
  const { tenantKey } = tenant
  expect((await tenant.get('/api/v1/permissions')).body).toEqual({
    tenantKey,
    actor: tenant.clientId,
    permissions: expect.arrayContaining(['Create', 'Edit:Job', 'List:Tenant']),
  })
  const { body } = await (await personApi(ada)).get<{ actor: string; permissions: string[] }>('/api/v1/permissions')
  expect(body.actor).toBe(`account:${ada.id}`)
  const named = tenantRoles.operator.permissions.filter(each => !each.includes('*'))
  expect(body.permissions).toEqual(expect.arrayContaining([...named, 'View:Audit', 'List:Subject']))
  for (const not of ['Edit:Account', 'RunExtractsAndReports']) expect(body.permissions).not.toContain(not)
  const forms = await tenant.client([], ['FormsApi'])
  expect((await forms.get('/api/v1/permissions')).body).toMatchObject({ permissions: [] })
  expect((await api(baseUrl, '').get('/api/v1/permissions')).status).toBe(401)
})

test('accounts are found by id, and those of other tenants are not', async () => {
  const operator = await personApi(ada)
  const stranger = await aPerson((await newTenant(baseUrl)).tenantKey, 'operator')
  await aPerson(tenant.tenantKey, 'auditor')
  const found = await operator.get<{ PageInfo: object; Edges: { Node: { id: string; name: string } }[] }>(
    `/api/v1/accounts?AccountId=${ada.id}&AccountId=${stranger.id}`,
  )
  expect(found.body.Edges.map(({ Node: { id, name } }) => [id, name])).toEqual([[ada.id, 'Ada Byron']])
  expect(found.body.PageInfo).toMatchObject({ TotalCount: 1 })
  expect((await operator.get('/api/v1/accounts?AccountId=ada')).status).toBe(400)
})

test('a person may do what the roles allow, and nothing else', async () => {
  const operator = await personApi(ada)
  expect((await operator.get('/api/v1/jobs')).status).toBe(200)
  expect((await operator.get('/api/v1/accounts')).status).toBe(200)
  expect((await operator.post('/api/v1/accounts', { email: 'a@b.org', name: 'A', roles: [] })).status).toBe(403)
  const auditor = await personApi(await aPerson(tenant.tenantKey, 'auditor'))
  expect((await auditor.get('/api/v1/jobs')).status).toBe(200)
  expect((await auditor.get('/api/v1/structuralEntity')).status).toBe(403)
})

test('a job belongs to the person who has started it, not to all people of the console', async () => {
  const [owner, author] = [
    await personApi(await aPerson(tenant.tenantKey, 'owner')),
    await personApi(await aPerson(tenant.tenantKey, 'author')),
  ]
  await put(owner, paths.types, aType('unit'))
  const begun = await owner.put(`${paths.entities}/bulk`, [anEntity('ward')], { prefer: 'respond-async' })
  expect(begun.status).toBe(202)
  const job = begun.headers.get('location') ?? ''
  expect((await owner.get(job)).status).toBe(200)
  expect((await author.get(job)).status).toBe(403)
})

test('a code is exchanged once, by who has begun the sign-in, at the same address', async () => {
  const browser = newBrowser()
  const led = await codeOf(browser, ada)
  expect([led.origin + led.pathname, led.searchParams.get('state')]).toEqual([`${baseUrl}/console/signed-in`, 'state'])
  const code = led.searchParams.get('code')
  expect((await exchange(code, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
  expect((await exchange(code, { redirect_uri: `${baseUrl}/console/` })).body.error).toBe('invalid_grant')
  const answers = await Promise.all([1, 2, 3].map(() => exchange(code)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('a browser is led to no other address, and not without PKCE', async () => {
  for (const redirect_uri of [
    'https://evil.example/',
    `${baseUrl}/console/signed-in/x`,
    `${baseUrl}/console/signed-in?x=1`,
  ]) {
    const { status, location } = await newBrowser().send(authorizeUrl({ redirect_uri }))
    expect([status, location]).toEqual([400, ''])
  }
  const without = await newBrowser().send(authorizeUrl({ code_challenge: undefined, code_challenge_method: undefined }))
  expect(new URL(without.location).searchParams.get('error')).toBe('invalid_request')
  const program = await newBrowser().send(authorizeUrl({ client_id: tenant.clientId }))
  expect([program.status, program.location]).toEqual([400, ''])
})

test('a sign-in belongs to the browser that has begun it, and its form to our pages', async () => {
  const { location } = await newBrowser().send(authorizeUrl())
  const form = { tenant: tenant.tenantKey, email: ada.email, password: ada.password }
  expect((await newBrowser().send(location, form)).status).toBe(400)
  const browser = newBrowser()
  const begun = await browser.send(authorizeUrl())
  const foreign = await browser.send(begun.location, form, { 'sec-fetch-site': 'cross-site' })
  expect([foreign.status, foreign.response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  expect(foreign.text).toContain('The form was sent from another site. Open the page again')
  expect((await browser.send(begun.location, form, { 'sec-fetch-site': 'same-origin' })).status).toBe(303)
})

test('the cookies are out of reach for scripts and for other paths', async () => {
  const browser = newBrowser()
  const begun = await browser.send(authorizeUrl())
  await browser.send(begun.location, { tenant: ada.tenantKey, email: ada.email, password: ada.password })
  const signedIn = newBrowser()
  await codeOf(signedIn, ada)
  for (const cookie of begun.response.headers.getSetCookie())
    expect(cookie).toMatch(/; path=\/identity\/.*; samesite=lax; httponly/i)
  expect([...signedIn.jar.values()].map(({ path }) => path)).toContain('/identity')
})

test('who is signed in is not asked again, until the account is disabled', async () => {
  const person = await aPerson(tenant.tenantKey, 'analyst')
  const browser = newBrowser()
  const token = await tokenOfPerson(person, browser)
  expect((await browser.send(authorizeUrl())).location).toContain('code=')
  const changed = await platform.put(`${accounts}/${person.id}`, { name: 'Ada', roles: ['analyst'], disabled: true })
  expect(changed.status).toBe(200)
  expect((await browser.send(authorizeUrl())).location).toContain('/identity/sign-in/')
  expect((await sendPassword(newBrowser(), person)).status).toBe(400)
  await vi.waitFor(async () => expect((await api(baseUrl, token).get('/api/v1/jobs')).status).toBe(401), 5_000)
})

test('a role that is taken away stops working within seconds, for tokens that were issued before', async () => {
  const person = await aPerson(tenant.tenantKey, 'operator')
  const operator = await personApi(person)
  expect((await operator.get('/api/v1/structuralEntity')).status).toBe(200)
  await platform.put(`${accounts}/${person.id}`, { name: 'Ada', roles: ['auditor'] })
  await vi.waitFor(async () => expect((await operator.get('/api/v1/structuralEntity')).status).toBe(403), 5_000)
})

test('whoever is refused learns only that something is wrong', async () => {
  const other = await newTenant(baseUrl)
  const unready = await anAccount(tenant.tenantKey, ['owner'])
  const wrong = [
    { ...ada, password: 'wrong' },
    { ...ada, password: '' },
    { ...ada, email: 'nobody@example.org' },
    { ...ada, tenantKey: other.tenantKey },
    { ...ada, tenantKey: 'nowhere' },
    { ...unready, password: '' },
    { ...unready, password: ada.password },
  ]
  const refusals = await Promise.all(
    wrong.map(async person => {
      const { status, text } = await sendPassword(newBrowser(), person)
      return [status, /role="alert">([^<]*)/.exec(text)?.[1]]
    }),
  )
  expect(new Set(refusals.map(String))).toEqual(
    new Set(['400,The tenant, the e-mail address or the password is wrong.']),
  )
})

test('a link lets a person choose a password once, and signs the person out everywhere', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  const browser = newBrowser()
  await codeOf(browser, person)
  const link = await aLink(person)
  expect((await browser.send(link)).status).toBe(200)
  const choose = (password: string, again = password) => newBrowser().send(link, { password, again })
  const easy = ['short', 'password1234567', 'qwertyuiop1234', person.email, 'Ada Byron 1815']
  for (const password of easy) expect((await choose(password)).status, password).toBe(400)
  expect((await choose('nine slow herons wade', 'nine slow herons')).status).toBe(400)
  const answers = await Promise.all(
    ['nine slow herons wade', 'ten tall cranes dance'].map(password => choose(password)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect((await browser.send(link)).status).toBe(400)
  expect((await browser.send(authorizeUrl())).location).toContain('/identity/sign-in/')
  const password = answers[0]?.status === 200 ? 'nine slow herons wade' : 'ten tall cranes dance'
  expect((await sendPassword(newBrowser(), person)).status).toBe(400)
  expect((await sendPassword(newBrowser(), { ...person, password })).status).toBe(303)
})

test('nobody gets more rights by an account than the caller has', async () => {
  const owner = await personApi(await aPerson(tenant.tenantKey, 'owner'))
  const boss = await anAccount(tenant.tenantKey, ['owner'])
  const limited = await tenant.client(['Edit:Account', 'List:Account', 'Edit:*', 'List:*'])
  const one = { email: 'new@example.org', name: 'New' }
  expect((await limited.post('/api/v1/accounts', { ...one, roles: ['owner'] })).status).toBe(403)
  expect((await limited.post(`/api/v1/accounts/${boss.id}/link`)).status).toBe(403)
  expect((await limited.put(`/api/v1/accounts/${boss.id}`, { name: 'X', roles: [] })).status).toBe(403)
  expect((await owner.post('/api/v1/accounts', { ...one, roles: ['owner', 'auditor'] })).status).toBe(201)
  expect((await owner.post('/api/v1/accounts', { ...one, roles: [] })).status).toBe(409)
  expect((await owner.post('/api/v1/accounts', { ...one, email: 'x@y.org', roles: ['admin'] })).status).toBe(400)
  const deputy = await personApi(await aPerson('platform', 'admin'))
  expect(
    (await deputy.post('/admin/v1/tenants/platform/accounts', { ...one, email: 's@p.org', roles: ['security'] }))
      .status,
  ).toBe(403)
  expect((await deputy.post(accounts, { ...one, email: 'o@p.org', roles: ['owner'] })).status).toBe(201)
})

test('the audit of the tenant names the person, who has signed in and what was done', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  const owner = await personApi(person)
  await owner.post('/api/v1/accounts', { email: 'audited@example.org', name: 'A', roles: [] })
  const events = await auditOf(tenant, { Person: person.id })
  expect(events.map(({ action, client }) => [action, client])).toEqual(
    ['choosePassword', 'signIn', 'createAccount'].map(action => [action, 'armature-console']),
  )
})

test('no client is called as people are', async () => {
  for (const id of ['armature-console', 'armature-pages', 'account:0193']) {
    const manifest = { name: 'A', clients: [{ id, scopes: ['FrameApi'], permissions: [] }] }
    const { status, body } = await platform.put<{ errors: object[] }>(
      `/admin/v1/tenants/${tenant.tenantKey}-x`,
      manifest,
    )
    expect([status, body.errors]).toMatchObject([409, [{ code: 'client-id-taken' }]])
  }
})
