// Request ids and trace ids.
import { expect, inject, test } from 'vitest'
import { newTenant, type Problem } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'

const tenant = await newTenant(inject('baseUrl'))

const nowhere = '/api/v1/group/nowhere'
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

async function idsOf(headers: Record<string, string>) {
  const { headers: answered, body } = await tenant.get<Problem>(nowhere, headers)
  return { requestId: answered.get('x-request-id'), traceId: body.traceId }
}

test('a request without an id gets a new one each time', async () => {
  const [first, second] = [await idsOf({}), await idsOf({})]
  expect(first.requestId).toMatch(uuid)
  expect(first.traceId).toBe(first.requestId)
  expect(second.requestId).not.toBe(first.requestId)
})

test.each(['7', 'a'.repeat(64), 'job.42:retry-1_x'])('the id %s of the caller is kept', async id => {
  expect(await idsOf({ 'x-request-id': id })).toEqual({ requestId: id, traceId: id })
})

test.each(['a'.repeat(65), 'a b', '<script>', '{"a":1}', '../../etc', 'é', '%0d%0aSet-Cookie:x=1'])(
  'the id %s is replaced',
  async id => {
    expect((await idsOf({ 'x-request-id': id })).requestId).toMatch(uuid)
  },
)

test('a good answer carries the request id too', async () => {
  const { status, headers } = await tenant.get('/api/v1/group', { 'x-request-id': 'mine' })
  expect([status, headers.get('x-request-id')]).toEqual([200, 'mine'])
})

const trace = '0af7651916cd43dd8448eb211c80319c'

test.each([`00-${trace}-b7ad6b7169203331-01`, `cc-${trace}-b7ad6b7169203331-01-and-more`])(
  'the trace id of traceparent %s is the trace id of the answer',
  async traceparent => {
    expect(await idsOf({ 'x-request-id': 'mine', traceparent })).toEqual({ requestId: 'mine', traceId: trace })
  },
)

test.each([
  `ff-${trace}-b7ad6b7169203331-01`,
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-${trace}-0000000000000000-01`,
  `00-${trace}-b7ad6b7169203331`,
  `00-${trace.toUpperCase()}-b7ad6b7169203331-01`,
  trace,
  '',
])('the traceparent "%s" is not valid, and the request id stands in', async traceparent => {
  expect(await idsOf({ 'x-request-id': 'mine', traceparent })).toEqual({ requestId: 'mine', traceId: 'mine' })
})

test('a job remembers the trace id of the request that it came from', async () => {
  const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` }
  await tenant.put('/api/v1/structureType', aType('unit'))
  const { headers: answered } = await tenant.put('/api/v1/structuralEntity/bulk', [anEntity('a')], headers)
  const job = await tenant.get(answered.get('location') ?? '')
  expect(job.body).toMatchObject({ traceId: trace, status: 'Completed' })
})
