import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { createCircuits } from '../../activities/glue/circuits.js'
import { ProviderFailed } from '../../activities/glue/provider-failed.js'
import { connect } from '../../db/connect.js'
import { type Api, admin, newTenant, type Tenant } from '../support/api.js'
import { problem, send } from '../support/http.js'
import { type LoopbackServer, loopbackServer } from '../support/loopback.js'
import { aKey } from '../support/manifest.js'
import { providerAt, providerCalls } from '../support/provider-calls.js'

interface ProviderState {
  key: string
  circuits: { process: string; state: string; lastFailure: string | null; changedAt: string }[]
}

const url = 'https://provider.example'
let db: Knex
let platform: Api
let tenant: Tenant
let tenantId: number
let site: LoopbackServer
let status = 200
/** Answers wait for this. */
let held: Promise<void> | undefined
let calls: ReturnType<typeof providerCalls>

beforeAll(async () => {
  db = connect(inject('databaseUrl'), { poolSize: 2 })
  platform = await admin(inject('baseUrl'))
  const providers = [
    {
      key: 'one',
      url,
      limits: { requestsPerSecond: 5 },
      authentication: { tokenUrl: `${url}/t`, clientId: 'c', clientSecret: '{{ variables.secret }}' },
    },
    { key: 'two', url, timeoutSeconds: 3, maxAnswerMb: 2, retrySeconds: 60 },
  ]
  const secrets = [{ name: 'secret', value: randomBytes(8).toString('hex') }]
  tenant = await newTenant(inject('baseUrl'), {}, { glue: { secrets, providers } })
  tenantId = (await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')).id
  site = await loopbackServer(async (_, response) => {
    await held
    response.writeHead(status).end()
  })
})
beforeEach(async () => {
  status = 200
  held = undefined
  calls = providerCalls({ allow: [site.host], tenant: tenantId })
  await db('worker_heartbeats').insert({ worker: calls.process, queue: 'test', seen_at: new Date() })
})
afterEach(async () => {
  vi.useRealTimers()
  await calls.stop()
})
afterAll(async () => {
  await site.stop()
  await db.destroy()
})

const call = (key = 'one', more = {}) =>
  calls.call({ provider: providerAt(site.url, { key }), url: `${site.url}/`, ...more })
const fails = (key = 'one') => calls.failure({ provider: providerAt(site.url, { key }), url: `${site.url}/` })

async function failsTimes(count: number, key?: string): Promise<void> {
  for (let n = 0; n < count; n++) expect(await fails(key)).toMatchObject({ reason: 'status' })
}

const path = () => `/admin/v1/tenants/${tenant.tenantKey}/providers`
/** The circuits of a provider as operators see them. */
const shown = async (key = 'one') =>
  (await platform.get<ProviderState[]>(path())).body.find(provider => provider.key === key)?.circuits
const isShown = (state: string, lastFailure = 'status 503') =>
  expect
    .poll(() => shown())
    .toEqual([{ process: calls.process, state, lastFailure, changedAt: expect.stringMatching(/Z$/) }])

describe('a circuit', () => {
  test('opens after five failures in a row: the provider is called no more, and the failure says for how long', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    status = 503
    await failsTimes(5)
    const before = site.asked.length
    vi.setSystemTime(Date.now() + 4_000)
    expect(await fails()).toMatchObject({
      reason: 'circuit-open',
      retryable: true,
      retryAfterMs: 6_000,
      message: "The provider 'one' has failed and is left alone for a while",
    })
    expect(site.asked).toHaveLength(before)
  })

  test('stays closed when a call succeeds in between', async () => {
    for (let round = 0; round < 3; round++) {
      status = 503
      await failsTimes(4)
      status = 200
      expect((await call()).status).toBe(200)
    }
  })

  test.each([404, 429])('stays closed whatever the number of answers with %i', async answer => {
    status = answer
    const before = site.asked.length
    for (let n = 0; n < 8; n++) await call().catch(() => undefined)
    expect(site.asked).toHaveLength(before + 8)
  })

  test('is one provider’s, and one tenant’s', async () => {
    status = 503
    await failsTimes(5)
    expect(await fails()).toMatchObject({ reason: 'circuit-open' })
    status = 200
    expect((await call('two')).status).toBe(200)
    const neighbour = providerCalls({ allow: [site.host] })
    await neighbour.call({ provider: providerAt(site.url, { key: 'one' }), url: `${site.url}/` })
    await neighbour.stop()
  })

  test('lets a single call try after 10 s, and rests longer each time that fails, up to a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    status = 503
    await failsTimes(5)
    for (const rest of [10, 20, 40, 60, 60]) {
      vi.setSystemTime(Date.now() + rest * 1_000 - 1)
      expect(await fails()).toMatchObject({ reason: 'circuit-open', retryAfterMs: 1 })
      vi.setSystemTime(Date.now() + 1)
      expect(await fails()).toMatchObject({ reason: 'status' })
    }
    vi.setSystemTime(Date.now() + 60_000)
    status = 200
    expect((await call()).status).toBe(200)
    status = 503
    await failsTimes(5)
    expect(await fails()).toMatchObject({ reason: 'circuit-open', retryAfterMs: 10_000 })
  })

  test('lets nobody else in while one call tries, and all once it has succeeded', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    status = 503
    await failsTimes(5)
    vi.setSystemTime(Date.now() + 10_000)
    status = 200
    let release = () => undefined as void
    held = new Promise(resolve => {
      release = resolve
    })
    const trial = call()
    await vi.waitUntil(() => calls.lines.some(line => line.includes('half-open')))
    expect(await fails()).toMatchObject({ reason: 'circuit-open', retryable: true, retryAfterMs: 1_000 })
    release()
    expect((await trial).status).toBe(200)
    expect((await Promise.all([call(), call()])).map(answer => answer.status)).toEqual([200, 200])
  })

  test('stays open when the call that tries is cancelled', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    status = 503
    await failsTimes(5)
    vi.setSystemTime(Date.now() + 10_000)
    held = new Promise(() => undefined)
    const stop = new AbortController()
    const trial = call('one', { signal: stop.signal })
    stop.abort(new Error('cancelled'))
    await expect(trial).rejects.toThrow('cancelled')
    expect(await fails()).toMatchObject({ reason: 'circuit-open' })
  })
})

describe('operators see', () => {
  test('the providers of the manifest with their limits, without credentials', async () => {
    const answer = await platform.get(path())
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: [
        {
          key: 'one',
          url,
          limits: { requestsPerSecond: 5 },
          timeoutSeconds: 30,
          retrySeconds: 900,
          maxAnswerMb: 16,
          circuits: [],
        },
        { key: 'two', url, limits: {}, timeoutSeconds: 3, retrySeconds: 60, maxAnswerMb: 2, circuits: [] },
      ],
    })
  })

  test('each change of a circuit', async () => {
    status = 503
    await failsTimes(5)
    await isShown('open')
    expect(await shown('two')).toEqual([])
    const { text } = await send(inject('baseUrl'), '/metrics')
    expect(text).toMatch(/^armature_provider_circuits\{state="open"\} [1-9]/m)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
    let release = () => undefined as void
    held = new Promise(resolve => {
      release = resolve
    })
    status = 200
    const trial = call()
    await isShown('half-open')
    release()
    await trial
    await isShown('closed')
  })

  test('nothing of processes that are gone', async () => {
    status = 503
    await failsTimes(5)
    await isShown('open')
    const silent = new Date(Date.now() - 60_000)
    await db('worker_heartbeats').where({ worker: calls.process }).update({ seen_at: silent })
    expect(await shown()).toEqual([])
  })

  test('it only as platform administrators', async () => {
    const body = problem(403, 'forbidden', path())
    expect((await tenant.get(path())).body).toMatchObject({ ...body, detail: expect.any(String) })
    const unknown = '/admin/v1/tenants/no-such-tenant/providers'
    expect((await platform.get(unknown)).body).toEqual(problem(404, 'not-found', unknown))
  })
})

test('what processes noted that nobody has heard of for a day goes with the next change', async () => {
  const old = { tenant_id: tenantId, provider_key: 'one', state: 'open', changed_at: new Date(Date.now() - 90_000_000) }
  await db('glue_circuits').insert({ ...old, process: 'gone' })
  status = 503
  await failsTimes(5)
  await isShown('open')
  await expect.poll(() => db('glue_circuits').where({ tenant_id: tenantId }).pluck('process')).toEqual([calls.process])
})

test('a database that is away delays no call, and gets the newest state when it is back', async () => {
  const lines: object[] = []
  const write = (fields: object) => void lines.push(fields)
  const away = connect('mysql://nobody:nothing@127.0.0.1:1/nowhere', { poolSize: 1 })
  const log = { warn: write, info: write }
  const circuits = createCircuits({ db: away, log, process: aKey('process') })
  const work = async () => {
    throw new ProviderFailed('network', 'x', { retryable: true })
  }
  const run = () => circuits.run({ tenant: 1, provider: 'x' }, work)
  for (let n = 0; n < 5; n++) await expect(run()).rejects.toMatchObject({ reason: 'network' })
  await expect(run()).rejects.toMatchObject({ reason: 'circuit-open' })
  await expect
    .poll(() => lines, { timeout: 20_000 })
    .toContainEqual({ tenant: 1, provider: 'x', err: expect.any(Error) })
  await away.destroy()
})
