// Several calls that erase the same subject.
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { addPerson, formsTenant, openDatabase } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { refusal } from '../support/frame.js'
import { mergesOf } from '../support/merges.js'
import { subjectsPath } from '../support/subjects.js'

const db = openDatabase()
const tenant = await formsTenant()
const tenant_id = await tenantIdOf(db, tenant.tenantKey)
const erasures = () => db('jobs').where({ tenant_id, kind: 'subjectErasure' })

let id: string
beforeEach(async () => {
  id = await addPerson(tenant, randomUUID())
})

const erase = (subject = id, headers: Record<string, string> = {}) =>
  tenant.post<JobBody>(`${subjectsPath}/${subject}/erase`, undefined, headers)

/** Counts the statements of the platform that wait for a lock on the subject. All others are over within milliseconds. */
async function waiting(): Promise<number> {
  const statements: string[] = await db('information_schema.processlist')
    .whereRaw('id <> CONNECTION_ID()')
    .whereNotNull('info')
    .pluck('info')
  return statements.filter(each => each.includes(id) && each.includes('for update')).length
}

/**
 * Sends calls that all find the subject before one of them may begin: its row is locked until every call waits for it.
 * @returns the job of each call.
 */
async function atOnce(calls: (() => ReturnType<typeof erase>)[]): Promise<string[]> {
  const trx = await db.transaction()
  await trx('subjects').where({ tenant_id, id }).forUpdate().first('id')
  const answers = Promise.all(calls.map(call => call()))
  try {
    await expect.poll(waiting, { timeout: 8_000 }).toBe(calls.length)
  } finally {
    await trx.commit()
  }
  return (await answers).map(({ status, body }) => {
    expect(status).toBe(202)
    return body.jobId
  })
}

const five = <T>(value: T): T[] => Array.from({ length: 5 }, () => value)

test('five erasures of a subject at once are one job, whose id all are told', async () => {
  const before = (await erasures()).length
  const jobs = await atOnce(five(() => erase()))
  expect(new Set(jobs).size).toBe(1)
  expect(await erasures()).toHaveLength(before + 1)
  expect(await ended(tenant, jobs[0] ?? '')).toMatchObject({ status: 'Completed', input: { subjectId: id } })
  expect(refusal(await tenant.get(`${subjectsPath}/${id}`))).toMatchObject({ status: 410, code: 'subject-erased' })
})

test('an erasure by the id of a merged subject joins that of the subject it was merged into', async () => {
  const merged = await addPerson(tenant, randomUUID())
  expect((await mergesOf(tenant).merge(id, merged)).status).toBe(200)
  const jobs = await atOnce([() => erase(), () => erase(merged)])
  expect(new Set(jobs).size).toBe(1)
})

test('erasures of several subjects at once are a job each', async () => {
  const others = await Promise.all(five(0).map(() => addPerson(tenant, randomUUID())))
  const answers = await Promise.all(others.map(other => erase(other)))
  expect(new Set(answers.map(({ body }) => body.jobId)).size).toBe(5)
})

test.each(['Failed', 'Cancelled'])('an erasure that is %s does not keep another from beginning', async status => {
  const first = (await erase()).body.jobId
  await tenant.post(`/api/v1/jobs/${first}/cancel`)
  await db('jobs').where({ tenant_id, id: first }).update({ status })
  if ((await tenant.get(`${subjectsPath}/${id}`)).status === 410)
    throw new Error('It was erased before it was cancelled')
  const second = (await erase()).body.jobId
  expect(second).not.toBe(first)
  expect((await ended(tenant, second)).status).toBe('Completed')
})

test('a call that has joined an erasure is answered with its job when it is repeated, also when that is done', async () => {
  const keys = five(0).map(() => randomUUID())
  const calls = keys.map(key => () => erase(id, { 'Idempotency-Key': key }))
  const jobs = await atOnce(calls)
  expect(new Set(jobs).size).toBe(1)
  await ended(tenant, jobs[0] ?? '')
  for (const call of calls)
    expect(await call()).toMatchObject({ status: 202, body: { jobId: jobs[0], status: 'Completed' } })
  const other = await addPerson(tenant, randomUUID())
  expect(refusal(await erase(other, { 'Idempotency-Key': keys[0] ?? '' }))).toMatchObject({
    status: 422,
    code: 'idempotency-key-reused',
  })
})
