// Kills and stops of the worker during bulks.
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { newTenant, type Tenant } from '../../support/api.js'
import { openDatabase } from '../../support/factories.js'
import { acceptBulk, ended, kill, placesOf, progressed, signal } from '../../support/faults.js'
import { hierarchyModel, placeType } from '../../support/hierarchy-model.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const db = openDatabase()
let tenant: Tenant

async function tenantWithPlaces() {
  tenant = await newTenant(stack.baseUrl)
  await tenant.put('/api/v1/structureType', placeType)
}

test('a bulk of 100,000 whose worker is killed three times writes every row once, and its job says so', async () => {
  const seed = randomInt(2 ** 31)
  console.log(`seed ${seed}`)
  await tenantWithPlaces()
  const batch = placesOf(100_000, seed)
  const model = hierarchyModel()
  const older = batch.filter(({ Key }) => Number(Key.slice('place-'.length)) < 20_000)
  const earlier = older.map(item => ({ ...item, DisplayName: `${item.DisplayName}, as it was` }))
  model.apply(earlier)
  expect((await tenant.put('/api/v1/structuralEntity/bulk', earlier)).status).toBe(204)
  const counts = model.apply(batch)
  const { jobId } = await acceptBulk(tenant, batch)

  for (const from of [0.05, 0.35, 0.65]) {
    const part = from + (seed % 1000) / 4000
    expect(await progressed(db, tenant.tenantKey, part), 'the job must be under way when it is killed').toBe(true)
    await kill(stack.worker)
  }

  expect(counts).toEqual({ created: 80_000, updated: 20_000 })
  expect(await ended(tenant, jobId)).toMatchObject({
    status: 'Completed',
    progress: { done: 100_000, total: 100_000 },
    counts,
  })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('a worker that is stopped in an orderly way hands a bulk under way to the next one', async () => {
  await tenantWithPlaces()
  const batch = placesOf(40_000, 1)
  const model = hierarchyModel()
  model.apply(batch)
  const { jobId } = await acceptBulk(tenant, batch)
  expect(await progressed(db, tenant.tenantKey, 0.1)).toBe(true)
  const stopped = signal(stack.worker, 'SIGTERM')
  await until('the worker is started again', async () => stack.worker.pid !== undefined && stack.worker.pid !== stopped)

  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 40_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})
