// Retries and cancellations of many jobs by the filter of their list.
import type { Knex } from 'knex'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Tenant } from '../support/api.js'
import { changeAllJobs, changeJobs, failedTransfers } from '../support/changed-jobs.js'
import { openDatabase, storeSubject, tenantWithWards } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { openTemporal, storeJob, storeJobs } from '../support/jobs.js'
import { until } from '../support/until.js'

const db = openDatabase()
const temporal = await openTemporal()
const [retry, cancel] = ['/api/v1/jobs/retry', '/api/v1/jobs/cancel']
const wards = ['east', 'west'] as const

let tenant: Tenant
let tenantId: number
beforeEach(async () => {
  tenant = await tenantWithWards(inject('baseUrl'), ...wards)
  tenantId = await tenantIdOf(db, tenant.tenantKey)
})

const rows = (): Promise<{ id: string; status: string; attempt: number }[]> =>
  db('jobs').where({ tenant_id: tenantId }).orderBy('id').select('id', 'status', 'attempt')
const byStatus = async () => Map.groupBy(await rows(), ({ status }) => status)
/** A running job of which no run is there, so that nothing ends it. */
const running = (more: object = {}) => storeJob(db, tenantId, { status: 'Running', ...more })
/** Locks a job's row, as a step does. */
async function locked(id: string): Promise<Knex.Transaction> {
  const trx = await db.transaction()
  await trx('jobs').where({ tenant_id: tenantId, id }).forUpdate().first('id')
  return trx
}

describe('without AsOf nothing is changed', () => {
  test('a retry says how many failed jobs there are by kind, and cancelled ones only if it names them', async () => {
    await failedTransfers(db, tenant.tenantKey, wards, { count: 2 })
    await failedTransfers(db, tenant.tenantKey, wards, { count: 1, status: 'Cancelled' })
    await storeJob(db, tenantId, { kind: 'subjectImport', status: 'Failed', finished_at: new Date() })
    await storeJob(db, tenantId, { status: 'Completed', finished_at: new Date() })
    const before = await rows()
    const { status, body } = await changeJobs(tenant, retry)
    expect(status).toBe(200)
    const kinds = [
      { kind: 'subjectImport', status: 'Failed', jobs: 1 },
      { kind: 'subjectTransfer', status: 'Failed', jobs: 2 },
    ]
    expect(body).toEqual({ applied: false, asOf: expect.any(String), found: 3, kinds, jobs: [], left: 3 })
    const filter = { Kind: 'subjectTransfer', Status: 'Failed' }
    expect((await changeJobs(tenant, retry, filter)).body).toMatchObject({ found: 2, kinds: [kinds[1]] })
    const cancelled = [{ kind: 'subjectTransfer', status: 'Cancelled', jobs: 1 }]
    expect((await changeJobs(tenant, retry, { Status: 'Cancelled' })).body).toMatchObject({
      found: 1,
      kinds: cancelled,
    })
    expect(await rows()).toEqual(before)
  })

  test('a cancellation counts open jobs', async () => {
    await running()
    await failedTransfers(db, tenant.tenantKey, wards, { count: 1 })
    const { body } = await changeJobs(tenant, cancel)
    expect(body).toMatchObject({ applied: false, found: 1, kinds: [{ status: 'Running', jobs: 1 }], left: 1 })
    expect((await byStatus()).get('Running')).toHaveLength(1)
  })
})

test('failed and cancelled jobs are retried and go on, each in one new run', async () => {
  const subject_id = await storeSubject(db, tenant.tenantKey, {}, ['east'])
  const ids = await failedTransfers(db, tenant.tenantKey, wards, { count: 8 })
  const cancelled = await failedTransfers(db, tenant.tenantKey, wards, { count: 2, status: 'Cancelled' })
  const filters = [{ Kind: 'subjectTransfer' }, { Status: 'Cancelled' }]
  const [first, second] = await Promise.all(filters.map(filter => changeAllJobs(tenant, retry, filter)))
  const answers = [first?.[0], second?.[0]]
  expect(answers).toMatchObject([
    { applied: true, found: 8, left: 0 },
    { applied: true, found: 2, left: 0 },
  ])
  ids.push(...cancelled)
  expect(answers.flatMap(answer => answer?.jobs ?? []).sort((a, b) => a.jobId.localeCompare(b.jobId))).toEqual(
    ids.sort().map(jobId => ({
      ...{ tenant: tenant.tenantKey, jobId, kind: 'subjectTransfer' },
      ...{ outcome: 'retried', status: 'Accepted' },
    })),
  )
  for (const id of ids) expect(await ended(tenant, id)).toMatchObject({ status: 'Completed' })
  expect(new Set((await rows()).map(({ attempt }) => attempt))).toEqual(new Set([2]))
  const places = await db('subject_locations').where({ tenant_id: tenantId, subject_id }).orderBy('entity_key')
  expect(places.map(({ entity_key }) => entity_key)).toEqual(['east', 'west'])
  const runsOf = async () => {
    const found = []
    for await (const run of temporal.workflow.list({ query: `TenantKey = '${tenant.tenantKey}'` })) found.push(run)
    return found
  }
  await until('all runs are listed', async () => (await runsOf()).length >= ids.length)
  expect((await runsOf()).map(({ workflowId }) => workflowId.split('/').at(-1)).sort()).toEqual(ids)
})

test('two calls at the same time retry each job once, and both say what they have done', async () => {
  const ids = await failedTransfers(db, tenant.tenantKey, wards, { count: 20 })
  const { body: plan } = await changeJobs(tenant, retry)
  const answers = await Promise.all([1, 2].map(() => changeJobs(tenant, retry, { AsOf: plan.asOf })))
  const jobs = answers.flatMap(({ body }) => body.jobs)
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const retried = jobs.filter(({ outcome }) => outcome === 'retried').map(({ jobId }) => jobId)
  expect(retried.sort()).toEqual(ids.sort())
  for (const id of ids) await ended(tenant, id)
  expect(new Set((await rows()).map(({ status, attempt }) => `${status} ${attempt}`))).toEqual(new Set(['Completed 2']))
})

test('what has failed since the jobs were counted is left alone, so a repeated call retries no job twice', async () => {
  await failedTransfers(db, tenant.tenantKey, wards, { count: 1 })
  const { body: plan } = await changeJobs(tenant, retry)
  const [late = ''] = await failedTransfers(db, tenant.tenantKey, wards, {
    count: 1,
    finished_at: new Date(Date.parse(plan.asOf) + 1),
  })
  const first = await changeJobs(tenant, retry, { AsOf: plan.asOf })
  expect(first.body.jobs).toHaveLength(1)
  // As if it had failed again.
  const [id = ''] = first.body.jobs.map(({ jobId }) => jobId)
  await ended(tenant, id)
  await db('jobs').where({ tenant_id: tenantId, id }).update({ status: 'Failed' })
  expect((await changeJobs(tenant, retry, { AsOf: plan.asOf })).body).toMatchObject({ found: 0, jobs: [], left: 0 })
  expect((await rows()).find(row => row.id === late)).toMatchObject({ status: 'Failed', attempt: 1 })
})

test('neither undone jobs nor those of other tenants are retried', async () => {
  const other = await tenantWithWards(inject('baseUrl'), ...wards)
  const [theirs = ''] = await failedTransfers(db, other.tenantKey, wards, { count: 1 })
  const [undone = ''] = await failedTransfers(db, tenant.tenantKey, wards, { count: 1 })
  await db('jobs').where({ tenant_id: tenantId, id: undone }).update({ undone_by: theirs })
  expect(await changeAllJobs(tenant, retry)).toMatchObject([{ found: 0, jobs: [] }])
  expect((await byStatus()).get('Failed')).toHaveLength(1)
  expect(await db('jobs').where({ id: theirs }).first('status')).toEqual({ status: 'Failed' })
})

test('a job whose last run is still closing is skipped', async () => {
  const [id = ''] = await failedTransfers(db, tenant.tenantKey, wards, { count: 1 })
  const { workflow_id } = await db('jobs').where({ tenant_id: tenantId, id }).first('workflow_id')
  const closing = await temporal.workflow.start('held', { workflowId: workflow_id, taskQueue: 'nobody' })
  const [answer] = await changeAllJobs(tenant, retry)
  expect(answer?.jobs).toMatchObject([{ jobId: id, outcome: 'skipped', status: 'Failed' }])
  await closing.terminate('the test is over')
  expect(await changeAllJobs(tenant, retry)).toMatchObject([{ jobs: [{ jobId: id, outcome: 'retried' }] }])
  expect(await ended(tenant, id)).toMatchObject({ status: 'Completed' })
})

test('open jobs are cancelled, 500 with a call, and those that were accepted since are left alone', async () => {
  const late = await running({ accepted_at: new Date(Date.now() + 600_000) })
  const open = Array.from({ length: 520 }, () => ({ status: 'Running' }))
  await storeJobs(db, tenantId, open)
  const answers = await changeAllJobs(tenant, cancel, { Status: 'Running' })
  expect(answers.map(({ found, jobs, left }) => [found, jobs.length, left])).toEqual([
    [520, 500, 20],
    [20, 20, 0],
  ])
  const jobs = answers.flatMap(answer => answer.jobs)
  expect(new Set(jobs.map(({ jobId }) => jobId)).size).toBe(520)
  expect(new Set(jobs.map(({ outcome, status }) => `${outcome} ${status}`))).toEqual(new Set(['cancelled Cancelled']))
  expect((await byStatus()).get('Running')).toMatchObject([{ id: late }])
  expect((await byStatus()).get('Cancelled')).toHaveLength(520)
})

test('a job that ends after it was found is skipped, with its status, and the others are cancelled', async () => {
  const [ending, other] = [await running(), await running()]
  const { body: plan } = await changeJobs(tenant, cancel)
  const step = await locked(ending)
  const answer = changeJobs(tenant, cancel, { AsOf: plan.asOf })
  await until('the call waits for the step', async () => {
    const [waiting] = await db.raw(
      "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info LIKE '%jobs%' AND info LIKE '%for update%' AND info LIKE ?",
      [`%${ending}%`],
    )
    // One of them is this very query.
    return Number(waiting[0]?.n) > 1
  })
  await step('jobs').where({ tenant_id: tenantId, id: ending }).update({ status: 'Completed', finished_at: new Date() })
  await step.commit()
  expect((await answer).body.jobs).toMatchObject(
    [
      { jobId: ending, outcome: 'skipped', status: 'Completed' },
      { jobId: other, outcome: 'cancelled', status: 'Cancelled' },
    ].sort((a, b) => a.jobId.localeCompare(b.jobId)),
  )
})

test('failed jobs are given up if their status is named, and those that have failed since are left alone', async () => {
  const open = await running()
  const ids = await failedTransfers(db, tenant.tenantKey, wards, { count: 3 })
  const [late] = await failedTransfers(db, tenant.tenantKey, wards, {
    count: 1,
    finished_at: new Date(Date.now() + 600_000),
  })
  const [answer] = await changeAllJobs(tenant, cancel, { Status: 'Failed' })
  expect(answer).toMatchObject({ found: 3, kinds: [{ status: 'Failed', jobs: 3 }], left: 0 })
  expect(answer?.jobs.map(({ jobId, outcome }) => [jobId, outcome])).toEqual(ids.sort().map(id => [id, 'cancelled']))
  const found = (await rows()).map(({ id, status }) => [id, status])
  expect(new Map(found as [string, string][])).toEqual(
    new Map([...ids.map(id => [id, 'Cancelled']), [late, 'Failed'], [open, 'Running']] as [string, string][]),
  )
})

test.each([
  ['a status that cannot be retried', retry, { Status: 'Completed' }, '/query/Status'],
  ['a status that cannot be cancelled', cancel, { Status: 'Cancelled' }, '/query/Status'],
  ['a kind that there is none of', retry, { Kind: 'nothing' }, '/query/Kind'],
  ['a time that is still to come', cancel, { AsOf: '2199-01-01T00:00:00Z' }, '/query/AsOf'],
  ['a time that is none', retry, { AsOf: 'now' }, '/query/AsOf'],
  ['an id that is none', retry, { After: 'the-last' }, '/query/After'],
])('%s is refused', async (_, path, query, pointer) => {
  expect(await changeJobs(tenant, path, query)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: expect.stringContaining(pointer) }] },
  })
})

test('a client that may only look at jobs neither retries nor cancels them', async () => {
  const reader = await tenant.client(['List:Job', 'View:Job'])
  for (const path of [retry, cancel]) expect((await changeJobs(reader, path)).status).toBe(403)
})
