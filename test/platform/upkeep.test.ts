// The platform's own runs.
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { importing, tenantIdOf } from '../../db/admin/tenants.js'
import { openJobs, type TenantJob } from '../../db/jobs/jobs-across-tenants.js'
import { insertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'
import { newTenant } from '../support/api.js'
import { openDatabase, tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { forgetNow, openTemporal, platformRun } from '../support/jobs.js'

const db = openDatabase()
const temporal = await openTemporal()
const longAgo = new Date('2001-02-03T04:05:06Z')

/** Jobs of a new tenant that are as the members say. @param limits of the tenant. @returns its id. */
async function jobs(count: number, more: Record<string, string | Date | null>, limits = {}): Promise<number> {
  const { tenantKey } = await newTenant(inject('baseUrl'), limits)
  const tenant = await tenantIdOf(db, tenantKey)
  const of = { kind: 'subjectTransfer', queue: 'background', actor: 'a', trace_id: 't', total: 1, counts: '{}' }
  const rows = Array.from({ length: count }, () => {
    const id = newId()
    return { tenant_id: tenant, id, workflow_id: `${tenantKey}/${id}`, accepted_at: longAgo, ...of, ...more }
  })
  await insertRows(db, 'jobs', Object.keys(rows[0] ?? {}), rows.map(Object.values))
  return tenant
}
const left = (tenant: number) => db('jobs').where({ tenant_id: tenant }).count({ jobs: '*' }).first()

test.each(['outbox', 'searchWords', 'manifestSchedules', 'webhooks'] as const)(
  'the whole installation has one run %s',
  async run => {
    await platformRun(temporal, run)
    expect(await temporal.workflow.count(`WorkflowType = '${run}' AND ExecutionStatus = 'Running'`)).toMatchObject({
      count: 1,
    })
  },
)

test('a run of the platform that an operator terminates is begun again by its schedule', async () => {
  const run = await platformRun(temporal, 'manifestSchedules')
  await run.terminate('enough')
  // It would do so within a minute.
  await temporal.schedule.getHandle('platform/manifestSchedules').trigger('SKIP')
  await expect.poll(async () => (await platformRun(temporal, 'manifestSchedules')).workflowId).not.toBe(run.workflowId)
})

test('every open job is checked, however many there are', async () => {
  const tenant = await jobs(230, { status: 'Running', started_at: new Date() })
  // Else the outbox would start them in half a minute, and each would fail ten times over.
  onTestFinished(async () => void (await db('jobs').where({ tenant_id: tenant }).delete()))
  const seen: string[] = []
  let last: TenantJob | undefined
  do {
    // Those that began within the next minute: the outbox leaves them alone.
    const looked = await openJobs(db, -60_000, last)
    seen.push(...looked.filter(job => job.tenant_id === tenant).map(({ id }) => id))
    last = looked.at(-1)
  } while (last)
  expect(new Set(seen).size).toBe(230)
  expect(seen).toHaveLength(230)
})

test('a job that Temporal refuses, of an unknown kind, or of a tenant that is being imported holds up no other job', async () => {
  const accepted = { status: 'Accepted', accepted_at: new Date(Date.now() - 60_000) }
  const refused = await jobs(1, { ...accepted, queue: '' })
  const unknown = await jobs(1, { ...accepted, kind: 'ofALaterVersion' })
  const hidden = await jobs(1, { ...accepted, workflow_id: `hidden/${newId()}` })
  await db('tenants').where({ id: hidden }).update({ deletion_job_id: importing })
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const { id: tenant_id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  model.apply([place('a')])
  const { jobId } = await acceptBulk(tenant, [place('a')])
  await ended(tenant, jobId)
  // As it is where the process ends right after the job is accepted.
  const again = newId()
  const workflow_id = `${tenant.tenantKey}/structuralEntityBulkUpsert/${again}`
  // The size of a row is the database's own.
  const { bytes: _, ...job } = await db('jobs').where({ id: jobId }).first()
  const open = { status: 'Accepted', done: 0, counts: '{}', run_id: null, started_at: null, finished_at: null }
  await db('jobs').insert({ ...job, ...open, id: again, workflow_id, accepted_at: new Date(Date.now() - 30_000) })
  await db('job_chunks').where({ tenant_id, job_id: jobId }).update({ job_id: again })
  expect(await ended(tenant, again)).toMatchObject({ status: 'Completed' })
  const [left] = await db('jobs').where({ tenant_id: refused }).select('status')
  expect(left).toEqual({ status: 'Accepted' })
  const { workflow_id: ofHidden, ...unstarted } = await db('jobs')
    .where({ tenant_id: hidden })
    .first('status', 'started_at', 'workflow_id')
  expect(unstarted).toEqual({ status: 'Accepted', started_at: null })
  await expect(temporal.workflow.getHandle(ofHidden).describe()).rejects.toThrow('not found')
  await db('jobs').whereIn('tenant_id', [refused, unknown, hidden]).delete()
  await db('tenants').where({ id: hidden }).update({ deletion_job_id: null })
})

describe('one pass of the retention', () => {
  const endedBefore = (days: number) => {
    const at = new Date(Date.now() - days * 86_400_000)
    return { status: 'Completed', accepted_at: at, started_at: at, finished_at: at }
  }
  const undelivered = { kind: 'singlePassDelivery', status: 'Failed', started_at: longAgo, finished_at: longAgo }
  const tenants: Record<string, number> = {}
  const leftOf = (...names: string[]) => Promise.all(names.map(async name => (await left(tenants[name] ?? 0))?.jobs))
  beforeAll(async () => {
    tenants.ended = await jobs(1_300, { status: 'Completed', started_at: longAgo, finished_at: longAgo })
    tenants.undelivered = await jobs(3, undelivered)
    tenants.longer = await jobs(2, endedBefore(89), { jobRetentionDays: 90 })
    tenants.over = await jobs(1, endedBefore(91), { jobRetentionDays: 90 })
    tenants.shorter = await jobs(3, endedBefore(8), { jobRetentionDays: 7 })
    tenants.others = await jobs(4, endedBefore(8))
    await forgetNow(temporal)
  })

  test('deletes any number of expired jobs, except those of forms that did not arrive', async () => {
    expect(await leftOf('ended', 'undelivered')).toEqual([0, 3])
  })

  test('keeps the jobs of a tenant for as long as its limits say, be it longer or shorter than for others', async () => {
    expect(await leftOf('longer', 'over', 'shorter', 'others')).toEqual([2, 0, 0, 4])
  })
})
