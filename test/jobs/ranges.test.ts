// Ranges of a job, whose steps are done side by side.
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { splitTransfer } from '../../db/frame/hierarchy/transfer-ranges.js'
import { advance, endOtherSteps } from '../../db/jobs/advance.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { advanceRange, openRanges, othersHaveRanges, type RangeStep, writeRanges } from '../../db/jobs/ranges.js'
import { insertRows } from '../../db/rows.js'
import { newTenant } from '../support/api.js'
import { gate } from '../support/data-sets.js'
import { jobWithoutRun } from '../support/jobs.js'
import { until } from '../support/until.js'

const table = 'steps_of_ranges'
let db: Knex
let tenant: number
beforeAll(async () => {
  db = connect(inject('databaseUrl'), { poolSize: 9 })
  await db.raw(
    `CREATE TABLE ${table} (job VARCHAR(36) NOT NULL, at VARCHAR(9) NOT NULL, PRIMARY KEY (job, at)) ENGINE=InnoDB`,
  )
  tenant = await tenantIdOf(db, (await newTenant(inject('baseUrl'))).tenantKey)
})
afterAll(async () => {
  await db.raw(`DROP TABLE ${table}`)
  await db.destroy()
})

let id: string
/** A job of six items in two ranges. */
beforeEach(async () => {
  id = await jobWithoutRun(db, tenant, 'subjectTransfer', 6)
  await db.transaction(trx => writeRanges(trx, tenant, id, ['c']))
})

/** Writes the next item of a range, which is a letter. */
const next = (number: number, last: string, meanwhile: () => Promise<unknown> = async () => undefined) =>
  advanceRange(db, tenant, id, number, async (trx, _, { position, last_id }): Promise<RangeStep> => {
    const item = String.fromCharCode((position ?? '`').charCodeAt(0) + 1)
    await insertRows(trx, table, ['job', 'at'], [[id, item]])
    await meanwhile()
    return { size: 1, ended: item === (last_id ?? last), counts: { moved: 1 }, position: item }
  })
const written = () => db(table).where({ job: id }).orderBy('at').pluck('at')
const stored = () => jobStore(db, tenant).byId(id)

test('steps of two ranges go on at a time, and each adds to the progress of the job', async () => {
  const [one, other] = [gate(), gate()]
  const both = [
    next(1, '', async () => {
      one.arrive()
      await other.reached
    }),
    next(2, 'f', async () => {
      other.arrive()
      await one.reached
    }),
  ]
  const progress = await Promise.all(both)
  expect(progress.map(({ done }) => done).sort()).toEqual([1, 2])
  expect(progress).toEqual(progress.map(({ done }) => ({ done, total: 6, isRangeDone: false })))
  expect(await written()).toEqual(['a', 'd'])
  expect(await stored()).toMatchObject({ status: 'Running', done: 2, counts: JSON.stringify({ moved: 2 }) })
})

test('a range that is done does nothing more; the job ends with a step of its own', async () => {
  for (const isRangeDone of [false, false, true]) expect(await next(1, '')).toMatchObject({ isRangeDone })
  expect(await next(1, '')).toEqual({ done: 3, total: 6, isRangeDone: true })
  expect(await openRanges(db, tenant, id)).toEqual([2])
  for (let n = 0; n < 3; n++) await next(2, 'f')
  expect(await openRanges(db, tenant, id)).toEqual([])
  expect(await written()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
  expect(await stored()).toMatchObject({ status: 'Running', done: 6, total: 6 })
  const end = await advance(db, tenant, id, async (_, { done }) => ({ done, ended: true, counts: {} }))
  expect(end).toEqual({ done: 6, total: 6, counts: { moved: 6 } })
  expect(await next(2, 'f')).toMatchObject({ done: 6, total: 6, isRangeDone: true })
})

test('a step whose job is cancelled meanwhile is taken back, and none begins after that', async () => {
  const late = next(1, '', () => jobStore(db, tenant).cancel(id))
  await expect(late).rejects.toMatchObject({ code: 'job-ended' })
  await expect(next(2, 'f')).rejects.toMatchObject({ code: 'job-ended' })
  expect(await written()).toEqual([])
  expect(await openRanges(db, tenant, id)).toEqual([1, 2])
})

test('a process that takes a range over ends the step of that range alone; one that takes the job over ends all', async () => {
  const gates = [gate(), gate()]
  const steps = gates.map((each, n) =>
    next(n + 1, 'f', async () => {
      each.arrive()
      await each.passed
    }),
  )
  await Promise.all(gates.map(each => each.reached))
  expect(await endOtherSteps(db, id, 1)).toBe(true)
  gates[0]?.open()
  await expect(steps[0]).rejects.toMatchObject({ code: 'unavailable' })
  await until('it has let go', async () => !(await endOtherSteps(db, id, 1)))
  expect(await endOtherSteps(db, id)).toBe(true)
  gates[1]?.open()
  await expect(steps[1]).rejects.toMatchObject({ code: 'unavailable' })
  await until('it has let go', async () => !(await endOtherSteps(db, id)))
  expect(await written()).toEqual([])
})

test('crashes are counted for each range, until one of its steps is written', async () => {
  const jobs = jobStore(db, tenant)
  expect([await jobs.noteCrash(id, 1), await jobs.noteCrash(id, 1), await jobs.noteCrash(id, 2)]).toEqual([1, 2, 1])
  await next(1, '')
  expect([await jobs.noteCrash(id, 1), await jobs.noteCrash(id, 2), await jobs.noteCrash(id)]).toEqual([1, 2, 1])
  await jobs.noCrash(id, 2)
  expect(await jobs.noteCrash(id, 2)).toBe(1)
})

test('a job has others beside it for as long as one of them is open and has a range to do', async () => {
  const others = () => db.transaction(trx => othersHaveRanges(trx, tenant, 'none of these'))
  await db('job_ranges').where({ tenant_id: tenant }).whereNot({ job_id: id }).delete()
  expect(await db.transaction(trx => othersHaveRanges(trx, tenant, id))).toBe(false)
  expect(await others()).toBe(true)
  await jobStore(db, tenant).cancel(id)
  expect(await others()).toBe(false)
})

test('a job whose items are all done goes on for as long as a range is open', async () => {
  await db('jobs').where({ tenant_id: tenant, id }).update({ done: 6, position: '~' })
  expect(await splitTransfer(db, tenant, id)).toEqual({ done: 6, total: 7, ranges: [1, 2] })
  await db('job_ranges').where({ tenant_id: tenant, job_id: id }).update({ is_done: true })
  expect(await splitTransfer(db, tenant, id)).toBeUndefined()
})
