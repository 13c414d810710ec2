import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { type AllowedServer, allowedServer } from '../support/provider.js'

let site: AllowedServer
let arrivals: number[]
let inFlight: number
let mostInFlight: number

async function startSite(): Promise<void> {
  arrivals = []
  inFlight = 0
  mostInFlight = 0
  site = await allowedServer()
  site.answer(async (_, response) => {
    arrivals.push(performance.now())
    mostInFlight = Math.max(mostInFlight, ++inFlight)
    await sleep(100)
    inFlight--
    response.end('answered')
  })
}
afterEach(() => site.stop())

const glueWith = (limits: object) => ({
  providers: [{ key: 'limited', url: site.url, limits }],
  endpoints: [
    {
      key: 'call',
      steps: [
        { name: 'answer', httpRequest: { provider: 'limited', method: 'GET', url: '/' } },
        { name: 'end', respond: { body: '{{ steps.answer.body }}' } },
      ],
    },
  ],
})

/** Calls the endpoint so often at once. @returns the statuses and bodies. */
const callAtOnce = ({ tenantKey }: Tenant, count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await fetch(`${inject('baseUrl')}/glue/${tenantKey}/call`, { method: 'POST' })
      return `${answer.status} ${await answer.text()}`
    }),
  )

test('changed limits are kept soon after, and without limits all calls are made at once', async () => {
  await startSite()
  const tenant = await newTenant(inject('baseUrl'), {}, { glue: glueWith({ concurrency: 1 }) })
  await callAtOnce(tenant, 5)
  expect(mostInFlight).toBe(1)
  await tenant.change({ glue: glueWith({ concurrency: 3 }) })
  await expect
    .poll(
      async () => {
        mostInFlight = 0
        await callAtOnce(tenant, 12)
        return mostInFlight
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBe(3)
  await tenant.change({ glue: glueWith({}) })
  await expect
    .poll(
      async () => {
        mostInFlight = 0
        await callAtOnce(tenant, 12)
        return mostInFlight
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBeGreaterThan(3)
})
