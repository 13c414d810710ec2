// Which cell gets a request, by the request alone.
import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problem } from '../support/http.js'
import { type CellTenants, fakeCell, startRouter, unsignedToken } from '../support/router.js'

async function twoCells(atEnd?: (end: () => Promise<void>) => void) {
  const ofB: CellTenants = { bob: 'served', 'left-a': 'served', 'to-b': 'arriving' }
  const a = await fakeCell((_, response) => response.end('a'), { ann: 'served', 'left-a': 'moved' }, atEnd)
  const b = await fakeCell((_, response) => response.end('b'), ofB, atEnd)
  return { a, b, ...(await startRouter({ a, b }, atEnd && { atEnd })) }
}

const ends: (() => Promise<void>)[] = []
let shared = ''
beforeAll(async () => {
  shared = (await twoCells(end => void ends.push(end))).baseUrl
})
afterAll(() => Promise.all(ends.reverse().map(end => end())))

const bearer = (tenant_key: unknown) => ({ authorization: `Bearer ${unsignedToken({ tenant_key })}` })
const basic = (id: string) => ({ authorization: `Basic ${Buffer.from(`${id}:secret`).toString('base64')}` })
const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })
const tokenPath = '/identity/connect/token'

test.each<[string, string, RequestInit, string]>([
  ['an endpoint of a tenant', '/glue/bob/orders?x=1', {}, 'b'],
  ['the same with another token', '/glue/bob/orders', { headers: bearer('ann') }, 'b'],
  ['a page of instances', '/forms/bob/instances/7', {}, 'b'],
  ['a sign-in', '/forms/bob/sign-in', form({ token: 'x' }), 'b'],
  ['a single-pass form', '/bob/SinglePass/survey', {}, 'b'],
  ['a version of it, sent', '/bob/SinglePass/survey/3', form({ q: '1' }), 'b'],
  ['a key with escapes', '/glue/%62ob/orders', {}, 'b'],
  ['a token', '/api/v1/structureType', { headers: bearer('bob') }, 'b'],
  ['a token of an operator, whatever tenant the path names', '/admin/v1/tenants/bob', { headers: bearer('ann') }, 'a'],
  ['a client in the form', tokenPath, form({ client_id: 'bob-client' }), 'b'],
  ['a client in the header', tokenPath, { ...form({}), headers: basic('bob-client') }, 'b'],
  ['a client in the header with escapes', tokenPath, { ...form({}), headers: basic('bob%2Dclient') }, 'b'],
  ['a tenant that has moved', '/api/v1/structureType', { headers: bearer('left-a') }, 'b'],
  ['a client that has moved', tokenPath, form({ client_id: 'left-a-client' }), 'b'],
  ['a tenant that is on its way', '/glue/to-b/orders', {}, 'b'],
  ['a client that is on its way', tokenPath, form({ client_id: 'to-b-client' }), 'b'],
  ['no tenant', '/openapi.json', {}, 'a'],
  ['an unknown tenant', '/glue/nobody/orders', {}, 'a'],
  ['an unknown client', tokenPath, form({ client_id: 'nobody' }), 'a'],
  ['a client whose escapes are none', tokenPath, { ...form({}), headers: basic('%zz') }, 'a'],
  ['a token that is none', '/api/v1/structureType', { headers: { authorization: 'Bearer x.y.z' } }, 'a'],
  ['a token whose tenant is no text', '/api/v1/structureType', { headers: bearer({ bob: 1 }) }, 'a'],
  ['a key that objects have', '/glue/constructor/orders', {}, 'a'],
  ['a path with dots', '/glue/%2e%2e/orders', {}, 'a'],
])('%s: %s', async (_, path, init, cell) => {
  expect(await (await fetch(shared + path, init)).text()).toBe(cell)
})

test('paths reach the cell as they were sent', async () => {
  const { a, raw } = await twoCells()
  const paths = ['/a/../b', '//x//y', '/%2e%2e/etc/passwd', '/a?b=%2F&c=%00', '/a%zz', '/?', '/é'.replace('é', '%E9')]
  for (const path of paths) await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  await raw('GET http://evil.example/c?d=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await raw('GET http://evil.example HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(a.asked).toEqual([...paths, '/c?d=1', '/'].map(path => `GET ${path}`))
})

test('a target that is no path reaches no cell', async () => {
  const { a, raw } = await twoCells()
  const answer = await raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual(problem(400, 'malformed-request', '*'))
  expect(await raw('CONNECT b.example:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('')
  expect(a.asked).toEqual([])
})

test('a tenant that is new is found by its first request', async () => {
  const { b, baseUrl } = await twoCells()
  b.tenants.carol = 'served'
  expect(await (await fetch(`${baseUrl}/glue/carol/orders`)).text()).toBe('b')
})

test('a cell whose database is away keeps its tenants; those of others are not held up', async () => {
  const { b, baseUrl } = await twoCells()
  b.isAway = true
  const unknown = await fetch(`${baseUrl}/glue/nobody/orders`)
  expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await unknown.json()).toEqual(problem(503, 'unavailable', '/glue/nobody/orders'))
  for (const [tenant, cell] of [
    ['bob', 'b'],
    ['ann', 'a'],
  ])
    expect(await (await fetch(`${baseUrl}/glue/${tenant}/orders`)).text()).toBe(cell)
  const health = await fetch(`${baseUrl}/health/status`)
  expect([health.status, await health.json()]).toMatchObject([503, { checks: { 'cell a': 'ok', 'cell b': 'down' } }])
  expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200)
})

test('a router that has read no cell is not ready, and says so to callers', async () => {
  const a = await fakeCell((_, response) => response.end('a'), { ann: 'served' })
  a.isAway = true
  const { baseUrl } = await startRouter({ a })
  const statuses = ['/health/live', '/health/ready', '/glue/ann/orders'].map(
    async path => (await fetch(baseUrl + path)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 503, 503])
})

test('readings that requests ask for are few, however many names strangers invent', async () => {
  const a = await fakeCell((_, response) => response.end('a'))
  let readings = 0
  const read = async () => {
    readings++
    return a.read()
  }
  const { baseUrl } = await startRouter({ a: { ...a, read } })
  const since = performance.now()
  const names = Array.from({ length: 200 }, (_, n) => hash('sha256', String(n)))
  await Promise.all(names.map(name => fetch(`${baseUrl}/glue/${name}/x`).then(answer => answer.text())))
  // One at the start, one a second, and one for each 100 ms.
  expect(readings).toBeLessThanOrEqual(4 + (performance.now() - since) / 90)
})

test('health and metrics are the router’s own, and others of a cell are not shown', async () => {
  const { a, baseUrl } = await twoCells()
  const metrics = await fetch(`${baseUrl}/metrics`)
  expect(await metrics.text()).toContain('armature_router_directory_read{cell="a"} 1')
  expect((await fetch(`${baseUrl}/metrics/platform`)).status).toBe(404)
  expect((await fetch(`${baseUrl}/health/ready`)).headers.get('cache-control')).toBe('no-store')
  expect(a.asked).toEqual([])
})
