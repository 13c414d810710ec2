// A bulk during which every process is killed.
import { afterAll, expect, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended, kill, placesOf, progressed } from '../support/faults.js'
import { type HeldHierarchy, holdHierarchy } from '../support/jobs.js'
import { sharedStack } from '../support/running-stack.js'

const stack = sharedStack()
// The files after this one need the API, also where a test here has failed.
afterAll(() => stack.ready())

// Every other fault: test/faults/long, by `npm run test:faults`.
test('a bulk during which every process is killed once writes every row once', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 2 })
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(60_000, 3)
  model.apply(batch)
  const { jobId } = await acceptBulk(tenant, batch)
  const victims = [stack.worker, stack.temporal, stack.api, stack.database]
  for (const [n, victim] of victims.entries()) {
    expect(await progressed(db, tenant.tenantKey, 0.1 + n / 10), 'the bulk goes on').toBe(true)
    let held: HeldHierarchy | undefined
    // Once it is killed the writers wait until it is back: else they may end the bulk before the next one is killed.
    await kill(victim, async () => {
      if (victim !== stack.database) held = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
    })
    await held?.release()
  }

  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 60_000 } })
  await stack.ready()
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  await db.destroy()
})
