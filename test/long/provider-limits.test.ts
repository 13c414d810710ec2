// Changed limits of providers.
import { afterAll, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { limitedSite } from '../support/provider.js'

const { seen, stop, glueWith, callAtOnce } = await limitedSite()
afterAll(() => stop())

test('changed limits take effect soon, and without limits all calls are made at once', async () => {
  const tenant = await newTenant(inject('baseUrl'), {}, { glue: glueWith({ concurrency: 1 }) })
  await callAtOnce(tenant, 5)
  expect(seen.maxInFlight).toBe(1)
  await tenant.change({ glue: glueWith({ concurrency: 3 }) })
  await expect
    .poll(
      async () => {
        seen.maxInFlight = 0
        await callAtOnce(tenant, 12)
        return seen.maxInFlight
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBe(3)
  await tenant.change({ glue: glueWith({}) })
  await expect
    .poll(
      async () => {
        seen.maxInFlight = 0
        await callAtOnce(tenant, 12)
        return seen.maxInFlight
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBeGreaterThan(3)
})
