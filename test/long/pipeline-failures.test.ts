// Failures of provider calls in pipelines.
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { type Canned, recordingProvider } from '../support/endpoints.js'
import { oneEndpoint } from '../support/factories.js'
import { problem } from '../support/http.js'

let answers: Canned[] = []
const times: number[] = []
const provider = await recordingProvider(() => {
  times.push(Date.now())
  return answers.shift() ?? { body: { fine: true } }
})
afterAll(() => provider.stop())
beforeEach(() => {
  answers = []
  times.length = 0
  provider.seen.length = 0
})

const post = { name: 'order', httpRequest: { provider: 'p', method: 'POST', url: 'orders', body: '{"a":1}' } }
const oneCall = (more: object = {}, glue: Parameters<typeof oneEndpoint>[2] = {}) =>
  oneEndpoint(provider, [{ ...post, httpRequest: { ...post.httpRequest, ...more } }], glue)

/** Endpoints that only read are answered directly, unless they are durable. */
const ways = [
  ['directly', {}],
  ['in a run', { durable: true }],
] as const

test.each(ways)('an idempotent call that fails twice is repeated %s, with the same Idempotency-Key', async (_, way) => {
  answers = [{ status: 500 }, { status: 503 }]
  const tenant = await oneCall({ idempotent: true }, way)
  expect(await tenant.call('e')).toMatchObject({ status: 200, body: { fine: true } })
  const keys = provider.seen.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toEqual([keys[0], keys[0], keys[0]])
  await tenant.call('e')
  expect(provider.seen.at(-1)?.headers['idempotency-key']).not.toBe(keys[0])
})

test.each([
  ['a POST that was not carried out', post],
  ['a call that only reads', { name: 'order', httpRequest: { provider: 'p', url: 'orders' } }],
])('%s is repeated, and the problem names the last fault, the attempts and the time', async (_, step) => {
  const gone = await recordingProvider()
  const tenant = await oneEndpoint(gone, [step])
  await gone.stop()
  const asked = Date.now()
  const { status, body } = await tenant.call<Problem>('e')
  expect({ status, type: body.type }).toEqual({ status: 502, type: '/problems/provider-failed' })
  const [, attempt, spent] =
    /^The step 'order' failed: .* It was attempt (\d+), after ([\d.]+) of 25 s\.$/.exec(body.detail) ?? []
  expect(body.detail).toMatch(/ECONNREFUSED|has failed \(network\) and is not called/)
  expect(Number(attempt)).toBeGreaterThan(4)
  expect(Number(spent) * 1_000).toBeLessThanOrEqual(Date.now() - asked + 100)
})

test.each(ways)('%s, Retry-After is respected where the caller can wait for it', async (_, way) => {
  answers = [{ status: 429, headers: { 'Retry-After': '2' } }]
  const tenant = await oneCall({ idempotent: true }, way)
  expect(await tenant.call('e')).toMatchObject({ status: 200, body: { fine: true } })
  expect(times.length).toBe(2)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_990)
})

test.each(ways)('%s, a caller who cannot wait that long is told at once when to come again', async (_, way) => {
  answers = [{ status: 503, headers: { 'Retry-After': '120' } }]
  const tenant = await oneCall({ idempotent: true }, way)
  const answer = await tenant.call('e')
  const detail = expect.stringMatching(/^The step 'order' failed: .*503/)
  expect(answer).toMatchObject({ status: 502, body: problem(502, 'provider-failed', tenant.path('e'), { detail }) })
  expect(answer.headers.get('retry-after')).toBe('120')
  expect(provider.seen.length).toBe(1)
})

test.each([400, 401, 404, 409, 422, 304])('%i of a provider is final: 502 that names the step', async status => {
  answers = [{ status, body: 'their secret message' }]
  const tenant = await oneCall()
  const { headers, ...answer } = await tenant.call('e')
  const detail = `The step 'order' failed: the provider answered ${status}.`
  expect(answer).toEqual({ status: 502, body: problem(502, 'provider-failed', tenant.path('e'), { detail }) })
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(provider.seen.length).toBe(1)
})

test('a status that the step accepts is an output like others', async () => {
  answers = [{ status: 404, body: { none: true } }]
  const tenant = await oneEndpoint(provider, [
    { name: 'find', httpRequest: { provider: 'p', url: 'x', accept: [404] } },
    { name: 'r', respond: { expression: '{"status": steps.find.status, "body": steps.find.body}' } },
  ])
  expect(await tenant.call('e')).toMatchObject({ status: 200, body: { status: 404, body: { none: true } } })
})

test.each([
  [
    'no JSON although it says so',
    { headers: { 'content-type': 'application/json' }, body: '<html>' },
    /not valid JSON/,
  ],
  ['more than the provider may', { body: 'x'.repeat(1_200_000) }, /larger/],
])('an answer that is %s is 502 and names the step', async (_, answer, why) => {
  answers = [answer]
  const tenant = await oneEndpoint(provider, [post], { providers: [{ key: 'p', url: provider.url, maxAnswerMb: 1 }] })
  const detail = expect.stringMatching(new RegExp(`^The step 'order' failed: .*${why.source}`))
  expect(await tenant.call('e')).toMatchObject({
    status: 502,
    body: problem(502, 'provider-failed', tenant.path('e'), { detail }),
  })
  expect(provider.seen.length).toBe(1)
})

test.each(ways)('%s, a step that gives more than a run can keep answers 502, which names the step', async (_, way) => {
  answers = [{ body: { small: 1 } }, { body: 'y'.repeat(1_200_000) }]
  const call = (name: string) => ({ name, httpRequest: { provider: 'p', url: name } })
  const tenant = await oneEndpoint(provider, [call('one'), call('two'), call('three')], way)
  const detail = expect.stringContaining("'two'")
  expect(await tenant.call('e')).toMatchObject({
    status: 502,
    body: problem(502, 'output-too-large', tenant.path('e'), { detail }),
  })
  expect(provider.seen.map(({ path }) => path)).toEqual(['/one', '/two'])
})

test('a large value that the same activity reduces is no fault', async () => {
  answers = [{ body: { text: 'y'.repeat(1_200_000) } }]
  const tenant = await oneEndpoint(provider, [
    { name: 'one', httpRequest: { provider: 'p', url: 'x' } },
    { name: 'r', respond: { expression: '$length(steps.one.body.text)' } },
  ])
  expect(await tenant.call('e')).toMatchObject({ status: 200, body: 1_200_000 })
})

test('a body that is declared as JSON but is invalid is not sent', async () => {
  const tenant = await oneCall({ body: '{"a": "{{ request.body.evil | raw }}"}' })
  const answer = await tenant.call('e', { evil: 'x\r\nX-Admin: "1' })
  expect(answer).toMatchObject({
    status: 500,
    body: problem(500, 'endpoint-failed', tenant.path('e'), { detail: expect.stringContaining("'order'") }),
  })
  expect(provider.seen).toEqual([])
})

test('a provider that never answers is given up when the time is over, directly and in a run: 504 that names the step', async () => {
  const hung = await recordingProvider(() => new Promise(() => undefined))
  const step = { name: 'hung', httpRequest: { provider: 'p', url: 'x' } }
  const tenants = await Promise.all(ways.map(([, way]) => oneEndpoint(hung, [step], way)))
  const given = await Promise.all(tenants.map(tenant => tenant.call('e')))
  await hung.stop()
  const detail = expect.stringContaining("'hung'")
  expect(given).toMatchObject(
    tenants.map(({ path }) => ({ status: 504, body: problem(504, 'provider-timeout', path('e'), { detail }) })),
  )
})
