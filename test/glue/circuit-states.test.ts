// Circuit states for operators.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { type Api, admin, newTenant, type Tenant } from '../support/api.js'
import { openDatabase } from '../support/factories.js'
import { problem, send } from '../support/http.js'
import { unreliableProvider } from '../support/provider.js'

interface ProviderState {
  key: string
  circuits: { process: string; state: string; lastFailure: string | null; changedAt: string }[]
}

const url = 'https://provider.example'
const db = openDatabase()
let platform: Api
let tenant: Tenant
let tenantId: number
let provider: Awaited<ReturnType<typeof unreliableProvider>>

beforeAll(async () => {
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
  const secrets = [{ name: 'secret', value: randomBytes(8).toString('hex'), hosts: [new URL(url).host] }]
  tenant = await newTenant(inject('baseUrl'), {}, { glue: { secrets, providers } })
  tenantId = (await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')).id
})
beforeEach(async () => {
  provider = await unreliableProvider({ tenant: tenantId })
  const worker = { worker: provider.process, queue: 'test', build: '' }
  await db('worker_heartbeats').insert({ ...worker, seen_at: new Date() })
})
afterEach(async () => {
  vi.useRealTimers()
  await provider.stop()
})

const path = () => `/admin/v1/tenants/${tenant.tenantKey}/providers`
/** The circuits of a provider as operators see them. */
const shown = async (key = 'one') =>
  (await platform.get<ProviderState[]>(path())).body.find(provider => provider.key === key)?.circuits
const isShown = (state: string, lastFailure = 'status 503') =>
  expect
    .poll(() => shown())
    .toEqual([{ process: provider.process, state, lastFailure, changedAt: expect.stringMatching(/Z$/) }])

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
          alsoKnownAs: [],
          circuits: [],
        },
        {
          key: 'two',
          url,
          limits: {},
          timeoutSeconds: 3,
          retrySeconds: 60,
          maxAnswerMb: 2,
          alsoKnownAs: [],
          circuits: [],
        },
      ],
    })
  })

  test('each change of a circuit', async () => {
    await provider.failsTimes(5)
    await isShown('open')
    expect(await shown('two')).toEqual([])
    // Metrics may be a second old.
    const counted = async () => (await send(inject('metricsUrl'), '/metrics/platform')).text
    await expect.poll(counted).toMatch(/^armature_provider_circuits\{state="open"\} [1-9]/m)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 })
    const release = provider.hold()
    provider.answers(200)
    const trial = provider.call()
    await isShown('half-open')
    release()
    await trial
    await isShown('closed')
  })

  test('no state of processes that are gone', async () => {
    await provider.failsTimes(5)
    await isShown('open')
    const silent = new Date(Date.now() - 60_000)
    await db('worker_heartbeats').where({ worker: provider.process }).update({ seen_at: silent })
    expect(await shown()).toEqual([])
  })

  test('the states only as platform administrators', async () => {
    const body = problem(403, 'insufficient-scope', path())
    expect((await tenant.get(path())).body).toEqual(body)
    const unknown = '/admin/v1/tenants/no-such-tenant/providers'
    expect((await platform.get(unknown)).body).toEqual(problem(404, 'not-found', unknown))
  })
})

test('states of processes that have been silent for a day are deleted at the next change', async () => {
  const old = { tenant_id: tenantId, provider_key: 'one', state: 'open', changed_at: new Date(Date.now() - 90_000_000) }
  await db('glue_circuits').insert({ ...old, process: 'gone' })
  await provider.failsTimes(5)
  await isShown('open')
  await expect
    .poll(() => db('glue_circuits').where({ tenant_id: tenantId }).pluck('process'))
    .toEqual([provider.process])
})
