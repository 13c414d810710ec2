// Sign-in to form pages.
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { problem } from '../support/http.js'
import { editPath, saysOf, signIn } from '../support/instances.js'
import { form, page } from '../support/launches.js'
import { startOwnApp } from '../support/own-app.js'

const publicUrl = 'https://forms.example.org'
const guid = randomUUID()
const path = editPath('demo', guid)

let own: Awaited<ReturnType<typeof startOwnApp>>
let token: string
const tokenWith = (claims: object) =>
  own.issuer.token({ tenant_key: 'demo', client_id: 'demo-integration', scope: 'FormsApi', ...claims })
beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'), { PUBLIC_URL: publicUrl })
  token = await tokenWith({})
})
afterAll(() => own.stop())

test('the token becomes a cookie of the pages of this tenant, which no script reads and no address has', async () => {
  const answer = await signIn('demo', token, path, own.baseUrl)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
  expect(answer.headers.getSetCookie()).toEqual([
    `armature-forms=${token}; path=/forms/demo/; samesite=lax; secure; httponly`,
  ])
  expect(answer.text).not.toContain(token)
  const opened = await page(path, { headers: { cookie: `armature-forms=${token}` } }, own.baseUrl)
  expect(saysOf(opened)).toMatchObject({ status: 404, title: 'There is no such form' })
  const lines = own.lines.join('')
  expect(lines).toContain('/forms/demo/sign-in')
  expect(lines).not.toContain(token.slice(-40))
})

test.each([
  ['its whole address', `${publicUrl}${path}?a=b#c`, `${path}?a=b#c`],
  ['with a name before the host', `https://evil.example@forms.example.org${path}`, path],
  ['dots that stay below', '/forms/demo/x/%2e%2e/instances/', '/forms/demo/instances/'],
  ['slashes that are part of a name', '/forms/demo/..%2f..%2fapi', '/forms/demo/..%2f..%2fapi'],
])('a page of this tenant is gone to: %s', async (_, to, location) => {
  const answer = await signIn('demo', token, to, own.baseUrl)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, location])
})

test.each([
  '',
  '/',
  '//evil.example/forms/demo/',
  '/\\evil.example/forms/demo/',
  '\\\\evil.example/forms/demo/',
  '\t//evil.example/forms/demo/',
  'https:evil',
  'https://evil.example/forms/demo/',
  'https://forms.example.org.evil.example/forms/demo/',
  'http://forms.example.org/forms/demo/',
  'javascript:alert(1)//forms/demo/',
  'data:text/html,/forms/demo/',
  `blob:${publicUrl}/forms/demo/`,
  'http://[',
  'forms/other/',
  '/forms/demo',
  '/forms/other/instances/',
  '/forms/demo/../other/instances/',
  '/forms/demo/%2e%2e/other/instances/',
  '/forms/demo/.%2E/%2E./api/',
  '/docs',
])('a sign-in does not redirect to %j', async to => {
  const answer = await signIn('demo', token, to, own.baseUrl)
  expect([answer.status, answer.headers.get('location'), answer.headers.getSetCookie()]).toEqual([400, null, []])
  expect(answer.text).toContain('must be a page below /forms/demo/')
})

const now = () => Math.floor(Date.now() / 1000)
const notSignedIn = { status: 403, title: 'You are not signed in' }

test.each<[name: string, token: () => Promise<string> | string, says: object]>([
  ['none', () => '', notSignedIn],
  ['no token at all', () => 'nonsense', notSignedIn],
  ['one of another signature', () => `${token.slice(0, -6)}AAAAAA`, notSignedIn],
  ['one that has expired', () => tokenWith({ exp: now() - 120 }), notSignedIn],
  ['one of a client that the tenant does not have', () => tokenWith({ client_id: 'nobody' }), notSignedIn],
  ['one with more behind it', () => `${token}; domain=example.org`, notSignedIn],
  [
    'one of another scope',
    () => tokenWith({ scope: 'FrameApi' }),
    { status: 403, title: 'This form cannot be opened' },
  ],
  [
    'one of another tenant',
    () => tokenWith({ tenant_key: 'other', client_id: 'other-integration' }),
    { status: 404, title: 'There is no such form' },
  ],
  ['one that no browser keeps', () => tokenWith({ more: 'x'.repeat(4_000) }), { status: 400 }],
])('a token is refused: %s', async (_, given, says) => {
  const bad = await given()
  const answer = await signIn('demo', bad, path, own.baseUrl)
  expect(saysOf(answer)).toMatchObject(says)
  expect([answer.headers.getSetCookie(), answer.headers.get('location')]).toEqual([[], null])
  if (bad.length > 10) expect(answer.text).not.toContain(bad)
})

test('a visitor who is not signed in is told what to do', async () => {
  const expired = await tokenWith({ exp: now() - 120 })
  for (const headers of [{}, { cookie: `armature-forms=${expired}` }]) {
    for (const at of [path, `${path}/versions/${guid}`]) {
      const answer = await page(at, { headers }, own.baseUrl)
      expect(saysOf(answer)).toMatchObject(notSignedIn)
      expect(answer.text).toContain('Open the form from your application again.')
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    const posted = await page(path, { method: 'POST', headers, body: new FormData() }, own.baseUrl)
    expect(saysOf(posted)).toMatchObject(notSignedIn)
    expect(posted.text).toContain('2. Load this page again.')
  }
  const program = await api(own.baseUrl, '').get(path)
  expect(program).toMatchObject({ status: 403, body: problem(403, 'forbidden', path) })
})

test('a token in the address lets nobody in', async () => {
  const answer = await page(`${path}?token=${token}&access_token=${token}`, {}, own.baseUrl)
  expect(saysOf(answer)).toMatchObject(notSignedIn)
})

describe('a stranger may post only a small, uncompressed form', () => {
  const urlencoded = 'application/x-www-form-urlencoded'
  const type = { 'content-type': urlencoded }
  const urls = ['/forms/demo/sign-in', '/demo/SinglePass/none/launch', '/demo/SinglePass/none/1/launch']
  const refused: [string, RequestInit, status: number, code: string][] = [
    ['over 64 KB', { headers: type, body: `token=${'x'.repeat(65_536)}` }, 413, 'body-too-large'],
    ['over 100 fields', { headers: type, body: 'a&'.repeat(100) }, 413, 'too-many-fields'],
    ['in parts', form(['token', 'a']), 415, 'content-type'],
    [
      'in gzip',
      { headers: { ...type, 'content-encoding': 'gzip' }, body: gzipSync('token=a') },
      415,
      'content-encoding',
    ],
    [
      'in Latin-1',
      { headers: { 'content-type': `${urlencoded}; charset=latin1` }, body: 'token=a' },
      415,
      'content-type',
    ],
    ['that is none', { headers: { 'content-type': 'text/plain' }, body: 'token=a' }, 415, 'content-type'],
  ]
  test.each(refused)('%s', async (_, init, status, code) => {
    for (const url of urls) {
      const answer = await fetch(own.baseUrl + url, { ...init, method: 'POST' })
      expect(await answer.json()).toEqual(problem(status, code, url))
    }
  })
})
