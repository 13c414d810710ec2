// Styles and scripts of form pages.
import { expect, inject, test } from 'vitest'
import { aSmallTemplate, aTemplate, launchTenant } from '../support/factories.js'
import { aPageOf } from '../support/form-templates.js'

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${inject('baseUrl')}${path}`, { headers })

test('style and script are served with their types, and 304 while they are unchanged', async () => {
  for (const [path, type] of [
    ['/forms/assets/form.css', 'text/css; charset=utf-8'],
    ['/forms/assets/form.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60')
    // Without the second header fetch asks for no 304 (Fetch standard: no-cache).
    const again = await get(path, { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=0' })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
})

test('the script is one file, which imports nothing and is compressed', async () => {
  const answer = await get('/forms/assets/form.js', { 'accept-encoding': 'gzip' })
  expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'gzip'])
  expect(await answer.text()).not.toMatch(/\b(?:import|from)\s*\(?\s*["'`]/)
  expect(aPageOf([{ id: 'a', label: 'A' }]).match(/<script[^>]* src=|modulepreload/g)).toHaveLength(1)
})

test('a page of any size is compressed for callers that accept gzip, and equals the uncompressed one', async () => {
  const controls = Array.from({ length: 300 }, (_, n) => ({ id: `c${n}`, label: `Question ${n}` }))
  const sections = [{ id: 'only', controls: controls.slice(0, 9) }]
  const short = aTemplate({ key: 'short', buildingBlocks: [{ key: 'short', sections }] })
  const tenant = await launchTenant([aSmallTemplate(controls), short])
  for (const key of ['small', 'short']) {
    const [zipped, plain] = await Promise.all(
      ['gzip', 'identity'].map(encoding => get(tenant.path(key), { 'accept-encoding': encoding })),
    )
    expect([zipped?.status, plain?.status]).toEqual([200, 200])
    expect([zipped, plain].map(answer => answer?.headers.get('content-encoding'))).toEqual(['gzip', null])
    expect([zipped, plain].map(answer => answer?.headers.get('vary'))).toEqual(['Accept-Encoding', 'Accept-Encoding'])
    const withoutTicket = async (answer?: Response) =>
      (await answer?.text())?.replace(/name="ticket" value="[^"]*"/, '')
    expect(await withoutTicket(zipped)).toBe(await withoutTicket(plain))
  }
  await tenant.endpoint.stop()
})

test('a page links its files with their version, so that browsers may cache them', async () => {
  const [, version = ''] = /\/forms\/assets\/([\da-f]{12})\/form\.css/.exec(aPageOf([{ id: 'a', label: 'A' }])) ?? []
  expect(version).not.toBe('')
  // Of another version: what there is, but not for long.
  expect((await get('/forms/assets/000000000000/form.css')).headers.get('cache-control')).toBe('public, max-age=60')
  const page = await (await get('/demo/SinglePass/phq-9')).text()
  const [own = ''] = /forms\/assets\/[\da-f]{12}\/form\.js/.exec(page) ?? []
  const kept = await get(`/${own}`)
  expect([kept.status, kept.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
})

test.each([
  '/forms/assets/',
  '/forms/assets/server/main.js',
  '/forms/assets/browser/form.js',
  '/forms/assets/browser/../server/main.js',
  '/forms/assets/browser/..%2Fserver%2Fmain.js',
  '/forms/assets/pages/form.css',
  '/forms/assets/__proto__',
])('%s is not served, since only files that pages load are', async path => {
  expect((await get(path)).status).toBe(404)
})
