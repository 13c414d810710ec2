// Endpoint runs beside kills.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Provider, recordingProvider } from '../../support/endpoints.js'
import { type EndpointTenant, glueTenant } from '../../support/factories.js'
import { sent, signal } from '../../support/faults.js'
import { problem } from '../../support/http.js'
import { temporalClient } from '../../support/jobs.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
let provider: Provider
let temporal: Awaited<ReturnType<typeof temporalClient>>
/** Called when the provider is asked for the first time for the path that a test waits for; it gets no answer then. */
let onFirst: { path: string; act: () => void } | undefined

beforeAll(async () => {
  temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  provider = await recordingProvider(({ path }) => {
    if (path !== onFirst?.path) return { body: { at: path } }
    const { act } = onFirst
    onFirst = undefined
    act()
    return new Promise(() => undefined)
  }, stack.providerPorts)
})
afterAll(async () => {
  await temporal?.close()
  await provider?.stop()
})
beforeEach(() => {
  provider.seen.length = 0
})

const calls = (more: object) =>
  ['one', 'two', 'three'].map(name => ({
    name,
    httpRequest: { provider: 'p', method: 'POST', url: name, body: '{}', ...more },
  }))

const tenantOf = (limits: object = {}, more: object = { idempotent: true }): Promise<EndpointTenant> =>
  glueTenant(
    {
      providers: [{ key: 'p', url: provider.url, limits }],
      endpoints: [
        { key: 'e', durable: true, steps: calls(more) },
        { key: 'direct', steps: calls(more) },
      ],
    },
    {},
    stack.baseUrl,
  )

const paths = () => provider.seen.map(({ path }) => path)
const keysOf = (path: string) =>
  new Set(provider.seen.filter(each => each.path === path).map(({ headers }) => headers['idempotency-key'])).size

/** The one run of a tenant's endpoint, as Temporal knows it, once it has ended. */
const endedRun = (tenant: EndpointTenant) =>
  until('the run ends', async () => {
    for await (const run of temporal.client.workflow.list({ query: `TenantKey = '${tenant.tenantKey}'` })) {
      if (run.status.name !== 'RUNNING') return run
    }
    return undefined
  })

test.each([
  ['in the second call', '/two', ['/one', '/two', '/two', '/three']],
  ['in the third call', '/three', ['/one', '/two', '/three', '/three']],
  ['in the first call', '/one', ['/one', '/one', '/two', '/three']],
])('an API that is killed %s: the run goes on, and what was done is not repeated', async (_, path, expected) => {
  const tenant = await tenantOf()
  onFirst = { path, act: () => signal(stack.api, 'SIGKILL') }
  expect(await sent(tenant.call('e')), 'its caller is cut off').toBeUndefined()
  await stack.ready()

  const run = await endedRun(tenant)
  expect(run).toMatchObject({ type: 'glueEndpoint', status: { name: 'COMPLETED' } })
  expect(paths()).toEqual(expected)
  expect(keysOf(path), 'the call that was cut off is repeated under its key').toBe(1)
  expect(await temporal.client.workflow.getHandle(run.workflowId).result()).toMatchObject({
    status: 200,
    body: { json: { at: '/three' } },
  })
})

const interrupted = (step: string) =>
  `The process that made the call of the step '${step}' ended before the answer was recorded. ` +
  'The call is not idempotent and may have been carried out, so it is not repeated.'

test.each([
  ['first', 'one', 'SIGKILL', ['/one']],
  ['first', 'one', 'SIGTERM', ['/one']],
  ['second', 'two', 'SIGKILL', ['/one', '/two']],
] as const)(
  'an API that ends in the %s call, %s, by %s: a call that is not idempotent is not repeated',
  async (_, step, end, expected) => {
    const tenant = await tenantOf({}, {})
    onFirst = { path: `/${step}`, act: () => signal(stack.api, end) }
    await sent(tenant.call('e'))
    await stack.ready()

    const run = await endedRun(tenant)
    expect(run).toMatchObject({ type: 'glueEndpoint', status: { name: 'FAILED' } })
    await expect(temporal.client.workflow.getHandle(run.workflowId).result()).rejects.toMatchObject({
      cause: { type: 'call-interrupted', message: interrupted(step), nonRetryable: true },
    })
    expect(paths()).toEqual(expected)
  },
)

test('a provider’s worker that is killed in a call that is not idempotent: its caller is told, and it is not repeated', async () => {
  const tenant = await tenantOf({ concurrency: 2 }, {})
  onFirst = { path: '/two', act: () => signal(stack.worker, 'SIGKILL') }
  expect(await tenant.call('e')).toMatchObject({
    status: 500,
    body: problem(500, 'call-interrupted', tenant.path('e'), { detail: interrupted('two') }),
  })
  expect(paths()).toEqual(['/one', '/two'])
})

test('a provider’s worker that is killed in a call: the run goes on elsewhere, and its caller is answered', async () => {
  const tenant = await tenantOf({ concurrency: 2 })
  onFirst = { path: '/two', act: () => signal(stack.worker, 'SIGKILL') }
  expect(await tenant.call('e')).toMatchObject({ status: 200, body: { at: '/three' } })
  expect(paths()).toEqual(['/one', '/two', '/two', '/three'])
  expect(keysOf('/two')).toBe(1)
})

test('while Temporal does not answer: 503, and nothing is done, not even when it is back; what only reads is answered', async () => {
  const tenant = await tenantOf()
  await tenant.call('e')
  // Its caller is answered first: a Temporal that hangs before it has heard of the last call has that called again.
  await endedRun(tenant)
  provider.seen.length = 0
  signal(stack.temporal, 'SIGSTOP')
  const calls = [tenant.call('e'), tenant.call('direct')] as const
  const [answer, direct] = await Promise.all(calls).finally(() => signal(stack.temporal, 'SIGCONT'))
  expect(direct).toMatchObject({ status: 200, body: { at: '/three' } })
  expect(paths()).toEqual(['/one', '/two', '/three'])
  provider.seen.length = 0
  const detail = expect.stringContaining('Nothing was done.')
  expect(answer).toMatchObject({ status: 503, body: problem(503, 'unavailable', tenant.path('e'), { detail }) })

  // What Temporal had been sent before it stopped, it takes up now: another run comes behind it.
  await until('endpoints run again', async () => (await tenant.call('e')).status === 200)
  expect(paths()).toEqual(['/one', '/two', '/three'])
})

test('a run that Temporal starts after its caller got 503 does nothing', async () => {
  const { tenantKey } = await tenantOf()
  const run = { tenantKey, endpointKey: 'e', request: { method: 'GET', query: {} }, traceId: 't' }
  const late = await temporal.client.workflow.start('glueEndpoint', {
    taskQueue: 'interactive',
    workflowId: `${tenantKey}/glueEndpoint/e/late`,
    args: [{ run, startBy: Date.now() - 60_000 }],
  })
  await expect(late.result()).rejects.toMatchObject({ cause: { type: 'unavailable', nonRetryable: true } })
  expect(paths()).toEqual([])
})
