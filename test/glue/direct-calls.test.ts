// Which endpoints are answered directly, and which are runs in Temporal.
import { afterAll, expect, inject, test } from 'vitest'
import { recordingProvider } from '../support/endpoints.js'
import { glueTenant } from '../support/factories.js'
import { temporalClient } from '../support/jobs.js'
import { until } from '../support/until.js'

const provider = await recordingProvider()
const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
afterAll(() => Promise.all([provider.stop(), close()]))

const read = { name: 'read', httpRequest: { provider: 'p', url: 'read' } }
const writes = (httpRequest: object) => ({
  name: 'write',
  httpRequest: { provider: 'p', url: 'write', ...httpRequest },
})
const limited = { name: 'limited', httpRequest: { provider: 'limited', url: 'limited' } }

const direct: Record<string, object> = {
  'no-call': { steps: [{ name: 'echo', respond: { expression: 'request.method' } }] },
  'two-reads': { steps: [read, { ...read, name: 'again' }] },
  'post-that-reads': { steps: [writes({ method: 'POST', idempotent: true })] },
}
const runs: Record<string, object> = {
  durable: { steps: [read], durable: true },
  'post-that-writes': { steps: [read, writes({ method: 'POST' })] },
  'put-that-may-be-repeated': { steps: [read, writes({ method: 'PUT', idempotent: true })] },
  'delete-behind-a-read': { steps: [read, writes({ method: 'DELETE' })] },
  'read-that-must-not-be-repeated': { steps: [writes({ idempotent: false })] },
  'provider-with-limits': { steps: [read, limited] },
}

test('an endpoint that only reads is answered directly; one that writes, is durable or has a provider with limits is a run', async () => {
  const endpoints = Object.entries({ ...direct, ...runs }).map(([key, endpoint]) => ({ key, ...endpoint }))
  const tenant = await glueTenant({
    providers: [
      { key: 'p', url: provider.url },
      { key: 'limited', url: provider.url, limits: { concurrency: 1 } },
    ],
    endpoints,
  })
  for (const { key } of endpoints) expect(await tenant.call(key), key).toMatchObject({ status: 200 })
  // Each run is listed before the test looks for those that must not be there: the last endpoint has one.
  const listed = await until('the runs are listed', async () => {
    const keys: unknown[] = []
    for await (const { memo } of client.workflow.list({ query: `TenantKey = '${tenant.tenantKey}'` }))
      keys.push(memo?.endpoint)
    return keys.length >= Object.keys(runs).length ? keys : undefined
  })
  expect(listed.toSorted()).toEqual(Object.keys(runs).toSorted())
})
