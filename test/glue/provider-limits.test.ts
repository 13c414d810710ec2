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

test('a provider with limits gets 10 calls a second, two at a time, however many callers there are', async () => {
  await startSite()
  const tenant = await newTenant(inject('baseUrl'), {}, { glue: glueWith({ requestsPerSecond: 10, concurrency: 2 }) })
  expect(await callAtOnce(tenant, 40)).toEqual(Array(40).fill('200 answered'))
  expect(arrivals).toHaveLength(40)
  expect(mostInFlight).toBe(2)
  // In any second twice as many at most: a second's worth may have been saved up.
  const busiest = Math.max(...arrivals.map(from => arrivals.filter(at => at >= from && at < from + 1_000).length))
  expect(busiest).toBeLessThanOrEqual(20)
})
