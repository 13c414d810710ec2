// The page `/docs`.
import { describe, expect, inject, test } from 'vitest'
import { policyOf, send } from '../support/http.js'

const baseUrl = inject('baseUrl')
const get = (path: string) => send(baseUrl, path)
const page = (await get('/docs')).text

test('/docs is a page, and /docs/ leads there', async () => {
  const { status, headers } = await get('/docs')
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page).toContain('<title>Armature API</title>')
  const { status: redirected, headers: to } = await get('/docs/')
  expect([redirected, to.location]).toEqual([302, '../docs'])
})

test('everything that the page loads is served from here', async () => {
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '')
  expect(loaded.length).toBeGreaterThan(4)
  for (const path of loaded) {
    expect(path).toMatch(/^docs\//)
    const { status, headers, text } = await get(`/${path}`)
    expect([status, text.length > 100], path).toEqual([200, true])
    expect(headers['content-type']).toMatch(/^(text\/(css|javascript)|image\/png)/)
  }
})

test('page, style and script name no other host than this one', async () => {
  for (const path of ['/docs', '/docs/page.css', '/docs/page.js']) {
    const { text } = await get(path)
    for (const [address] of text.matchAll(/(https?:)?\/\/[\w.-]+(:\d+)?/g)) expect(address).toBe(baseUrl)
  }
})

test('the browser is told to talk to this host only, and to show the page in no frame', async () => {
  const { headers } = await get('/docs')
  expect(policyOf(String(headers['content-security-policy']))).toEqual({
    'default-src': "'self'",
    'connect-src': `'self' ${baseUrl}`,
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'img-src': "'self' data:",
    'style-src': "'self' 'unsafe-inline'",
  })
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' })
})

describe("the page's form", () => {
  test('asks for all that a token request takes, and sends it to where tokens come from', async () => {
    expect(page).toContain(`action="${baseUrl}/identity/connect/token"`)
    const names = [...page.matchAll(/<(?:input|select) name="(\w+)"/g)].map(match => match[1])
    expect(names).toEqual(['tenant_key', 'client_id', 'client_secret', 'scope'])
    const filled = {
      tenant_key: 'demo',
      client_id: 'demo-reader',
      client_secret: 'demo-reader-secret',
      scope: 'FrameApi',
    }
    const answer = await fetch(`${baseUrl}/identity/connect/token`, {
      method: 'POST',
      headers: { origin: baseUrl },
      body: new URLSearchParams({ ...filled, grant_type: 'client_credentials' }),
    })
    expect(await answer.json()).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer' })
  })

  test('keeps the secret out of sight and out of addresses', () => {
    expect(page).toMatch(/<input name="client_secret" type="password"/)
  })
})

test('files that the page does not link are not served', async () => {
  for (const path of ['/docs/page', '/docs/index', '/docs/constructor', '/docs/__proto__']) {
    expect((await get(path)).status).toBe(404)
  }
})

test('a browser that has a file already gets 304', async () => {
  const path = '/docs/swagger-ui-bundle.js'
  const { headers } = await get(path)
  const again = await send(baseUrl, path, { headers: { 'if-none-match': String(headers.etag) } })
  expect([again.status, again.text]).toEqual([304, ''])
})
