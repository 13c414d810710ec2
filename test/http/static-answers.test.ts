// Answers that are the same for everybody.
import { expect, inject, test } from 'vitest'

const get = (path: string, headers: Record<string, string>) => fetch(new URL(path, inject('baseUrl')), { headers })

test.each([
  '/openapi.json',
  '/admin/v1/manifest.schema.json',
  '/admin/v1/form.schema.json',
  '/docs',
  '/docs/swagger-ui-bundle.js',
  '/docs/frame.md',
  '/problems/busy',
  '/forms/assets/form.js',
])('%s is sent compressed, and not at all to those who have it', async path => {
  const plain = await get(path, { 'accept-encoding': 'identity' })
  const gzip = await get(path, { 'accept-encoding': 'gzip' })
  expect([plain.status, gzip.status]).toEqual([200, 200])
  expect([plain.headers.get('content-encoding'), gzip.headers.get('content-encoding')]).toEqual([null, 'gzip'])
  expect(plain.headers.get('vary')).toContain('Accept-Encoding')
  const text = await plain.text()
  expect(await gzip.text()).toBe(text)
  expect(Number(gzip.headers.get('content-length'))).toBeLessThan(text.length)
  const again = await get(path, { 'if-none-match': plain.headers.get('etag') ?? '', 'cache-control': 'max-age=0' })
  expect([again.status, await again.text()]).toEqual([304, ''])
})
