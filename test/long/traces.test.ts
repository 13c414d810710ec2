// One trace from the request to the SQL and the calls of its job, over continue-as-new, in OTLP over HTTP.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../db/connect.js'
import type { Reply } from '../support/api.js'
import { refreshPath, type ScriptedProvider, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { addSubject, anEntity, aType, type DataTenant, dataTenant, plantWards, point } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { type MailServer, mailServer } from '../support/mail-server.js'
import { type CollectedSpan, type Collector, newTrace, startCollector } from '../support/otlp.js'
import { invite } from '../support/portal.js'
import { effectiveDate, file, formOf, formType, title } from '../support/records.js'
import { type S3, startS3 } from '../support/s3.js'
import { type Stack, startStack } from '../support/stack.js'
import { transfer } from '../support/transfers.js'
import { until } from '../support/until.js'

let collector: Collector
let stack: Stack
let provider: ScriptedProvider
let mails: MailServer
let s3: S3
let tenant: DataTenant

const people = ['4711-secret', '4712-secret', '4713-secret']
/** Texts that no span may hold: values of people, of queries and of headers. */
const secrets = [
  ...people,
  'Zebedee',
  'Quartermain',
  'query-secret',
  'header-secret',
  'answer-secret',
  'path-secret',
  'ben-secret',
]

beforeAll(async () => {
  collector = await startCollector()
  ;[mails, s3] = await Promise.all([mailServer(), startS3()])
  await mails.open()
  const env = {
    ...s3.env,
    SMTP_URL: mails.url,
    SMTP_FROM: 'Armature <no-reply@armature.example>',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=of-the-collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  }
  // A run goes on as another one after its second activity.
  stack = await startStack(env, { temporal: ['limit.historyCount.suggestContinueAsNew=12'] })
  provider = await scriptedProvider(stack.providerPorts)
  const glue = scriptedGlue(provider.url, { pageSize: 1, provider: { limits: { concurrency: 1 } } })
  const show = {
    key: 'show',
    durable: true,
    steps: [
      {
        name: 'ask',
        httpRequest: {
          method: 'POST',
          idempotent: true,
          url: `${provider.url}/path-secret?of={{ request.query.of }}`,
          body: '{}',
        },
      },
    ],
  }
  const direct = { ...show, key: 'direct', durable: false }
  tenant = await dataTenant({ ...glue, endpoints: [...glue.endpoints, show, direct] }, people, stack.baseUrl)
})
afterAll(async () => {
  await stack?.stop()
  await Promise.all([collector?.stop(), provider?.stop(), mails?.close(), s3?.stop()])
})

const named = (spans: readonly CollectedSpan[], name: string | RegExp) =>
  spans.filter(span => (typeof name === 'string' ? span.name === name : name.test(span.name)))
const only = (spans: readonly CollectedSpan[], name: string | RegExp): CollectedSpan => {
  const [span, another] = named(spans, name)
  if (!span || another) throw new Error(`${name}: ${spans.map(each => each.name)}`)
  return span
}
const below = (spans: readonly CollectedSpan[], parent: CollectedSpan) =>
  spans.filter(span => span.parentId === parent.spanId)

test('a bulk is one trace: the request, its SQL, its run and the local activity', async () => {
  const { traceId, spanId, headers } = newTrace()
  await tenant.put('/api/v1/structureType', aType('unit'))
  const path = '/api/v1/structuralEntity/bulk'
  const answer = await tenant.put(path, [anEntity('4714-secret', { DisplayName: 'Quartermain' })], headers)
  expect(answer.status).toBe(204)
  const spans = await collector.trace(
    traceId,
    all => named(all, /^RunWorkflow/).length === 1 && named(all, /^PUT/).length === 1,
  )
  const request = only(spans, /^PUT/)
  expect(request).toMatchObject({
    name: `PUT ${path}`,
    parentId: spanId,
    kind: 2,
    service: 'armature-api',
    isError: false,
    attributes: {
      'http.request.method': 'PUT',
      'http.route': path,
      'http.response.status_code': 204,
      'armature.tenant': tenant.tenantKey,
    },
  })
  const start = only(spans, 'StartWorkflow:structuralEntityBulkUpsert')
  const run = only(spans, 'RunWorkflow:structuralEntityBulkUpsert')
  const activity = only(spans, 'RunActivity:structuralEntityBulkUpsert')
  expect([start.parentId, run.parentId, activity.parentId]).toEqual([request.spanId, start.spanId, run.spanId])
  expect(run.attributes['armature.run.end']).toBe('completed')
  const insert = named(spans, 'INSERT structural_entities')[0]
  expect(insert).toMatchObject({
    parentId: activity.spanId,
    kind: 3,
    attributes: {
      'db.system.name': 'mysql',
      'db.operation.name': 'INSERT',
      'db.collection.name': 'structural_entities',
    },
  })
  expect(below(spans, request).map(({ name }) => name)).toEqual(expect.arrayContaining(['BEGIN', 'COMMIT']))
})

test('a refresh is one trace over continue-as-new: its runs, the calls of the provider and the SQL of the worker', async () => {
  provider.says(({ cursor }) => {
    const page = Number(cursor ?? 0)
    const next = page < people.length - 1 ? page + 1 : null
    return { dataPoints: [point(`p${page}`, people[page] ?? '', 'answer-secret')], next }
  })
  const { traceId, headers } = newTrace()
  const answer = await tenant.post<JobBody>(refreshPath(), undefined, headers)
  expect(answer.status).toBe(200)
  expect(provider.questions).toHaveLength(people.length)
  const isWhole = (all: CollectedSpan[]) =>
    all.some(span => /^RunW/.test(span.name) && span.attributes['armature.run.end'] === 'completed')
  const spans = await collector.trace(traceId, isWhole)
  const runs = named(spans, 'RunWorkflow:dataSetRefresh')
  const start = only(spans, 'StartWorkflow:dataSetRefresh')
  expect(runs.length).toBeGreaterThan(1)
  expect(new Set(runs.map(run => run.parentId))).toEqual(new Set([start.spanId]))
  expect(runs.map(run => run.attributes['armature.run.end']).sort()).toEqual([
    'completed',
    ...runs.slice(1).map(() => 'continued'),
  ])
  const activities = named(spans, 'RunActivity:dataSetRefresh')
  expect(new Set(activities.map(({ parentId }) => parentId))).toEqual(new Set(runs.map(run => run.spanId)))
  const calls = spans.filter(span => span.attributes['server.port'] === Number(new URL(provider.url).port))
  expect(calls.map(({ name, kind, service }) => [name, kind, service])).toEqual(
    people.map(() => ['POST', 3, 'armature-worker']),
  )
  for (const call of calls) expect(activities.map(({ spanId }) => spanId)).toContain(call.parentId)
  const sql = spans.filter(span => span.attributes['db.system.name'] && span.service === 'armature-worker')
  expect(new Set(sql.map(({ parentId }) => parentId))).toEqual(
    new Set([...activities, ...named(spans, /^RunActivity:drop/)].map(span => span.spanId)),
  )
})

test.each([
  ['answered directly', 'direct', 'GET /glue/:tenantKey/:endpointKey'],
  ['in a run', 'show', 'RunActivity:runEndpointSteps'],
])(
  'an endpoint %s is one trace with the call of its provider, which says nothing of path, query and headers',
  async (_, key, above) => {
    provider.says(() => ({ of: 'answer-secret' }))
    const { traceId, headers } = newTrace()
    const path = `/glue/${tenant.tenantKey}/${key}?of=query-secret`
    const answer: Reply = await tenant.get(path, { ...headers, 'x-own': 'header-secret' })
    expect(answer.status).toBe(200)
    const spans = await collector.trace(
      traceId,
      all =>
        named(all, /^RunWorkflow/).length === (key === 'show' ? 1 : 0) &&
        [above, 'POST'].every(name => named(all, name).length === 1),
    )
    const call = only(spans, 'POST')
    expect(call).toMatchObject({ parentId: only(spans, above).spanId, kind: 3 })
    const runs = named(spans, 'RunWorkflow:glueEndpoint').map(({ parentId }) => parentId)
    expect(runs).toEqual(key === 'show' ? [only(spans, 'StartWorkflow:glueEndpoint').spanId] : [])
    expect(call.attributes).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(provider.url).port),
    })
  },
)

test('a record in S3 and a mail are calls below their request and their run, without keys and addresses', async () => {
  const subject = await addSubject(tenant)
  const stored = newTrace()
  const form = formOf([title('Letter'), effectiveDate(), file('%PDF-1.7\n%%EOF')])
  const answer = await fetch(new URL(`/api/v1/subjects/${subject}/file/upload`, stack.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.token}`, 'content-type': formType, ...stored.headers },
    body: new Uint8Array(form),
  })
  expect(answer.status).toBe(200)
  const ofRecord = await collector.trace(stored.traceId, all => named(all, /^POST/).length === 1)
  expect(only(ofRecord, 'S3')).toMatchObject({
    kind: 3,
    attributes: { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': 'PutObject' },
  })
  const invited = newTrace()
  await tenant.post(invite(subject), ['ben-secret@example.org'], invited.headers)
  const ofMail = await collector.trace(invited.traceId, all => named(all, /^RunWorkflow/).length === 1)
  const smtp = only(ofMail, 'SMTP')
  expect(smtp).toMatchObject({ kind: 3, service: 'armature-worker', isError: false })
  expect(smtp.attributes).toEqual({ 'network.protocol.name': 'smtp', 'server.address': '127.0.0.1' })
  expect(named(ofMail, /^RunActivity/).map(({ spanId }) => spanId)).toContain(smtp.parentId)
})

test('a job that is started later belongs to the trace of its request', async () => {
  await plantWards(tenant, 'east', 'west')
  const job = await transfer(tenant, 'east', 'west', 'Copy')
  const { traceId, spanId, headers } = newTrace()
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  // As the API leaves it where it ends before Temporal has the run.
  const accepted = { status: 'Accepted', started_at: null, finished_at: null, attempt: 2, accepted_at: new Date(0) }
  await db('jobs')
    .where({ id: job.jobId })
    .update({ ...accepted, trace_parent: headers.traceparent })
  await db.destroy()
  const spans = await collector.trace(traceId, all => named(all, /^RunWorkflow/).length === 1)
  const start = only(spans, 'StartWorkflow:subjectTransfer')
  expect(start).toMatchObject({ parentId: spanId, service: 'armature-worker' })
  expect(only(spans, /^RunWorkflow/).parentId).toBe(start.spanId)
  expect(named(spans, 'RunActivity:subjectTransfer')[0]?.parentId).toBe(only(spans, /^RunWorkflow/).spanId)
})

test('a caller who does not sample is not traced', async () => {
  const { traceId, headers } = newTrace()
  await tenant.get('/api/v1/structureType', { traceparent: headers.traceparent.replace(/1$/, '0') })
  const { traceId: later, headers: sampled } = newTrace()
  await tenant.get('/api/v1/structureType', sampled)
  await collector.trace(later, all => all.length > 0)
  expect(collector.spans.filter(span => span.traceId === traceId)).toEqual([])
})

test('lines of the log name the span in which they were written, and a problem its trace', async () => {
  const { traceId, headers } = newTrace()
  const { body } = await tenant.get<{ traceId: string }>('/api/v1/structuralEntity/nowhere', headers)
  expect(body.traceId).toBe(traceId)
  const spans = await collector.trace(traceId, all => named(all, /^GET/).length === 1)
  // Lines are written some time later.
  const line = await until('the line of the request', async () => {
    const lines = readFileSync(join(stack.dataDir, 'logs', 'api.log'), 'utf8').split('\n')
    return lines.find(each => each.includes(traceId) && each.includes('"msg":"request"'))
  })
  expect(JSON.parse(line)).toMatchObject({ trace_id: traceId, span_id: only(spans, /^GET/).spanId })
})

test('health, metrics and the platform’s own runs are not traced', () => {
  const names = [...new Set(collector.spans.map(({ name }) => name))]
  expect(
    names.filter(name =>
      /health|metrics|Run\w+:(?:outbox|searchWords|settle|webhooks|watchFeeds|deliverEvents|retention|forget|keep|startAccepted)/.test(
        name,
      ),
    ),
  ).toEqual([])
})

test('no span holds a value of a person, a token, or a part of a query', () => {
  expect(collector.headers[0]).toMatchObject({ 'x-api-key': 'of-the-collector' })
  const text = collector.text()
  expect(text).toContain(tenant.tenantKey)
  for (const secret of [...secrets, tenant.token]) expect(text).not.toContain(secret)
  const known = [
    'armature.run.end',
    'armature.tenant',
    'db.collection.name',
    'db.namespace',
    'db.operation.name',
    'db.system.name',
    'error.type',
    'http.request.method',
    'http.response.status_code',
    'http.route',
    'network.protocol.name',
    'rpc.method',
    'rpc.service',
    'rpc.system',
    'server.address',
    'server.port',
    'temporalActivityID',
    'temporalRunID',
    'temporalWorkflowID',
    'url.scheme',
  ]
  const told = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)))
  expect([...told].filter(name => !known.includes(name))).toEqual([])
})
