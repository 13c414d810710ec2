// Styles and scripts of form pages.
import { expect, inject, test } from 'vitest'
import { aPageOf } from '../support/form-templates.js'

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${inject('baseUrl')}${path}`, { headers })

test('style and script are served with their types, and not again while they stay as they are', async () => {
  for (const [path, type] of [
    ['/forms/assets/form.css', 'text/css; charset=utf-8'],
    ['/forms/assets/browser/form.js', 'text/javascript; charset=utf-8'],
  ] as const) {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60')
    // Without the second header fetch asks for no 304 (Fetch standard: no-cache).
    const again = await get(path, { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=0' })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
})

test('every module that the script imports is served', async () => {
  const seen = new Set<string>()
  const visit = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const answer = await get(path)
    expect([path, answer.status]).toEqual([path, 200])
    const text = await answer.text()
    for (const [, imported = ''] of text.matchAll(/^(?:import|export) .*?from '([^']+)'/gm)) {
      await visit(new URL(imported, `http://a${path}`).pathname)
    }
  }
  await visit('/forms/assets/browser/form.js')
  expect([...seen]).toContain('/forms/assets/forms/check.js')
})

test('a page names its files with their version, for which browsers keep them', async () => {
  const [, version = ''] = /\/forms\/assets\/([\da-f]{12})\/form\.css/.exec(aPageOf([{ id: 'a', label: 'A' }])) ?? []
  expect(version).not.toBe('')
  // Of another version: what there is, but not for long.
  expect((await get('/forms/assets/000000000000/form.css')).headers.get('cache-control')).toBe('public, max-age=60')
  const own = (await get('/forms/assets/form.css')).headers.get('etag')?.replaceAll('"', '')
  const kept = await get(`/forms/assets/${own}/browser/form.js`)
  expect([kept.status, kept.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
})

test.each([
  '/forms/assets/',
  '/forms/assets/server/main.js',
  '/forms/assets/browser/form.ts',
  '/forms/assets/browser/../server/main.js',
  '/forms/assets/browser/..%2Fserver%2Fmain.js',
  '/forms/assets/pages/form.css',
  '/forms/assets/__proto__',
])('%s is not served: there is nothing there but what pages load', async path => {
  expect((await get(path)).status).toBe(404)
})
