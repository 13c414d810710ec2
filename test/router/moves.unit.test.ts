// Requests of a tenant that moves from one cell to another.
import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import type { Presence } from '../../db/cells/directory.js'
import { problem, send } from '../support/http.js'
import { type CellTenants, fakeCell, startRouter } from '../support/router.js'

const moved: RequestListener = (_, response) =>
  response
    .writeHead(421, { 'Content-Type': 'application/problem+json', 'Armature-Cell': 'https://b.example' })
    .end('{"type":"/problems/tenant-moved"}')

const echo =
  (name: string): RequestListener =>
  async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    response.end(`${name} ${request.method} ${body.length}`)
  }

/** A tenant that moves from cell a with its first request. @param then how the cells have it from then on. */
async function movedTenant(then: { a: CellTenants; b: CellTenants }, ofB: RequestListener = echo('b')) {
  const a = await fakeCell(
    (request, response) => {
      a.tenants = then.a
      b.tenants = then.b
      moved(request, response)
    },
    { ann: 'served' },
  )
  const b = await fakeCell(ofB)
  return { a, b, ...(await startRouter({ a, b })) }
}

const done: { a: CellTenants; b: CellTenants } = { a: { ann: 'moved' }, b: { ann: 'served' } }
const path = '/glue/ann/orders'

test.each([
  ['GET', []],
  ['POST', []],
  ['PUT', ['x'.repeat(60_000)]],
])('a %s of at most 64 KB is sent once more, to the new cell', async (method, body) => {
  const { a, b, baseUrl } = await movedTenant(done)
  const answer = await send(baseUrl, path, { method, body })
  expect(answer).toMatchObject({ status: 200, text: `b ${method} ${body.join('').length}` })
  expect([a.asked, b.asked]).toEqual([[`${method} ${path}`], [`${method} ${path}`]])
  expect((await send(baseUrl, path)).text).toBe('b GET 0')
  expect(a.asked).toHaveLength(1)
})

const repeatLater = { status: 503, headers: { 'retry-after': '1' } }

test('a larger body is to be repeated by its caller, and then goes to the new cell', async () => {
  const { b, baseUrl } = await movedTenant(done)
  const body = Array.from({ length: 5 }, () => 'x'.repeat(20_000))
  const answer = await send(baseUrl, path, { method: 'POST', body })
  expect(answer).toMatchObject(repeatLater)
  expect(JSON.parse(answer.text)).toEqual(problem(503, 'tenant-moving', path))
  expect(b.asked).toEqual([])
  expect((await send(baseUrl, path, { method: 'POST', body })).text).toBe('b POST 100000')
})

test.each<[string, { a: CellTenants; b: CellTenants }]>([
  ['between the cells', { a: { ann: 'moved' }, b: { ann: 'arriving' } }],
  ['back in the first one, which has not heard of it yet', { a: { ann: 'served' }, b: { ann: 'moved' } }],
])('a tenant that is %s: callers repeat', async (_, then) => {
  const { baseUrl } = await movedTenant(then)
  const answer = await send(baseUrl, path)
  expect(answer).toMatchObject(repeatLater)
  expect(JSON.parse(answer.text)).toEqual(problem(503, 'tenant-moving', path))
})

test('a new cell that says the same: callers repeat', async () => {
  const { b, baseUrl } = await movedTenant(done, moved)
  expect(await send(baseUrl, path)).toMatchObject(repeatLater)
  expect(b.asked).toHaveLength(1)
})

test.each<Presence[]>([['moved'], []])(
  'a tenant that has left the cells of the router: the answer passes',
  async (...known) => {
    const { baseUrl } = await movedTenant({ a: known[0] ? { ann: known[0] } : {}, b: {} })
    const answer = await send(baseUrl, path)
    expect([answer.status, answer.text]).toEqual([421, '{"type":"/problems/tenant-moved"}'])
    expect(answer.headers['armature-cell']).toBe('https://b.example')
  },
)

test('while the database of another cell is away, a tenant that has moved is not known to be gone', async () => {
  const { b, baseUrl } = await movedTenant({ a: { ann: 'moved' }, b: {} })
  b.isAway = true
  const answer = await send(baseUrl, path)
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
})

test('a client that asks for a token is followed as well', async () => {
  const { baseUrl } = await movedTenant(done)
  const answer = await fetch(`${baseUrl}/identity/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'ann-client' }),
  })
  expect(await answer.text()).toBe('b POST 20')
})

test('a 421 that names no cell, and a 503 of a cell, pass', async () => {
  const a = await fakeCell(
    (request, response) => {
      const status = request.url?.endsWith('/a') ? 421 : 503
      response.writeHead(status, { 'Retry-After': '1' }).end('{}')
    },
    { ann: 'served' },
  )
  const { baseUrl } = await startRouter({ a })
  expect(await send(baseUrl, '/glue/ann/a')).toMatchObject({ status: 421, text: '{}' })
  expect(await send(baseUrl, '/glue/ann/b')).toMatchObject({ status: 503, text: '{}', headers: { 'retry-after': '1' } })
  expect(a.asked).toHaveLength(2)
})
