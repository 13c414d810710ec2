// Steps of a job whose work is done while the step before them is written.
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { endOtherSteps, type OpenJob, stepAhead } from '../../db/jobs/advance.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { insertMissing, insertRows } from '../../db/rows.js'
import { newTenant } from '../support/api.js'
import { gate } from '../support/data-sets.js'
import { jobWithoutRun } from '../support/jobs.js'
import { until } from '../support/until.js'

const table = 'steps_ahead'
let db: Knex
let tenant: number
beforeAll(async () => {
  db = connect(inject('databaseUrl'), { poolSize: 9 })
  await db.raw(`CREATE TABLE ${table} (job VARCHAR(36) NOT NULL, at INT NOT NULL, PRIMARY KEY (job, at)) ENGINE=InnoDB`)
  tenant = await tenantIdOf(db, (await newTenant(inject('baseUrl'))).tenantKey)
})
afterAll(async () => {
  await db.raw(`DROP TABLE ${table}`)
  await db.destroy()
})

let id: string
beforeEach(async () => {
  id = await jobWithoutRun(db, tenant, 'subjectImport', 3)
})

/** Begins a step that writes a row, and belongs behind so many others. */
function begun(at: number, work: (trx: Knex.Transaction) => Promise<unknown> = async () => undefined) {
  return stepAhead(db, tenant, id, async trx => {
    await insertRows(trx, table, ['job', 'at'], [[id, at]])
    await work(trx)
    return ({ done }: OpenJob) => (done === at ? { done: at + 1, ended: at === 2, counts: { created: 1 } } : undefined)
  })
}
const written = () => db(table).where({ job: id }).orderBy('at').pluck('at')
const stored = () => jobStore(db, tenant).byId(id)

test('two are worked on at a time, and are written in their order', async () => {
  const { reached: secondAtWork, arrive } = gate()
  const first = begun(0, () => secondAtWork)
  const second = begun(1, async () => arrive())
  expect(await first.commit()).toEqual({ done: 1, total: 3 })
  expect(await written()).toEqual([0])
  const third = begun(2)
  expect(await second.commit()).toEqual({ done: 2, total: 3 })
  expect(await third.commit()).toEqual({ done: 3, total: 3, counts: { created: 3 } })
  expect(await written()).toEqual([0, 1, 2])
  expect(await stored()).toMatchObject({ status: 'Completed', counts: JSON.stringify({ created: 3 }) })
})

test('nothing is written of one that is given up, that is not the next one, or whose job was cancelled or is complete', async () => {
  await begun(0).giveUp()
  expect(await begun(1).commit()).toEqual({ done: 0, total: 3 })
  const late = begun(0)
  await jobStore(db, tenant).cancel(id)
  await expect(late.commit()).rejects.toMatchObject({ code: 'job-ended' })
  await db('jobs').where({ tenant_id: tenant, id }).update({ status: 'Completed', done: 3 })
  expect(await begun(0).commit()).toMatchObject({ done: 3, total: 3 })
  expect(await written()).toEqual([])
})

test('a failure of its work is that of its turn, and takes its rows back', async () => {
  const failed = begun(0, () => Promise.reject(new Error('no')))
  await expect(failed.commit()).rejects.toThrow('no')
  await failed.giveUp()
  expect(await written()).toEqual([])
  expect(await stored()).toMatchObject({ status: 'Accepted', done: 0 })
})

test('a process that takes the job over ends both', async () => {
  const [one, other] = [gate(), gate()]
  const [first, second] = [one, other].map((each, at) =>
    begun(at, async () => {
      each.arrive()
      await each.passed
    }),
  )
  await Promise.all([one.reached, other.reached])
  expect(await endOtherSteps(db, id)).toBe(true)
  one.open()
  other.open()
  await expect(first?.commit()).rejects.toMatchObject({ code: 'unavailable' })
  await expect(second?.commit()).rejects.toMatchObject({ code: 'unavailable' })
  // The server takes the rows and the names back after it has closed the connection.
  await until('both steps have let go', async () => !(await endOtherSteps(db, id)))
  expect(await written()).toEqual([])
})

test('a step that waits for a row of the step ahead gets it, and both are written in their order', async () => {
  const shared = (trx: Knex.Transaction) => insertMissing(trx, table, ['job', 'at'], [[id, 9]])
  const { reached: hasRow, arrive } = gate()
  const first = begun(0, async trx => {
    await hasRow
    await shared(trx)
  })
  const second = begun(1, async trx => {
    await shared(trx)
    arrive()
  })
  expect(await first.commit()).toEqual({ done: 1, total: 3 })
  expect(await second.commit()).toEqual({ done: 2, total: 3 })
  expect(await written()).toEqual([0, 1, 9])
})
