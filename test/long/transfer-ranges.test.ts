// Large transfers, whose ranges are worked on side by side.
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { mostRanges, splitTransferFrom, transferPage } from '../../workflows/jobs/contracts.js'
import type { Tenant } from '../support/api.js'
import { tenantWithWards } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { at, paths } from '../support/frame.js'
import { endedRun, temporalClient } from '../support/jobs.js'
import { type LocationModel, locationModel } from '../support/location-model.js'
import { holdLocation, type Numbers, seedLocations, subjectId, subjectIds } from '../support/locations.js'
import { demoSubjects } from '../support/manifest.js'
import { openDatabase } from '../support/stored-subjects.js'
import { whileClientsWrite } from '../support/transfer-writers.js'
import { startTransfer, startUndo, transfer, undo } from '../support/transfers.js'
import { until } from '../support/until.js'

const size = splitTransferFrom + 700

let db: Knex
let tenant: Tenant
let model: LocationModel
beforeAll(() => {
  db = openDatabase()
})
afterAll(() => db.destroy())
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
const rangesOf = (job_id: string): Promise<{ number: number; is_done: 0 | 1 }[]> =>
  db('job_ranges').where({ job_id }).orderBy('number').select('number', 'is_done')
const doneRanges = Array.from({ length: mostRanges }, (_, n) => ({ number: n + 1, is_done: 1 }))

/** Subjects of an entity as they are stored. */
async function storedAt(entity_key: string): Promise<string[]> {
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  return db('subject_locations').where({ tenant_id, entity_key }).pluck('subject_id')
}

/** Runs `act` when a job has done pages of some ranges, and another range waits. */
async function amidRanges(start: () => Promise<JobBody>, key: string, act: (job: JobBody) => Promise<unknown>) {
  const held = await holdLocation(db, tenant.tenantKey, key, subjectId(5))
  try {
    const job = await start()
    await until('some pages are done', async () => (await jobOf(job.jobId)).progress.done >= 2 * transferPage)
    await act(job)
    return job
  } finally {
    await held.release()
  }
}

test.each(['Copy', 'Move'] as const)(
  'a %s in ranges, a third of its subjects at the destination already, is exact; and so is its undo',
  async mode => {
    await assign('east', { count: size })
    await assign('west', { from: 20_000, count: Math.floor(size / 3) })
    // Neighbours in the order of keys, with the same subjects.
    await assign('south', { count: 50 })
    const job = await transfer(tenant, 'east', 'west', mode)
    const { record, counts } = model.transfer('east', 'west', mode)
    expect(job).toMatchObject({ status: 'Completed', progress: { done: size, total: size }, counts })
    expect(await rangesOf(job.jobId)).toEqual(doneRanges)
    await isAsModelled()

    const undone = await undo(tenant, job.jobId)
    expect(undone).toMatchObject({ kind: 'subjectTransferUndo', status: 'Completed', counts: model.undo(record) })
    expect(undone.progress.done).toBe(undone.progress.total)
    expect(await rangesOf(undone.jobId)).toEqual(doneRanges)
    await isAsModelled()
  },
)

test.each(['Copy', 'Move'] as const)(
  'a %s in ranges that is cancelled says how far it came; a retry goes on in its ranges, and the undo of all is exact',
  async mode => {
    await assign('east', { count: size })
    await assign('west', { from: 100, count: 300 })
    const { jobId } = await amidRanges(
      () => startTransfer(tenant, 'east', 'west', mode),
      'east',
      async job => expect((await tenant.post(`/api/v1/jobs/${job.jobId}/cancel`)).status).toBe(202),
    )
    const cancelled = await ended(tenant, jobId)
    expect(cancelled.status).toBe('Cancelled')
    const brought = (await storedAt('west')).length - 300
    expect(cancelled.counts[mode === 'Move' ? 'moved' : 'copied']).toBe(brought)
    expect(cancelled.progress.done).toBeLessThan(size)
    if (mode === 'Move') expect((await storedAt('east')).length).toBe(size - cancelled.progress.done)

    // Of the assignments when it was accepted: not of later ones.
    await seedLocations(db, tenant.tenantKey, 'east', { from: size + 7, count: 2 })
    expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
    const { record, counts } = model.transfer('east', 'west', mode)
    model.assign('east', subjectIds({ from: size + 7, count: 2 }))
    expect(await ended(tenant, jobId)).toMatchObject({
      status: 'Completed',
      progress: { done: size, total: size },
      counts,
    })
    await isAsModelled()
    expect((await undo(tenant, jobId)).counts).toEqual(model.undo(record))
    await isAsModelled()
  },
)

test('the undo of a cancelled Move in ranges, itself cancelled and tried again, puts back whom the Move had taken', async () => {
  await assign('east', { count: 2 * size })
  const { jobId } = await amidRanges(
    () => startTransfer(tenant, 'east', 'west', 'Move'),
    'east',
    job => tenant.post(`/api/v1/jobs/${job.jobId}/cancel`),
  )
  const taken = (await ended(tenant, jobId)).counts.moved
  const first = (await storedAt('west')).sort()[0] ?? ''
  const held = await holdLocation(db, tenant.tenantKey, 'west', first)
  const undoing = await startUndo(tenant, jobId)
  await tenant.post(`/api/v1/jobs/${undoing.jobId}/cancel`)
  await held.release()
  expect((await ended(tenant, undoing.jobId)).status).toBe('Cancelled')
  expect((await tenant.post(`/api/v1/jobs/${undoing.jobId}/retry`)).status).toBe(202)
  const undone = await ended(tenant, undoing.jobId)
  expect(undone).toMatchObject({ status: 'Completed', counts: { undone: taken, leftAlone: 0 } })
  await isAsModelled()
})

test('a destination that is gone fails all ranges with its problem, in the job and in its run; a retry goes on when it is back', async () => {
  await assign('east', { count: size })
  const { jobId } = await amidRanges(
    () => startTransfer(tenant, 'east', 'west', 'Move'),
    'east',
    job => tenant.post(`/api/v1/jobs/${job.jobId}/cancel`),
  )
  const { progress } = await ended(tenant, jobId)
  await transfer(tenant, 'west', 'south', 'Move')
  expect((await tenant.delete(at(paths.entities, 'west'))).status).toBeLessThan(300)
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  const problem = { type: '/problems/transfer-not-possible', detail: expect.stringContaining("'west'") }
  const failed = await ended(tenant, jobId)
  expect(failed).toMatchObject({ status: 'Failed', progress: { done: progress.done }, problem })
  const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  const result = endedRun(client, failed).then(run => run.result())
  await expect(result.finally(close)).rejects.toMatchObject({ cause: { type: 'transfer-not-possible' } })

  const back = { Key: 'west', DisplayName: 'West', StructureTypeKey: 'unit' }
  expect((await tenant.put(paths.entities, back)).status).toBeLessThan(300)
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { moved: size, skipped: 0 } })
  model.remove('east', subjectIds({ count: size }))
  expect((await storedAt('west')).length + (await storedAt('south')).length).toBe(size)
  expect(await storedAt('east')).toEqual([])
})

test('of two Moves in opposite directions one is split; everybody is at one of the two wards', async () => {
  await assign('east', { count: size })
  await assign('west', { from: size, count: size })
  const jobs = await Promise.all([
    startTransfer(tenant, 'east', 'west', 'Move'),
    startTransfer(tenant, 'west', 'east', 'Move'),
  ])
  const ends = await Promise.all(jobs.map(({ jobId }) => ended(tenant, jobId)))
  expect(ends.map(({ status, problem }) => [status, problem])).toEqual(ends.map(() => ['Completed', undefined]))
  const split = await Promise.all(jobs.map(({ jobId }) => rangesOf(jobId)))
  expect(split.flat()).toEqual(doneRanges)
  const [east, west] = await Promise.all(['east', 'west'].map(storedAt))
  const everybody = [...(east ?? []), ...(west ?? [])].sort()
  expect(everybody).toEqual(subjectIds({ count: 2 * size }))
  const [there, back] = ends.map(({ counts }) => counts.moved ?? 0)
  expect(east?.length).toBe(size - (there ?? 0) + (back ?? 0))
})

test('while ranges are moved, clients upsert, assign and take away: none is refused, nobody is lost', async () => {
  await tenant.change({ subjects: demoSubjects })
  await assign('east', { count: size })
  const theirs = await whileClientsWrite(db, tenant, ['east', 'west'], async () => {
    for (const [from, to] of [
      ['east', 'west'],
      ['west', 'east'],
    ] as const) {
      const { status, jobId } = await transfer(tenant, from, to, 'Move')
      expect(status).toBe('Completed')
      expect(await rangesOf(jobId)).toEqual(doneRanges)
    }
  })
  expect(await storedAt('south')).toEqual([])
  const [east, west] = (await Promise.all(['east', 'west'].map(storedAt))).map(all => new Set(all))
  const own = subjectIds({ count: size })
  expect(own.filter(id => !east?.has(id) || west?.has(id))).toEqual([])
  const known = new Set([...theirs, ...own])
  expect([...(east ?? []), ...(west ?? [])].filter(id => !known.has(id))).toEqual([])
})
