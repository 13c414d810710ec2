// Steps of a job beside other runs of it: the run and the place in the job's row decide which one is written.
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { advance } from '../../db/jobs/advance.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { insertRows } from '../../db/rows.js'
import type { JobEnd } from '../../workflows/jobs/contracts.js'
import { newTenant } from '../support/api.js'
import { gate } from '../support/data-sets.js'
import { openDatabase } from '../support/factories.js'
import { jobWithoutRun } from '../support/jobs.js'

const table = 'fenced_steps'
const db = openDatabase(9)
let tenant: number
beforeAll(async () => {
  await db.raw(`CREATE TABLE ${table} (job VARCHAR(36) NOT NULL, at INT NOT NULL, PRIMARY KEY (job, at)) ENGINE=InnoDB`)
  tenant = await tenantIdOf(db, (await newTenant(inject('baseUrl'))).tenantKey)
})
afterAll(async () => {
  await db.raw(`DROP TABLE ${table}`)
})

let jobId: string
beforeEach(async () => {
  jobId = await jobWithoutRun(db, tenant, 'subjectImport', 3)
  await jobStore(db, tenant).assignRun(jobId, 'first', null)
})

/** Does the next step of the job, which writes a row, as a run does it. */
const next = (
  runId: string,
  meanwhile: (trx: Knex.Transaction) => Promise<unknown> = async () => undefined,
  end: JobEnd = 'all',
) =>
  advance(db, tenant, { jobId, runId }, async (trx, { done }) => {
    await insertRows(trx, table, ['job', 'at'], [[jobId, done]])
    await meanwhile(trx)
    return { done: done + 1, end: done === 2 || end === 'early' ? end : undefined, counts: { created: 1 } }
  })
const written = () => db(table).where({ job: jobId }).orderBy('at').pluck('at')
const stored = () => jobStore(db, tenant).byId(jobId)

test('the steps of the run that has the job are each written once, until it is completed', async () => {
  for (const done of [1, 2]) expect(await next('first')).toEqual({ state: 'open', done, total: 3 })
  const end = { state: 'ended', end: 'all', done: 3, total: 3, counts: { created: 3 } }
  expect([await next('first'), await next('first')]).toEqual([end, end])
  expect(await written()).toEqual([0, 1, 2])
})

test('a step writes nothing if its run no longer has the job', async () => {
  await next('first')
  await jobStore(db, tenant).assignRun(jobId, 'second', 'first')
  await expect(next('first')).rejects.toMatchObject({ code: 'job-ended' })
  expect(await next('second')).toEqual({ state: 'open', done: 2, total: 3 })
  expect(await written()).toEqual([0, 1])
})

test('a run does not get a job that a later run has got meanwhile', async () => {
  const { assignRun } = jobStore(db, tenant)
  expect(await assignRun(jobId, 'after a reset', 'first')).toBe(true)
  expect(await assignRun(jobId, 'late', 'first')).toBe(false)
  expect(await stored()).toMatchObject({ run_id: 'after a reset' })
})

test('a step is rolled back if another run has got its job before its progress is recorded', async () => {
  const late = next('first', trx => trx('jobs').where({ tenant_id: tenant, id: jobId }).update({ run_id: 'second' }))
  await expect(late).rejects.toMatchObject({ code: 'job-ended' })
  expect(await written()).toEqual([])
  expect(await stored()).toMatchObject({ run_id: 'first', done: 0 })
})

test('two attempts at a step run one after the other, and the second does the next step', async () => {
  const held = gate()
  const first = next('first', () => {
    held.arrive()
    return held.passed
  })
  await held.reached
  const second = next('first')
  held.open()
  expect([await first, await second]).toEqual([1, 2].map(done => ({ state: 'open', done, total: 3 })))
  expect(await written()).toEqual([0, 1])
})

test('a step of a cancelled job writes nothing', async () => {
  await jobStore(db, tenant).cancel(jobId)
  await expect(next('first')).rejects.toMatchObject({ code: 'job-cancelled' })
  expect(await written()).toEqual([])
})

test('a job that ends early keeps its total, which shows how much was left', async () => {
  const end = { state: 'ended', end: 'early', done: 1, total: 3, counts: { created: 1 } }
  expect([await next('first', undefined, 'early'), await next('first')]).toEqual([end, end])
  expect(await stored()).toMatchObject({ status: 'Completed', done: 1, total: 3 })
  expect(await written()).toEqual([0])
})

test('a run does not reopen a job that was cancelled after the run has read it', async () => {
  const id = await jobWithoutRun(db, tenant, 'subjectImport', 3)
  const store = jobStore(db, tenant)
  await store.cancel(id)
  expect(await store.assignRun(id, 'too late', null)).toBe(false)
  expect(await store.byId(id)).toMatchObject({ status: 'Cancelled', run_id: null })
  expect(await store.assignRun(id, 'after a reset', null, false)).toBe(true)
  expect(await store.byId(id)).toMatchObject({ status: 'Running', run_id: 'after a reset' })
})
