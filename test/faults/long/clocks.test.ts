// Processes whose clocks are a minute apart, and servers that are far away.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordingProvider } from '../../support/endpoints.js'
import { glueTenant, tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended, placesOf } from '../../support/faults.js'
import { send } from '../../support/http.js'
import { temporalClient } from '../../support/jobs.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

const cases = [
  { name: 'an API a minute ahead and a worker a minute behind', clockSeconds: 60 },
  { name: 'an API a minute behind and a worker a minute ahead', clockSeconds: -60 },
  { name: 'MySQL and Temporal 100 ms away', clockSeconds: 0, distanceMs: 100 },
]

describe.each(cases)('$name', ({ name: _, ...settings }) => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack({}, settings)
  })
  afterAll(() => stack?.stop())

  test('endpoints answer, those that only read without a run, and the run of the other completes', async () => {
    const provider = await recordingProvider(({ path }) => ({ body: { at: path } }), stack.providerPorts)
    const glue = {
      providers: [{ key: 'p', url: provider.url }],
      endpoints: ['GET', 'POST'].map(method => ({
        key: method.toLowerCase(),
        steps: ['one', 'two'].map(name => ({
          name,
          httpRequest: { provider: 'p', method, url: name, ...(method === 'POST' ? { body: '{}' } : {}) },
        })),
      })),
    }
    const tenant = await glueTenant(glue, {}, stack.baseUrl)
    for (const [key, body] of [['get'], ['post', { a: 1 }]] as const)
      expect(await tenant.call(key, body)).toMatchObject({ status: 200, body: { at: '/two' } })
    await provider.stop()
    const temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
    const query = `TenantKey = '${tenant.tenantKey}'`
    const states = await until('the run is listed as ended', async () => {
      const runs: { status: { name: string } }[] = []
      for await (const run of temporal.client.workflow.list({ query })) runs.push(run)
      return runs.length === 1 && runs.every(({ status }) => status.name !== 'RUNNING') && runs
    })
    expect(states.map(({ status }) => status.name)).toEqual(['COMPLETED'])
    await temporal.close()
  })

  test('a bulk is written once, and every process counts as alive', async () => {
    const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
    const batch = placesOf(6_000, 3)
    model.apply(batch)
    const { jobId } = await acceptBulk(tenant, batch)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 6_000 } })
    expect((await send(stack.baseUrl, '/health/status')).status).toBe(200)
  })

  test('the metrics tell how far each clock is off', async () => {
    const skews = async (url: string) =>
      Object.fromEntries(
        [...(await send(url, '/metrics')).text.matchAll(/^armature_clock_skew_seconds{of="(\w+)"} (\S+)$/gm)].map(
          ([, of, seconds]) => [of, Math.round(Number(seconds) / 10) * 10 + 0],
        ),
      )
    const seconds = settings.clockSeconds
    await until('both are measured', async () => Object.keys(await skews(stack.metricsUrl)).length === 2)
    expect(await skews(stack.metricsUrl)).toEqual({ database: seconds, temporal: seconds })
    expect(await skews(stack.workerUrl)).toEqual({ database: 0 - seconds, temporal: 0 - seconds })
  })
})
