// Health and metrics.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { buildId } from '../../runtime/process/build.js'
import { version } from '../../runtime/process/version.js'
import { newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { send } from '../support/http.js'
import { startOwnApp } from '../support/own-app.js'
import { until } from '../support/until.js'

/** What every answer says of its process. */
const build = { version, build: buildId() }

const get = (path: string) => send(inject('baseUrl'), path)
const metrics = (path = '/metrics') => send(inject('metricsUrl'), path)

test('/health/live answers without a token', async () => {
  const { status, text } = await get('/health/live')
  expect([status, JSON.parse(text)]).toEqual([200, { status: 'live', ...build }])
})

test('the process is ready while it reaches the database', async () => {
  const { status, text } = await get('/health/ready')
  expect([status, JSON.parse(text)]).toEqual([
    200,
    { status: 'ready', checks: { process: 'ok', database: 'ok' }, ...build },
  ])
})

test('the status names everything that the platform depends on', async () => {
  const { status, text } = await get('/health/status')
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      status: 'ready',
      checks: {
        process: 'ok',
        database: 'ok',
        temporal: 'ok',
        interactiveWorker: 'ok',
        backgroundWorker: 'ok',
        callsWorker: 'ok',
      },
      ...build,
    },
  ])
})

test('the metrics, the description and /docs name the version and the build', async () => {
  const series = `armature_build_info{version="${build.version}",build="${build.build}"} 1`
  expect((await metrics()).text).toContain(series)
  expect((await send(inject('workerUrl'), '/metrics')).text).toContain(series)
  expect(JSON.parse((await get('/openapi.json')).text).info.version).toBe(build.version)
  expect((await get('/docs')).text).toContain(`<small>${build.build}</small>`)
})

test('a process without Temporal is ready all the same, and the status says what is away', async () => {
  const own = await startOwnApp(inject('databaseUrl'))
  const asked = async (path: string) => {
    const { status, text } = await send(own.baseUrl, path)
    return [status, JSON.parse(text).checks]
  }
  const ready = { process: 'ok', database: 'ok' }
  expect(await asked('/health/ready')).toEqual([200, ready])
  expect(await asked('/health/status')).toEqual([
    503,
    { ...ready, temporal: 'down', interactiveWorker: 'down', backgroundWorker: 'ok', callsWorker: 'ok' },
  ])
  await own.stop()
})

test('a worker says that it lives and which queues it polls, and gives its metrics and those of the SDK', async () => {
  const ask = (path: string) => send(inject('workerUrl'), path)
  expect(await ask('/health/live')).toMatchObject({ status: 200, text: JSON.stringify({ status: 'live', ...build }) })
  const { status: ready, text: said } = await ask('/health/ready')
  const checks = { process: 'ok', database: 'ok', background: 'ok', calls: 'ok' }
  expect([ready, JSON.parse(said)]).toEqual([200, { status: 'ready', checks, ...build }])
  expect((await ask('/nowhere')).status).toBe(404)
  const { status, text } = await ask('/metrics')
  expect(status).toBe(200)
  expect(text).toMatch(/^armature_database_connections{state="free"} \d+$/m)
  expect(text).toMatch(/^temporal_worker_task_slots_available{.*task_queue="background".*} \d+$/m)
  expect(text).not.toContain('task_queue="provider/')
})

test('metrics of the whole installation are at /metrics/platform only', async () => {
  const { status, text } = await metrics('/metrics/platform')
  expect(status).toBe(200)
  for (const name of ['armature_jobs', 'armature_oldest_waiting_job_seconds', 'armature_provider_circuits']) {
    expect(text).toMatch(new RegExp(`^# TYPE ${name} gauge$`, 'm'))
    expect((await metrics()).text).not.toContain(name)
  }
})

test('callers of the API reach no metrics, and their port answers nothing else', async () => {
  expect((await get('/metrics')).status).toBe(404)
  expect((await get('/metrics/platform')).status).toBe(404)
  expect((await metrics('/health/live')).status).toBe(404)
})

test('metrics are made at most once a second, however many ask', async () => {
  const texts = await Promise.all(Array.from({ length: 50 }, async () => (await metrics()).text))
  expect(new Set(texts).size).toBeLessThanOrEqual(2)
})

describe('metrics', () => {
  let tenant: Tenant
  let text: string
  const requests = [
    'method="GET",route="/api/v1/group/:groupKey",status="200"',
    'method="GET",route="/api/v1/group/:groupKey",status="404"',
    'method="PUT",route="/api/v1/group",status="201"',
    'method="GET",route="none",status="404"',
  ]
  const lines = (name: string) => text.split('\n').filter(line => line.startsWith(`${name}{`))

  beforeAll(async () => {
    tenant = await newTenant(inject('baseUrl'))
    await tenant.put('/api/v1/group', { Key: 'metrics-secret-key', Name: 'A' })
    await tenant.get('/api/v1/group/metrics-secret-key')
    await tenant.get('/api/v1/group/metrics-unknown-key')
    await tenant.get('/nowhere/metrics-path')
    await tenant.put('/api/v1/structureType', aType('unit'))
    await tenant.put('/api/v1/structuralEntity/bulk', [anEntity('metrics-bulk-key')])
    // The text may be a second old.
    await until('the requests are counted', async () => {
      text = (await metrics()).text
      return [...requests, 'route="/api/v1/structuralEntity/bulk"'].every(labels => text.includes(labels))
    })
  })

  test('are in the text format of Prometheus', async () => {
    const { status, headers } = await metrics()
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    for (const line of text.split('\n')) {
      expect(line).toMatch(/^$|^# (HELP|TYPE) \w+ .+$|^\w+(\{(\w+="[^"]*",?)*\})? (NaN|[+-]?(Inf|[\d.]+(e[+-]?\d+)?))$/)
    }
  })

  test('tell requests by method, route and status, never by path', () => {
    const counted = lines('armature_http_requests_total')
    for (const labels of requests) {
      expect(counted.filter(line => line.includes(labels))).toHaveLength(1)
    }
  })

  test('count the jobs that ended, by kind and outcome', () => {
    const counted = lines('armature_job_ends_total')
    const [line] = counted.filter(each => each.includes('kind="structuralEntityBulkUpsert",outcome="Completed"'))
    expect(line).toMatch(/ [1-9]\d*$/)
  })

  test('say nothing of tenants, clients, keys or ids', () => {
    for (const secret of [tenant.tenantKey, 'metrics-', 'demo', 'platform-admin']) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}-/)
  })

  test('tell the pool, and what a process always tells', () => {
    const states = lines('armature_database_connections').map(line => /state="(\w+)"/.exec(line)?.[1])
    expect(states).toEqual(['used', 'free', 'waited_for'])
    expect(text).toMatch(/^armature_process_resident_memory_bytes \d+/m)
  })
})
