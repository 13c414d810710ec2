// Retries and cancellations of many jobs of all tenants.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { importing, tenantIdOf } from '../../db/admin/tenants.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { Api, Tenant } from '../support/api.js'
import { armature } from '../support/armature.js'
import { auditForPlatform } from '../support/audit.js'
import { changeAllJobs, changeJobs, failedTransfers } from '../support/changed-jobs.js'
import { openDatabase, tenantWithWards } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { storeJob } from '../support/jobs.js'

const db = openDatabase()
const [retry, cancel] = ['/admin/v1/jobs/retry', '/admin/v1/jobs/cancel']
const wards = ['east', 'west'] as const

/** Returns a filter of an hour in which no other test accepts jobs, and a time within it. */
function hourOf(year: number) {
  const begin = Date.UTC(year, 2, 4, 5)
  const range = { AcceptedFrom: new Date(begin).toISOString(), AcceptedTo: new Date(begin + 3_600_000).toISOString() }
  return { range, at: new Date(begin + 60_000) }
}

/** When the jobs have ended. The retention, which runs meanwhile, deletes those that ended as long ago as they were accepted. */
const lately = new Date(Date.now() - 60_000)

let tenants: Tenant[]
let operator: Api
let home: Tenant
beforeAll(async () => {
  tenants = [await tenantWithWards(inject('baseUrl'), ...wards), await tenantWithWards(inject('baseUrl'), ...wards)]
  const [first] = tenants
  if (!first) throw new Error('No tenant was made')
  home = first
  operator = await home.client(['List:PlatformJob', 'Edit:PlatformJob'], ['PlatformAdmin'])
})
const keys = () => tenants.map(({ tenantKey }) => tenantKey)

test('failed jobs of several tenants are counted, and then retried', async () => {
  const { range, at } = hourOf(2018)
  const failed = { count: 3, accepted_at: at, finished_at: lately }
  for (const key of keys()) await failedTransfers(db, key, wards, failed)
  expect((await changeJobs(operator, retry, range)).body).toMatchObject({
    applied: false,
    found: 6,
    kinds: [{ kind: 'subjectTransfer', status: 'Failed', jobs: 6 }],
  })
  const [answer] = await changeAllJobs(operator, retry, range)
  expect(answer).toMatchObject({ applied: true, found: 6, left: 0 })
  expect(Map.groupBy(answer?.jobs ?? [], ({ tenant }) => tenant).size).toBe(2)
  for (const { tenant: key, jobId, outcome } of answer?.jobs ?? []) {
    expect(outcome).toBe('retried')
    const tenant = tenants.find(({ tenantKey }) => tenantKey === key)
    expect(tenant && (await ended(tenant, jobId))).toMatchObject({ status: 'Completed' })
  }
})

test('a retry of failed jobs leaves alone what was given up after it had been found', async () => {
  const { at } = hourOf(2014)
  const [one = ''] = keys()
  const tenant = await tenantIdOf(db, one)
  const id = await storeJob(db, tenant, { status: 'Cancelled', accepted_at: at, finished_at: lately })
  const left = [{ id, isChanged: false, status: 'Cancelled' }]
  expect(await jobStore(db, tenant).reopenAll([id], ['Failed'])).toEqual(left)
})

test('the audit of each tenant names its own jobs alone, however many are changed together', async () => {
  const { range, at } = hourOf(2015)
  const count = 30
  const ids = new Map<string, string[]>()
  for (const key of keys())
    ids.set(key, await failedTransfers(db, key, wards, { count, accepted_at: at, finished_at: lately }))
  await changeAllJobs(operator, cancel, { ...range, Status: 'Failed' })
  for (const tenant of tenants) {
    const own = ids.get(tenant.tenantKey) ?? []
    const events = await auditForPlatform(tenant.tenantKey)
    const told = events.filter(
      ({ action, ids }) => action === 'cancelJobsOfTenants' && ids.some(id => own.includes(id)),
    )
    expect(told.flatMap(event => event.ids).sort()).toEqual(own.sort())
  }
})

test("one tenant's jobs are cancelled, and another's stay", async () => {
  const { range, at } = hourOf(2017)
  const [one = '', other = ''] = keys()
  for (const key of [one, other]) await storeJob(db, await tenantIdOf(db, key), { status: 'Running', accepted_at: at })
  const [answer] = await changeAllJobs(operator, cancel, { ...range, Tenant: one })
  expect(answer?.jobs).toMatchObject([{ tenant: one, outcome: 'cancelled', status: 'Cancelled' }])
  const left = await changeJobs(operator, cancel, range)
  expect(left.body).toMatchObject({ applied: false, found: 1 })
  expect(await changeJobs(operator, cancel, { Tenant: 'nobody-at-all' })).toMatchObject({ status: 404 })
})

describe('a deletion or an export of a tenant', () => {
  const nobody = { input: JSON.stringify({ tenantKey: 'nobody', tenantId: 4_000_000_000 }), total: 0 }

  test('is retried among others only by who may begin one', async () => {
    const { range, at } = hourOf(2013)
    const tenant = await tenantIdOf(db, home.tenantKey)
    for (const kind of ['tenantDeletion', 'tenantExport', 'subjectTransfer'])
      await storeJob(db, tenant, { ...nobody, kind, status: 'Failed', accepted_at: at, finished_at: lately })
    const foundBy = async (...more: string[]) => {
      const caller = await home.client(['Edit:PlatformJob', ...more], ['PlatformAdmin'])
      const { body } = await changeJobs(caller, retry, range)
      const named = await changeJobs(caller, retry, { ...range, Kind: 'tenantDeletion' })
      return [body.kinds.map(({ kind }) => kind), named.status]
    }
    expect(await foundBy()).toEqual([['subjectTransfer'], 403])
    expect(await foundBy('Export:Tenant')).toEqual([['subjectTransfer', 'tenantExport'], 403])
    expect(await foundBy('Delete:Tenant')).toEqual([['subjectTransfer', 'tenantDeletion'], 200])
  })

  test('is retried alone only by who may begin one, or has begun it', async () => {
    const tenant = await tenantIdOf(db, home.tenantKey)
    const clients = [await home.client(['Edit:Job']), await home.client(['Edit:Job', 'Delete:Tenant'])]
    const starter = await home.client(['Edit:Job'])
    const statusFor = async (caller: Api) => {
      const stopped = { ...nobody, status: 'Cancelled', finished_at: new Date(), actor: starter.clientId }
      const id = await storeJob(db, tenant, { ...stopped, kind: 'tenantDeletion' })
      return (await caller.post(`/api/v1/jobs/${id}/retry`)).status
    }
    expect(await Promise.all([...clients, starter].map(statusFor))).toEqual([403, 202, 202])
  })
})

test('jobs of a tenant that is being deleted or imported are not retried', async () => {
  const { range, at } = hourOf(2012)
  const [one = ''] = keys()
  await failedTransfers(db, one, wards, { count: 1, accepted_at: at, finished_at: lately })
  const hide = (deletion_job_id: string | null) => db('tenants').where({ tenant_key: one }).update({ deletion_job_id })
  await hide(importing)
  expect((await changeJobs(operator, retry, range)).body).toMatchObject({ found: 0 })
  await hide(null)
  expect((await changeJobs(operator, retry, range)).body).toMatchObject({ found: 1 })
})

test('armature jobs retry says what it would retry, and retries it with --yes', async () => {
  const { range, at } = hourOf(2016)
  const [one = ''] = keys()
  await failedTransfers(db, one, wards, { count: 2, accepted_at: at, finished_at: lately })
  const options = ['--from', range.AcceptedFrom, '--to', range.AcceptedTo, '--tenant', one]
  const plan = await armature(['jobs', 'retry', ...options])
  expect(plan).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^kind +status +jobs\nsubjectTransfer +Failed +2\n/),
  })
  expect(plan.stderr).toBe('2 jobs would be retried. Nothing was changed: add --yes.\n')
  const inJson = await armature(['jobs', 'retry', ...options, '--output', 'json'])
  expect(JSON.parse(inJson.stdout)).toMatchObject({ applied: false, found: 2 })
  const done = await armature(['jobs', 'retry', ...options, '--yes'])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(/2 retried\n$/)
  expect((await armature(['jobs', 'retry', ...options, '--yes'])).stdout).toBe('There are no such jobs.\n')
})
