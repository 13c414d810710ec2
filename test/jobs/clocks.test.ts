// Processes whose clocks are wrong, on a database that is right.
import { afterEach, expect, inject, test, vi } from 'vitest'
import { feedPage, forgetChanges } from '../../db/feeds.js'
import { forgetAnswers } from '../../db/jobs/idempotent-answers.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { forgetJobs, openJobs, unstartedJobs } from '../../db/jobs/jobs-across-tenants.js'
import { isAlive, liveBuilds } from '../../db/jobs/workers.js'
import { presentJob } from '../../server/jobs/present.js'
import { openDatabase, subjectTenant, tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { imported } from '../support/imports.js'

const dayMs = 86_400_000

const db = openDatabase()
afterEach(() => vi.useRealTimers())

/** Moves the clock of this process. */
const moveClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

test('a worker whose clock is a month ahead deletes nothing before its time', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const { jobId } = await ended(tenant, (await acceptBulk(tenant, [place('a')])).jobId)
  const headers = { 'idempotency-key': 'k' }
  const group = { Key: 'g', Name: 'G', StructuralEntityKeys: [] }
  expect((await tenant.put('/api/v1/group/bulk', [group], headers)).status).toBe(204)
  const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const { last } = await feedPage(db, id, 'entity', 0, 10)

  moveClock(40 * dayMs)
  await forgetJobs(db, 30 * dayMs)
  await forgetAnswers(db)
  await forgetChanges(db)
  expect(await db('jobs').where({ id: jobId }).first('status')).toEqual({ status: 'Completed' })
  expect(await db('idempotent_answers').where({ tenant_id: id })).toHaveLength(1)
  expect((await feedPage(db, id, 'entity', 0, 10)).first).toBeLessThanOrEqual(Math.max(last, 1))
}, 180_000)

test.each([-60_000, 60_000])(
  'with a clock that is wrong by %i ms no process counts as dead and no job as lost',
  async ms => {
    moveClock(ms)
    expect(await isAlive(db, 'background', 10_000)).toBe(true)
    expect((await liveBuilds(db)).map(({ queue }) => queue).sort()).toEqual(
      expect.arrayContaining(['background', 'calls', 'interactive']),
    )
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const { jobId } = await acceptBulk(tenant, [place('a')])
    const young = [...(await unstartedJobs(db, 7_000)), ...(await openJobs(db, 30_000))]
    expect(young.map(job => job.id)).not.toContain(jobId)
    // The moved clock stands still.
    vi.useRealTimers()
    await ended(tenant, jobId)
  },
)

test.each([-60_000, 60_000])(
  'with a clock that is wrong by %i ms an import says at which pace it goes on',
  async ms => {
    const tenant = await subjectTenant()
    const { jobId } = await imported(tenant, 'nationalId,givenName,familyName\n1,Ada,Byron\n')
    const { id: tenantId } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
    const row = db('jobs').where({ id: jobId })
    const started = db.raw('TIMESTAMPADD(SECOND, -20, CURRENT_TIMESTAMP(3))')
    const cleaned = await row.clone().first('total', 'done', 'started_at')
    await row.clone().update({ status: 'Running', total: 4_000, done: 2_000, started_at: started })
    try {
      moveClock(ms)
      const job = await jobStore(db, tenantId).byId(jobId)
      const { progress } = job ? presentJob(job, { uiUrl: '', namespace: '', basePath: '' }) : {}
      expect(progress?.perSecond).toBeGreaterThan(80)
      expect(progress?.perSecond).toBeLessThanOrEqual(100)
    } finally {
      await row.clone().update({ ...cleaned, status: 'Completed' })
    }
  },
)
