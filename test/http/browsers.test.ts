// Compressed answers, and calls from pages of other origins.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startOwnApp } from '../support/own-app.js'

const baseUrl = inject('baseUrl')
const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(`${baseUrl}${path}`, { method, headers: { 'accept-encoding': 'identity', ...headers } })

describe('an answer above 2 kB', () => {
  test.each(['/openapi.json', '/docs/swagger-ui.css'])(
    '%s is compressed for a caller that accepts gzip',
    async path => {
      const plain = await ask(path, {})
      const small = await ask(path, { 'accept-encoding': 'gzip' })
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(small.headers.get('content-encoding')).toBe('gzip')
      for (const { headers } of [plain, small]) expect(headers.get('vary')).toMatch(/accept-encoding/i)
      const text = await plain.text()
      expect(await small.text()).toBe(text)
      expect(Number(small.headers.get('content-length'))).toBeLessThan(text.length / 2)
      expect(small.headers.get('content-type')).toBe(plain.headers.get('content-type'))
    },
  )

  test('is not compressed where gzip is refused; a HEAD has the headers of a GET', async () => {
    const refused = await ask('/openapi.json', { 'accept-encoding': 'gzip;q=0, identity' })
    expect(refused.headers.get('content-encoding')).toBeNull()
    const head = await ask('/openapi.json', { 'accept-encoding': 'gzip' }, 'HEAD')
    expect(head.headers.get('content-encoding')).toBe('gzip')
  })

  test('a small answer stays as it is', async () => {
    const { headers } = await ask('/health/live', { 'accept-encoding': 'gzip' })
    expect(headers.get('content-encoding')).toBeNull()
  })
})

describe('a page of another origin', () => {
  const origin = 'https://app.example'
  let own: Awaited<ReturnType<typeof startOwnApp>>
  beforeAll(async () => {
    own = await startOwnApp(inject('databaseUrl'), { CORS_ORIGINS: `https://other.example, ${origin}` })
  })
  afterAll(() => own.stop())
  const from = (site: string, of: string, method = 'GET', headers = {}) =>
    fetch(`${site}/api/v1/structuralEntity`, { method, headers: { origin: of, ...headers } })
  const preflight = {
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'authorization,if-match',
  }

  test('reads answers, errors too, and their headers', async () => {
    const { status, headers } = await from(own.baseUrl, origin)
    expect(status).toBe(401)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('access-control-expose-headers')).toContain('Location')
    expect(headers.get('vary')).toMatch(/origin/i)
  })

  test('is allowed to send what it asks for in its preflight', async () => {
    const { status, headers } = await from(own.baseUrl, origin, 'OPTIONS', preflight)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-methods')).toContain('PUT')
    expect(headers.get('access-control-allow-headers')).toBe('authorization,if-match')
  })

  test.each([
    ['that is not named', () => own.baseUrl, 'https://evil.example'],
    ['where none is named', () => baseUrl, origin],
  ])('%s is not allowed', async (_, site, of) => {
    for (const answer of [await from(site(), of), await from(site(), of, 'OPTIONS', preflight)])
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})
