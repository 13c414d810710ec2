// A bulk, the deletion of a tenant and single writes during which processes are killed.
import { afterAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { admin } from '../support/api.js'
import { auditOf } from '../support/audit.js'
import { subjectTenant, tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended, type JobBody, kill, placesOf, progressed, sent } from '../support/faults.js'
import { type HeldHierarchy, holdHierarchy } from '../support/jobs.js'
import { sharedStack } from '../support/running-stack.js'
import { person, subjectsPath, type WrittenSubject } from '../support/subjects.js'
import { rowsOf, suspendedLong } from '../support/tenant-rows.js'
import { until } from '../support/until.js'

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

test('a deletion of a tenant during which the worker is killed deletes all of it', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 2 })
  const { tenant } = await tenantWithPlaces(stack.baseUrl)
  const id = await tenantIdOf(db, tenant.tenantKey)
  const platform = await admin(stack.baseUrl)
  await platform.put(`/admin/v1/tenants/${tenant.tenantKey}/suspension`, undefined)
  await suspendedLong(db, id)
  // The deletion comes no further than this row.
  const held = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
  const path = `/admin/v1/tenants/${tenant.tenantKey}?confirm=${tenant.tenantKey}`
  const { body } = await platform.send<JobBody>('DELETE', path)
  const position = async () => (await db('jobs').where({ id: body.jobId }).first('position'))?.position
  await until('it is there', async () => (await position()) === 'hierarchies')
  await kill(stack.worker, () => held.release())
  await stack.ready()
  expect(await ended(platform, body.jobId)).toMatchObject({ status: 'Completed' })
  expect(await rowsOf(db, id)).toEqual({})
  await db.destroy()
})

test('of writes during which the API and the database are killed, each has its event, and each event its write', async () => {
  const db = connect(stack.databaseUrl, { poolSize: 2 })
  const tenant = await subjectTenant()
  const { id: tenant_id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const written = async (): Promise<string[]> => db('subjects').where({ tenant_id }).orderBy('id').pluck('id')
  for (const [round, victim] of [stack.api, stack.database].entries()) {
    const before = (await written()).length
    const calls = Array.from({ length: 200 }, (_, n) => sent(tenant.post(subjectsPath, person(`${round} ${n}`))))
    await until('some are written', async () => (await written()).length > before + 10)
    await kill(victim)
    await Promise.all(calls)
    await stack.ready()
  }
  const events = await auditOf(tenant, { Action: 'upsertSubject' })
  const people = await written()
  expect(events.flatMap(({ ids }) => ids).sort()).toEqual([...people].sort())
  expect(people.length).toBeLessThan(400)
  await db.destroy()
})

test('reads of people that wait for their place in the audit survive a kill of the database', async () => {
  const tenant = await subjectTenant()
  const { body } = await tenant.post<WrittenSubject>(subjectsPath, person('1'))
  await Promise.all(Array.from({ length: 30 }, () => tenant.get(`${subjectsPath}/${body.internalId}`)))
  await kill(stack.database)
  await stack.ready()
  const reads = () => auditOf(tenant, { Outcome: 'read' })
  await expect.poll(reads).toHaveLength(30)
})
