// Tokens that pages of other sites post (login CSRF).
import { afterAll, describe, expect, inject, test } from 'vitest'
import { aSmallTemplate, launchTenant } from '../support/factories.js'
import { editPath, saysOf } from '../support/instances.js'
import { hidden, page, smallForm } from '../support/launches.js'

const applications = ['https://portal.example.org', 'http://Localhost:4000', 'https://other.example:443']
const note = aSmallTemplate([{ id: 'note', label: 'Note', required: true }])
const tenant = await launchTenant([note], ({ url }) => ({ delivery: { url }, applications }))
const without = await launchTenant([note])
afterAll(() => Promise.all([tenant.endpoint.stop(), without.endpoint.stop()]))

type Headers = Record<string, string>
const post = (of: typeof tenant, path: string, headers: Headers) =>
  page(path, {
    ...smallForm(['token', of.forms.token], ['to', editPath(of.tenantKey, crypto.randomUUID())]),
    headers,
  })
const signIn = (of: typeof tenant, headers: Headers) => post(of, `/forms/${of.tenantKey}/sign-in`, headers)
const launch = (of: typeof tenant, headers: Headers) => post(of, of.path('small', 'launch'), headers)

const foreign: [name: string, headers: Headers][] = [
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a sibling of an application', { origin: 'https://evil.example.org', 'sec-fetch-site': 'same-site' }],
  ['an application over http', { origin: 'http://portal.example.org' }],
  ['another port of an application', { origin: 'https://portal.example.org:8443' }],
  ['an address that begins like an application', { origin: 'https://portal.example.org.evil.example' }],
  ['our own origin, which tenants’ endpoints have too', { origin: inject('baseUrl'), 'sec-fetch-site': 'same-origin' }],
  ['a page that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a page whose origin was taken out on the way', { 'sec-fetch-site': 'cross-site' }],
]
const known: [name: string, headers: Headers][] = [
  ['an application', { origin: 'https://portal.example.org', 'sec-fetch-site': 'cross-site' }],
  ['an application on this machine', { origin: 'http://localhost:4000', 'sec-fetch-site': 'same-site' }],
  ['an application with the usual port', { origin: 'https://other.example' }],
  ['a program', {}],
]

describe('a token posted by', () => {
  test.each(foreign)('%s neither signs anybody in nor opens a form', async (_, headers) => {
    const signed = await signIn(tenant, headers)
    expect(saysOf(signed)).toMatchObject({ status: 403, title: 'This form cannot be opened' })
    expect([signed.headers.getSetCookie(), signed.headers.get('location')]).toEqual([[], null])
    const launched = await launch(tenant, headers)
    expect([launched.status, hidden(launched.text, 'ticket')]).toEqual([403, ''])
    for (const { text } of [signed, launched]) {
      expect(text).toMatch(/forms\.applications in the manifest|Referrer-Policy/)
      expect(text).not.toContain(tenant.forms.token)
    }
  })

  test.each(known)('%s signs in and opens a form', async (_, headers) => {
    const signed = await signIn(tenant, headers)
    expect([signed.status, signed.headers.getSetCookie()]).toEqual([303, [expect.stringContaining(tenant.forms.token)]])
    const launched = await launch(tenant, headers)
    expect([launched.status, hidden(launched.text, 'ticket')]).toEqual([200, expect.stringMatching(/^sealed\./)])
  })
})

test('a tenant without applications takes no token from any site', async () => {
  for (const [, headers] of known.slice(0, -1)) {
    expect((await signIn(without, headers)).status).toBe(403)
    expect((await launch(without, headers)).status).toBe(403)
  }
})

test('a form that needs no token can be opened from every site', async () => {
  for (const [, headers] of foreign) {
    expect((await page(tenant.path('small', 'launch'), { ...smallForm(), headers })).status).toBe(200)
    expect((await page(tenant.path('small'), { headers })).status).toBe(200)
  }
})
