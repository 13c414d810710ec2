// Ten thousand failed jobs of four tenants are retried by their filter, by two operators at once, while others give those of three tenants up.
import { beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Api, Tenant } from '../support/api.js'
import { changeAllJobs, failedTransfers } from '../support/changed-jobs.js'
import { openDatabase, tenantWithWards } from '../support/factories.js'
import { until } from '../support/until.js'

const db = openDatabase()
/** How many failed jobs each tenant has. Those of the first one are not given up, and so all of them run. */
const jobsOf = [400, 3_200, 3_200, 3_200]
const wards = ['east', 'west'] as const
const accepted_at = new Date('2014-03-04T05:06:00Z')
const range = { AcceptedFrom: '2014-03-04T05:00:00Z', AcceptedTo: '2014-03-04T06:00:00Z' }

let tenants: Tenant[]
let operator: Api
beforeAll(async () => {
  tenants = await Promise.all(jobsOf.map(() => tenantWithWards(inject('baseUrl'), ...wards)))
  const [home] = tenants
  if (!home) throw new Error('No tenant was made')
  operator = await home.client(['List:PlatformJob', 'Edit:PlatformJob'], ['PlatformAdmin'])
})

test('each job is retried once, or stays given up, and comes to its end', async () => {
  const failed = { accepted_at, finished_at: accepted_at }
  const stored = tenants.map(({ tenantKey }, n) =>
    failedTransfers(db, tenantKey, wards, { ...failed, count: jobsOf[n] ?? 0 }),
  )
  const ids = (await Promise.all(stored)).flat()
  const given = new Set<string>()
  const giveUp = async (tenant: Tenant) => {
    const cancelled = await changeAllJobs(operator, '/admin/v1/jobs/cancel', {
      ...range,
      Status: 'Failed',
      Tenant: tenant.tenantKey,
    })
    for (const { jobId, outcome } of cancelled.flatMap(({ jobs }) => jobs))
      if (outcome === 'cancelled') given.add(jobId)
  }
  const retry = () => changeAllJobs(operator, '/admin/v1/jobs/retry', { ...range, Status: 'Failed' })
  const [one, two] = await Promise.all([retry(), retry(), ...tenants.slice(1).map(giveUp)])

  const retried = [...one, ...two].flatMap(({ jobs }) =>
    jobs.flatMap(job => (job.outcome === 'retried' ? job.jobId : [])),
  )
  expect(new Set(retried).size).toBe(retried.length)
  expect(retried.length + given.size).toBe(ids.length)
  expect([...one, ...two].at(-1)?.left).toBe(0)

  const tenantIds = await Promise.all(tenants.map(({ tenantKey }) => tenantIdOf(db, tenantKey)))
  const byStatus = async () =>
    Map.groupBy(
      await db('jobs').whereIn('tenant_id', tenantIds).where({ accepted_at }).select('id', 'status'),
      job => job.status,
    )
  const ended = await until(
    'all have ended',
    async () => {
      const found = await byStatus()
      return found.has('Accepted') || found.has('Running') ? undefined : found
    },
    400_000,
  )
  expect(ended.get('Completed')?.length).toBe(retried.length)
  expect(new Set(ended.get('Cancelled')?.map(({ id }) => id) ?? [])).toEqual(given)
})
