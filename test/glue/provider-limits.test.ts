// Limits of providers.
import { afterAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { newTenant } from '../support/api.js'
import { limitedSite } from '../support/provider.js'

const { seen, stop, glueWith, callAtOnce } = await limitedSite()
afterAll(() => stop())

test('a provider with limits gets 10 calls a second, two at a time, however many callers there are', async () => {
  const glue = glueWith({ requestsPerSecond: 10, concurrency: 2 }, 199)
  const tenant = await newTenant(inject('baseUrl'), {}, { glue })
  expect(await callAtOnce(tenant, 25)).toEqual(Array(25).fill('200 answered'))
  expect(seen.arrivals).toHaveLength(25)
  expect(seen.maxInFlight).toBe(2)
  // In any second twice as many at most: a second's worth may have been saved up.
  const busiest = Math.max(
    ...seen.arrivals.map(from => seen.arrivals.filter(at => at >= from && at < from + 1_000).length),
  )
  expect(busiest).toBeLessThanOrEqual(20)
  // Of the 200 providers with limits nobody calls the others: they have no worker.
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  const inUse = await db('provider_queues').where('queue', 'like', `provider/${tenant.tenantKey}/%`).pluck('queue')
  await db.destroy()
  expect(inUse).toEqual([`provider/${tenant.tenantKey}/limited`])
})
