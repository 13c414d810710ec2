// Spans of an API's requests and their SQL, as a collector gets them. test/long/traces.test.ts has runs, activities and providers.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Api, api, newTenant, type Problem, type Tenant } from '../support/api.js'
import { type CollectedSpan, type Collector, newTrace, startCollector } from '../support/otlp.js'
import { startOwnApi } from '../support/own-api.js'

let collector: Collector
let own: Awaited<ReturnType<typeof startOwnApi>>
let tenant: Tenant
let client: Api
beforeAll(async () => {
  collector = await startCollector()
  const authority = `${inject('baseUrl')}/identity`
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    LOG_LEVEL: 'info',
  }
  own = await startOwnApi({ ...env, IDENTITY_AUTHORITY: authority })
  const [made] = await Promise.all([newTenant(inject('baseUrl')), own.live()])
  tenant = made
  client = api(own.baseUrl, tenant.token)
})
afterAll(async () => {
  await own?.stop()
  await collector?.stop()
})

const requestIn = (spans: readonly CollectedSpan[]) => spans.find(({ kind }) => kind === 2)

test('a request is a span below the caller’s, and its SQL is below it', async () => {
  const { traceId, spanId, headers } = newTrace()
  await client.put('/api/v1/group', { Key: 'key-of-a-group', Name: 'Name of a group' }, headers)
  const spans = await collector.trace(traceId, all => requestIn(all) !== undefined)
  const request = requestIn(spans)
  expect(request).toMatchObject({
    name: 'PUT /api/v1/group',
    parentId: spanId,
    service: 'armature-api',
    isError: false,
  })
  expect(request?.attributes).toEqual({
    'http.request.method': 'PUT',
    'http.response.status_code': 201,
    'http.route': '/api/v1/group',
    'url.scheme': 'http',
    'armature.tenant': tenant.tenantKey,
  })
  const sql = spans.filter(span => span !== request)
  expect(new Set(sql.map(({ parentId }) => parentId))).toEqual(new Set([request?.spanId]))
  const names = sql.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['BEGIN', 'COMMIT']))
  expect(names.filter(name => name.startsWith('INSERT'))).not.toEqual([])
  const told = new Set(sql.flatMap(({ attributes }) => Object.keys(attributes)))
  // A statement that other writers made fail is repeated.
  told.delete('error.type')
  const known = ['db.collection.name', 'db.namespace', 'db.operation.name', 'db.system.name']
  expect([...told].sort()).toEqual(known)
})

test('a problem and the log have the trace id, and a caller who does not sample is not traced', async () => {
  const unsampled = newTrace('00')
  const { body: problem } = await client.get<Problem>('/api/v1/group/unsampled', unsampled.headers)
  expect(problem.traceId).toBe(unsampled.traceId)
  const { traceId, headers } = newTrace()
  const { body } = await client.get<Problem>('/api/v1/group/nowhere?of=query-of-a-call', headers)
  expect(body.traceId).toBe(traceId)
  const spans = await collector.trace(traceId, all => requestIn(all) !== undefined)
  expect(spans.every(({ isError }) => !isError)).toBe(true)
  expect(collector.spans.filter(span => span.traceId === unsampled.traceId)).toEqual([])
  // In its own time: the log writes up to 50 ms late.
  process.kill(Number(own.pid), 'SIGTERM')
  const lines = (await own.ended).printed.split('\n').filter(line => line.includes('"msg":"request"'))
  const line = lines.map(each => JSON.parse(each)).find(each => each.traceId === traceId)
  expect(line).toMatchObject({ trace_id: traceId, span_id: requestIn(spans)?.spanId })
})

test('no span has a key, a value, a part of a query or a token, and checks of health have none', () => {
  const text = collector.text()
  expect(text).toContain(tenant.tenantKey)
  const secrets = ['key-of-a-group', 'Name of a group', 'nowhere', 'query-of-a-call', tenant.token, '/health']
  for (const secret of secrets) expect(text).not.toContain(secret)
})
