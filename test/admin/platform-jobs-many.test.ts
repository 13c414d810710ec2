// Retries and cancellations of many jobs of all tenants.
import { beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
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

let tenants: Tenant[]
let operator: Api
beforeAll(async () => {
  tenants = [await tenantWithWards(inject('baseUrl'), ...wards), await tenantWithWards(inject('baseUrl'), ...wards)]
  const [home] = tenants
  if (!home) throw new Error('No tenant was made')
  operator = await home.client(['List:PlatformJob', 'Edit:PlatformJob'], ['PlatformAdmin'])
})
const keys = () => tenants.map(({ tenantKey }) => tenantKey)

test('failed jobs of several tenants are counted, and then retried', async () => {
  const { range, at } = hourOf(2018)
  const failed = { count: 3, accepted_at: at, finished_at: at }
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
  const id = await storeJob(db, tenant, { status: 'Cancelled', accepted_at: at, finished_at: at })
  const left = [{ id, isChanged: false, status: 'Cancelled' }]
  expect(await jobStore(db, tenant).reopenAll([id], ['Failed'])).toEqual(left)
})

test('the audit of each tenant names its own jobs alone, however many are changed together', async () => {
  const { range, at } = hourOf(2015)
  const count = 30
  const ids = new Map<string, string[]>()
  for (const key of keys())
    ids.set(key, await failedTransfers(db, key, wards, { count, accepted_at: at, finished_at: at }))
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

test('armature jobs retry says what it would retry, and retries it with --yes', async () => {
  const { range, at } = hourOf(2016)
  const [one = ''] = keys()
  await failedTransfers(db, one, wards, { count: 2, accepted_at: at, finished_at: at })
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
