// The list of calls of endpoints that were refused or failed.
import { afterAll, expect, inject, test, vi } from 'vitest'
import { forgetFailedCalls } from '../../db/glue/endpoints/failed-calls.js'
import { createFailedCallCounter } from '../../server/glue/failed-calls.js'
import { type Api, admin } from '../support/api.js'
import { type Canned, recordingProvider } from '../support/endpoints.js'
import { glueTenant, openDatabase } from '../support/factories.js'
import { until } from '../support/until.js'

interface FailedCall {
  endpointKey: string
  status: number
  code: string
  hour: string
  calls: number
  lastAt: string
  traceId: string
}

const db = openDatabase()
let answer: Canned = {}
const provider = await recordingProvider(() => answer)
afterAll(() => provider.stop())

const steps = [{ name: 'read', httpRequest: { provider: 'p', url: 'read' } }]
const tenant = await glueTenant({
  providers: [{ key: 'p', url: provider.url }],
  endpoints: [
    { key: 'direct', steps },
    { key: 'run', steps, durable: true },
    { key: 'closed', steps, authentication: [{ apiKey: {} }] },
    { key: 'asks', steps: [{ name: 'answer', respond: { expression: '{ "id": $number(request.query.id) }' } }] },
  ],
})
const platform = await admin(inject('baseUrl'))
const ofTenant = `/admin/v1/tenants/${tenant.tenantKey}/failedCalls`
const listed = async (api: Api = tenant, path = '/api/v1/failedCalls') => (await api.get<FailedCall[]>(path)).body
const tenantId = async () => (await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')).id

/** Makes a call that fails. @returns its status and trace. */
async function failing(endpoint: string) {
  const { status, body } = await tenant.call(endpoint)
  return { status, traceId: Object(body).traceId }
}

test('calls that are refused or fail are listed by endpoint and code, for operators and for the tenant', async () => {
  await tenant.call('direct')
  answer = { status: 404 }
  await failing('direct')
  const direct = await failing('direct')
  const run = await failing('run')
  const closed = await failing('closed')
  await tenant.call('unknown')
  const rows = await until('the calls are listed', async () => {
    const all = await listed()
    return all.reduce((sum, { calls }) => sum + calls, 0) === 4 ? all : undefined
  })
  const row = (endpointKey: string, code: string, calls: number, call: object) => ({
    ...{ endpointKey, code, calls, hour: expect.stringMatching(/:00:00\.000Z$/), lastAt: expect.any(String) },
    ...call,
  })
  expect(rows.toSorted((a, b) => a.endpointKey.localeCompare(b.endpointKey))).toEqual([
    row('closed', 'unauthenticated', 1, { ...closed, status: 401 }),
    row('direct', 'provider-failed', 2, { ...direct, status: 502 }),
    row('run', 'provider-failed', 1, { ...run, status: 502 }),
  ])
  expect(await listed(platform, ofTenant)).toEqual(rows)
})

test('nothing of a call is stored but its endpoint, its code, its time and its trace', async () => {
  await tenant.call('asks?id=patient-4711')
  const rows = await until('the call is listed', async () => {
    const all = await db('glue_failed_calls').where({ tenant_id: await tenantId(), endpoint_key: 'asks' })
    return all.length > 0 ? all : undefined
  })
  expect(JSON.stringify(rows)).not.toContain('4711')
})

test('a flood of failures is one statement and one row', async () => {
  const count = createFailedCallCounter({ db, log: { warn: vi.fn() } })
  const statements = vi.fn()
  db.on('query', statements)
  const call = { tenantId: await tenantId(), endpointKey: 'flooded', code: 'provider-failed' } as const
  statements.mockClear()
  for (let n = 1; n <= 10_000; n++) count({ ...call, traceId: `trace-${n}` })
  const flooded = () => db('glue_failed_calls').where({ endpoint_key: 'flooded' }).select('calls', 'trace_id')
  await expect.poll(() => statements.mock.calls.length, { timeout: 10_000 }).toBe(1)
  await expect.poll(flooded).toEqual([{ calls: 10_000, trace_id: 'trace-10000' }])
})

test('failures that cannot be saved are in the log', async () => {
  const warn = vi.fn()
  const count = createFailedCallCounter({ db, log: { warn } })
  count({ tenantId: await tenantId(), endpointKey: 'k'.repeat(300), code: 'internal', traceId: 't' })
  await expect
    .poll(() => warn.mock.calls, { timeout: 10_000 })
    .toMatchObject([[{ rows: [{ calls: 1 }] }, expect.any(String)]])
})

test('rows older than a week are forgotten', async () => {
  const row = { tenant_id: await tenantId(), code: 'internal', calls: 1, last_at: new Date(), trace_id: 't' }
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  await db('glue_failed_calls').insert({ ...row, endpoint_key: 'older', hour: ago(8) })
  await db('glue_failed_calls').insert({ ...row, endpoint_key: 'newer', hour: ago(6) })
  await forgetFailedCalls(db)
  const keys = (await listed()).map(({ endpointKey }) => endpointKey)
  expect(keys).toContain('newer')
  expect(keys).not.toContain('older')
})
