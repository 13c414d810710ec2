// Pages of transfers.
import { beforeEach, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { transferPage } from '../../workflows/jobs/contracts.js'
import type { Tenant } from '../support/api.js'
import { openDatabase, tenantWithWards } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { at, paths } from '../support/frame.js'
import {
  holdLocation,
  type LocationModel,
  locationModel,
  type Numbers,
  seedLocations,
  seedSubjects,
  subjectId,
  subjectIds,
} from '../support/locations.js'
import { assignByHand, removeByHand, startTransfer, startUndo, transfer, undo } from '../support/transfers.js'
import { until } from '../support/until.js'

const db = openDatabase()
let tenant: Tenant
let model: LocationModel
beforeEach(async () => {
  tenant = await tenantWithWards(inject('baseUrl'), 'east', 'west', 'south')
  model = locationModel()
})

async function assign(key: string, numbers: Numbers): Promise<void> {
  await seedLocations(db, tenant.tenantKey, key, numbers)
  model.assign(key, subjectIds(numbers))
}
const isAsModelled = async () => expect(await model.differences(db, tenant.tenantKey)).toEqual([])
const jobOf = async (jobId: string) => (await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`)).body

/** Runs `act` when a job has done its first page; the second does not end before. */
async function afterOnePage(start: () => Promise<JobBody>, key: string, act: (job: JobBody) => Promise<unknown>) {
  const held = await holdLocation(db, tenant.tenantKey, key, subjectId(transferPage + 5))
  try {
    const job = await start()
    await until('a page is done', async () => (await jobOf(job.jobId)).progress.done === transferPage)
    await act(job)
    return job
  } finally {
    await held.release()
  }
}

test.each(['Copy', 'Move'] as const)(
  'a %s, and its undo, count what there is to do once their first page is done',
  async mode => {
    const count = 2 * transferPage + 700
    await assign('east', { count })
    const isCounted = (key: string, start: () => Promise<JobBody>) =>
      afterOnePage(start, key, ({ jobId }) =>
        until('the rest is counted', async () => (await jobOf(jobId)).progress.total === count),
      )
    const job = await isCounted('east', () => startTransfer(tenant, 'east', 'west', mode))
    await ended(tenant, job.jobId)
    const undone = await isCounted('west', () => startUndo(tenant, job.jobId))
    expect(await ended(tenant, undone.jobId)).toMatchObject({
      status: 'Completed',
      progress: { done: count, total: count },
    })
  },
)

test.each([
  ['Copy', transferPage],
  ['Move', transferPage],
  ['Copy', transferPage + 1],
  ['Move', 2 * transferPage + 700],
] as const)(
  'a %s of %d, a third of them at the destination already, is exact; and so is its undo',
  async (mode, count) => {
    await assign('east', { count })
    await assign('west', { from: 2_000, count: Math.floor(count / 3) })
    // Neighbours in the order of keys, with the same subjects: nobody's business.
    await assign('south', { count: 50 })
    const job = await transfer(tenant, 'east', 'west', mode)
    const { record, counts } = model.transfer('east', 'west', mode)
    expect(job).toMatchObject({ status: 'Completed', progress: { done: count, total: count } })
    expect(job.counts).toEqual(counts)
    await isAsModelled()

    const undone = await undo(tenant, job.jobId)
    expect(undone).toMatchObject({ kind: 'subjectTransferUndo', status: 'Completed' })
    expect(undone.progress.done).toBe(undone.progress.total)
    expect(undone.counts).toEqual(model.undo(record))
    expect(undone.counts.leftAlone).toBe(0)
    await isAsModelled()
  },
)

test('subjects assigned to the source after the acceptance stay there, also if they are at the destination already', async () => {
  await seedSubjects(db, tenant.tenantKey, { from: 90_000, count: 3 })
  await assign('east', { count: transferPage })
  await assign('east', { from: 90_010, count: 5 })
  // One who comes late and one who is skipped, both on the second page.
  await assign('west', { from: 90_000, count: 1 })
  await assign('west', { from: 90_012, count: 1 })
  const late = subjectIds({ from: 90_000, count: 3 })
  const start = () => startTransfer(tenant, 'east', 'west', 'Move')
  let job: JobBody | undefined
  const accepted = await holdLocation(db, tenant.tenantKey, 'east', subjectId(3))
  try {
    job = await start()
    // Straight in the database, because by hand they would wait for the page.
    await seedLocations(db, tenant.tenantKey, 'east', { from: 90_000, count: 3 })
  } finally {
    await accepted.release()
  }
  const { record, counts } = model.transfer('east', 'west', 'Move')
  model.assign('east', late)
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts })
  await isAsModelled()

  // The one at both places was not taken, so that an undo does not bring it back either.
  for (const id of late) await removeByHand(tenant, id, 'east')
  model.remove('east', late)
  expect((await undo(tenant, job.jobId)).counts).toEqual(model.undo(record))
  await isAsModelled()
})

test('while a page waits, other entities of the tenant can be changed and take subjects', async () => {
  await seedSubjects(db, tenant.tenantKey, { from: 90_000, count: 1 })
  await assign('east', { count: 10 })
  const held = await holdLocation(db, tenant.tenantKey, 'east', subjectId(3))
  let job: JobBody | undefined
  try {
    job = await startTransfer(tenant, 'east', 'west', 'Move')
    // The page has both entities, and waits for a row.
    await until('the page waits', () => isLocked('west'))
    expect(await Promise.all(['east', 'west', 'south'].map(isLocked))).toEqual([true, true, false])
    await assignByHand(tenant, subjectId(90_000), 'south')
    model.assign('south', subjectIds({ from: 90_000, count: 1 }))
  } finally {
    await held.release()
  }
  await ended(tenant, job.jobId)
  model.transfer('east', 'west', 'Move')
  await isAsModelled()
})

/** Whether a transaction keeps an entity from others. */
async function isLocked(entity_key: string): Promise<boolean> {
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const free = db('structural_entities').where({ tenant_id, entity_key })
  return (await db.transaction(trx => free.transacting(trx).forUpdate().skipLocked().first('entity_key'))) === undefined
}

test('a transfer that is cancelled stops after the page under way and says how far it came; a retry goes on', async () => {
  const count = 5 * transferPage
  await assign('east', { count })
  const { jobId } = await afterOnePage(
    () => startTransfer(tenant, 'east', 'west', 'Move'),
    'east',
    async job => expect((await tenant.post(`/api/v1/jobs/${job.jobId}/cancel`)).status).toBe(202),
  )
  const cancelled = await ended(tenant, jobId)
  const pages = cancelled.progress.done / transferPage
  expect(cancelled).toMatchObject({ status: 'Cancelled', counts: { moved: pages * transferPage, skipped: 0 } })
  expect([1, 2, 3, 4]).toContain(pages)
  const done = model.at('east').slice(0, pages * transferPage)
  model.transfer('east', 'west', 'Move', done)
  await isAsModelled()

  // Goes on with those that were there at the start: not with who came back meanwhile.
  await seedLocations(db, tenant.tenantKey, 'east', { from: count + 7, count: 2 })
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  model.transfer('east', 'west', 'Move')
  model.assign('east', subjectIds({ from: count + 7, count: 2 }))
  expect(await ended(tenant, jobId)).toMatchObject({
    status: 'Completed',
    progress: { done: count, total: count },
    counts: { moved: count, skipped: 0 },
  })
  await isAsModelled()
})

test.each(['Copy', 'Move'] as const)(
  'the undo of a cancelled %s puts back what it had done; it cannot be retried then',
  async mode => {
    await assign('east', { count: 3 * transferPage })
    await assign('west', { from: 100, count: 300 })
    const { jobId } = await afterOnePage(
      () => startTransfer(tenant, 'east', 'west', mode),
      'east',
      async job => {
        expect((await tenant.post<JobBody>(`/api/v1/jobs/${job.jobId}/undo`)).body).toMatchObject({
          status: 409,
          type: '/problems/job-not-ended',
        })
        await tenant.post(`/api/v1/jobs/${job.jobId}/cancel`)
      },
    )
    const cancelled = await ended(tenant, jobId)
    expect(cancelled.status).toBe('Cancelled')
    const { record } = model.transfer('east', 'west', mode, model.at('east').slice(0, cancelled.progress.done))
    const undone = await undo(tenant, jobId)
    expect(undone).toMatchObject({ status: 'Completed', counts: model.undo(record) })
    await isAsModelled()

    const refused = await tenant.post(`/api/v1/jobs/${jobId}/retry`)
    expect(refused).toMatchObject({ status: 409, body: { type: '/problems/job-undone' } })
    expect(await jobOf(jobId)).toMatchObject({ status: 'Cancelled', undoneBy: undone.jobId })
    await isAsModelled()
  },
)

test('an undo that is cancelled goes on with a retry, and its counts are those of the whole', async () => {
  await assign('east', { count: 3 * transferPage })
  await assign('west', { from: transferPage, count: 500 })
  const { jobId } = await transfer(tenant, 'east', 'west', 'Move')
  const { record } = model.transfer('east', 'west', 'Move')
  const undoing = await afterOnePage(
    () => startUndo(tenant, jobId),
    'west',
    job => tenant.post(`/api/v1/jobs/${job.jobId}/cancel`),
  )
  const cancelled = await ended(tenant, undoing.jobId)
  expect(cancelled.status).toBe('Cancelled')
  expect(cancelled.counts.undone).toBe(cancelled.progress.done)
  // Half undone is undone for who asks: it is the undo that goes on.
  expect((await tenant.post(`/api/v1/jobs/${jobId}/undo`)).status).toBe(409)
  expect((await tenant.post(`/api/v1/jobs/${undoing.jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, undoing.jobId)).toMatchObject({ status: 'Completed', counts: model.undo(record) })
  await isAsModelled()
})

test.each([
  ['is deleted', 'it does not exist any more'],
  ['stops taking subjects', 'its type takes no subjects any more'],
])(
  'a destination that %s in the middle fails the job, which says so; a retry goes on when it is back',
  async (what, why) => {
    await seedSubjects(db, tenant.tenantKey, { count: 1 })
    await assign('east', { count: 2 * transferPage + 9 })
    const { jobId } = await afterOnePage(
      () => startTransfer(tenant, 'east', 'west', 'Move'),
      'east',
      job => tenant.post(`/api/v1/jobs/${job.jobId}/cancel`),
    )
    const { progress } = await ended(tenant, jobId)
    model.transfer('east', 'west', 'Move', model.at('east').slice(0, progress.done))
    // Its subjects go on to another ward, so that nothing keeps it.
    await transfer(tenant, 'west', 'south', 'Move')
    model.transfer('west', 'south', 'Move')
    const west = at(paths.entities, 'west')
    const change = (type: string) =>
      tenant.put(paths.entities, { Key: 'west', DisplayName: 'West', StructureTypeKey: type })
    expect((what === 'is deleted' ? await tenant.delete(west) : await change('closed')).status).toBeLessThan(300)

    expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
    expect(await ended(tenant, jobId)).toMatchObject({
      status: 'Failed',
      progress: { done: progress.done },
      problem: {
        type: '/problems/transfer-not-possible',
        status: 409,
        detail: expect.stringContaining(`'west': ${why}`),
      },
    })
    await isAsModelled()

    expect((await change('unit')).status).toBeLessThan(300)
    expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { moved: 2 * transferPage + 9 } })
    model.transfer('east', 'west', 'Move')
    await isAsModelled()
  },
)

test('an assignment by hand during a transfer waits for one page at most', async () => {
  await seedSubjects(db, tenant.tenantKey, { count: 1 })
  await assign('east', { count: 3 * transferPage })
  const job = await startTransfer(tenant, 'east', 'west', 'Copy')
  await assignByHand(tenant, subjectId(0), 'south', 'west')
  model.assign('south', [subjectId(0)])
  const { status, counts } = await ended(tenant, job.jobId)
  expect(status).toBe('Completed')
  expect((counts.copied ?? 0) + (counts.skipped ?? 0)).toBe(3 * transferPage)
  expect([0, 1]).toContain(counts.skipped)
  model.transfer('east', 'west', 'Copy')
  await isAsModelled()
})
