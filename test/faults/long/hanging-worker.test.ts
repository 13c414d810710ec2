// A worker that hangs in the middle of a transaction and stays: the server ends that transaction, and others take its jobs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended, placesOf, signal } from '../../support/faults.js'
import { holdHierarchy } from '../../support/jobs.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.stop())

test('a bulk whose worker hangs for good with locks held is completed by another worker, each row once', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(12_000, 5)
  model.apply(batch)
  const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const hierarchy = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, batch)
  await until('the worker hangs in a step', async () => {
    signal(stack.worker, 'SIGSTOP')
    const row = db('jobs').where({ tenant_id: id, id: jobId })
    const isHeld = (await row.forUpdate().skipLocked().first('id')) === undefined
    if (!isHeld) signal(stack.worker, 'SIGCONT')
    return isHeld
  })
  await hierarchy.release()
  stack.addWorker()

  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 12_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  // What it was about to do is not done a second time.
  signal(stack.worker, 'SIGCONT')
  const after = batch.map(each => ({ ...each, DisplayName: 'again' }))
  model.apply(after)
  const again = await acceptBulk(tenant, after)
  expect(await ended(tenant, again.jobId)).toMatchObject({ status: 'Completed' })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  await db.destroy()
})
