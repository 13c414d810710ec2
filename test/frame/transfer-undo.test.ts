// The undo of transfers.
import { beforeEach, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { addPerson, anEntity, openDatabase, plantWards, tenantWithWards } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { at, paths, refusal } from '../support/frame.js'
import { holdHierarchy } from '../support/jobs.js'
import {
  type LocationModel,
  locationModel,
  seedLocations,
  seedSubjects,
  subjectId,
  subjectIds,
} from '../support/locations.js'
import { demoSubjects } from '../support/manifest.js'
import { assignByHand, type Mode, removeByHand, startTransfer, transfer, undo } from '../support/transfers.js'

const db = openDatabase()
let tenant: Tenant
let model: LocationModel

/** East has 0 to 7, west 6 to 9: of a transfer from east to west, 6 and 7 are skipped. */
beforeEach(async () => {
  tenant = await tenantWithWards(inject('baseUrl'), 'east', 'west', 'south')
  model = locationModel()
  await seedSubjects(db, tenant.tenantKey, { count: 10 })
  for (const [key, from, count] of [
    ['east', 0, 8],
    ['west', 6, 4],
  ] as const) {
    await seedLocations(db, tenant.tenantKey, key, { from, count })
    model.assign(key, subjectIds({ from, count }))
  }
})

const isAsModelled = async () => expect(await model.differences(db, tenant.tenantKey)).toEqual([])
const undoOf = (jobId: string) => tenant.post<JobBody>(`/api/v1/jobs/${jobId}/undo`)
const numbers = (key: string) => model.at(key).map(id => Number.parseInt(id.slice(-12), 16))
const assign = async (n: number, key: string) => {
  await assignByHand(tenant, subjectId(n), key)
  model.assign(key, [subjectId(n)])
}
const remove = async (n: number, key: string) => {
  await removeByHand(tenant, subjectId(n), key)
  model.remove(key, [subjectId(n)])
}
const move = async (from: string, to: string) => {
  await transfer(tenant, from, to, 'Move')
  return model.transfer(from, to, 'Move').record
}

async function transferred(mode: Mode) {
  const { jobId } = await transfer(tenant, 'east', 'west', mode)
  return { jobId, record: model.transfer('east', 'west', mode).record }
}

test.each(['Copy', 'Move'] as const)('the undo of a %s is a job of its own, which the transfer names', async mode => {
  const { jobId, record } = await transferred(mode)
  const { status, headers, body } = await undoOf(jobId)
  const self = `/api/v1/jobs/${body.jobId}`
  expect([status, headers.get('location')]).toEqual([202, self])
  expect(body).toMatchObject({ kind: 'subjectTransferUndo', links: { self } })
  expect(await ended(tenant, body.jobId)).toMatchObject({ status: 'Completed', counts: model.undo(record) })
  expect((await tenant.get(`/api/v1/jobs/${jobId}`)).body).toMatchObject({ status: 'Completed', undoneBy: body.jobId })
  expect([numbers('east'), numbers('west')]).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7],
    [6, 7, 8, 9],
  ])
  await isAsModelled()
})

// After a Move of east to west: 0 to 5 were brought, 6 and 7 skipped. What is done then, and who is at both places at the end.
test.each<[string, () => Promise<unknown>, { east: number[]; west: number[]; leftAlone: number }]>([
  [
    'those that have left the destination stay away',
    async () => {
      await remove(1, 'west')
      await remove(6, 'west')
    },
    { east: [0, 2, 3, 4, 5, 7], west: [7, 8, 9], leftAlone: 2 },
  ],
  [
    'those that were taken away and assigned again by hand stay',
    async () => {
      for (const n of [1, 6]) {
        await remove(n, 'west')
        await assign(n, 'west')
      }
    },
    { east: [0, 2, 3, 4, 5, 7], west: [1, 6, 7, 8, 9], leftAlone: 2 },
  ],
  [
    'those that were put back to the source by hand stay at both places',
    async () => {
      await assign(1, 'east')
      await assign(6, 'east')
    },
    { east: [0, 1, 2, 3, 4, 5, 6, 7], west: [1, 6, 7, 8, 9], leftAlone: 2 },
  ],
  [
    'those that another transfer moved on stay there',
    () => move('west', 'south'),
    { east: [], west: [], leftAlone: 8 },
  ],
  [
    'those that other transfers moved on and back stay',
    async () => {
      await move('west', 'south')
      await move('south', 'west')
    },
    { east: [], west: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], leftAlone: 8 },
  ],
  [
    'who is assigned once more where it is has not changed',
    async () => {
      await assign(1, 'west')
      await assign(6, 'west')
      await transfer(tenant, 'west', 'south', 'Copy')
      model.transfer('west', 'south', 'Copy')
    },
    { east: [0, 1, 2, 3, 4, 5, 6, 7], west: [6, 7, 8, 9], leftAlone: 0 },
  ],
])('undoing a Move, %s', async (_, change, wanted) => {
  const { jobId, record } = await transferred('Move')
  await change()
  await isAsModelled()
  const { status, counts } = await undo(tenant, jobId)
  expect(status).toBe('Completed')
  expect(counts).toEqual({ undone: 8 - wanted.leftAlone, leftAlone: wanted.leftAlone })
  expect(model.undo(record)).toEqual(counts)
  expect({ east: numbers('east'), west: numbers('west') }).toEqual({ east: wanted.east, west: wanted.west })
  await isAsModelled()
})

test('undoing a Copy unassigns exactly the subjects that it assigned, wherever else they are', async () => {
  const { jobId, record } = await transferred('Copy')
  await remove(0, 'east')
  await remove(1, 'west')
  await remove(2, 'west')
  await assign(2, 'west')
  await move('east', 'south')
  expect((await undo(tenant, jobId)).counts).toEqual({ undone: 4, leftAlone: 2 })
  model.undo(record)
  expect([numbers('east'), numbers('west')]).toEqual([[], [2, 6, 7, 8, 9]])
  await isAsModelled()
})

test('undoing a Move tells nobody of those that it leaves alone', async () => {
  const { jobId } = await transferred('Move')
  await assign(0, 'east')
  const moves = async () => {
    const { body } = await tenant.get<{ Edges: { Node: { Change: string } }[] }>('/api/v2/subject/changes?First=1000')
    return body.Edges.filter(({ Node }) => Node.Change === 'moved').length
  }
  const before = await moves()
  const { counts } = await undo(tenant, jobId)
  expect(counts).toEqual({ undone: 7, leftAlone: 1 })
  expect((await moves()) - before).toBe(7)
})

test('an upsert that changes StructuralEntityKeys counts as a change by hand', async () => {
  tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects })
  model = locationModel()
  await plantWards(tenant, 'east', 'west', 'south')
  const [ada = '', bob = '', eve = ''] = [
    await addPerson(tenant, 'ada', {}, ['east']),
    await addPerson(tenant, 'bob', {}, ['east']),
    await addPerson(tenant, 'eve', {}, ['east']),
  ]
  model.assign('east', [ada, bob, eve])
  const { jobId, record } = await transferred('Move')
  await addPerson(tenant, 'ada', {}, ['south'])
  await addPerson(tenant, 'bob', {}, ['west'])
  await addPerson(tenant, 'eve', {}, ['east', 'west'])
  model.remove('west', [ada])
  model.assign('south', [ada])
  model.assign('east', [eve])
  expect((await undo(tenant, jobId)).counts).toEqual({ undone: 1, leftAlone: 2 })
  model.undo(record)
  expect([model.at('east'), model.at('west')]).toEqual([[bob, eve].sort(), [eve]])
  await isAsModelled()
})

test('the undo of a Move whose source is gone, or takes nobody any more, is refused at once', async () => {
  const { jobId, record } = await transferred('Move')
  const impossible = { status: 409, code: 'transfer-not-possible', errors: [] }
  expect((await tenant.delete(at(paths.entities, 'east'))).status).toBe(204)
  expect(refusal(await undoOf(jobId))).toEqual(impossible)
  const east = (type: string) =>
    tenant.put(paths.entities, { Key: 'east', DisplayName: 'East', StructureTypeKey: type })
  await east('closed')
  expect(refusal(await undoOf(jobId))).toEqual(impossible)
  await east('unit')
  expect(await undo(tenant, jobId)).toMatchObject({ status: 'Completed', counts: model.undo(record) })
  await isAsModelled()
})

test('a source that goes while the undo of a Move begins fails it, and it goes on when the source is back', async () => {
  const { jobId, record } = await transferred('Move')
  const held = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  await held.remove('east')
  const { status, body } = await undoOf(jobId)
  expect(status).toBe(202)
  await held.release()
  const undone = await ended(tenant, body.jobId)
  expect(undone).toMatchObject({
    status: 'Failed',
    problem: { type: '/problems/transfer-not-possible', detail: expect.stringContaining("'east': it does not exist") },
  })
  const east = (type: string) =>
    tenant.put(paths.entities, { Key: 'east', DisplayName: 'East', StructureTypeKey: type })
  const retry = async () => {
    expect((await tenant.post(`/api/v1/jobs/${undone.jobId}/retry`)).status).toBe(202)
    return ended(tenant, undone.jobId)
  }
  await east('closed')
  expect((await retry()).problem?.detail).toContain("'east': its type takes no subjects")
  await isAsModelled()
  await east('unit')
  expect(await retry()).toMatchObject({ status: 'Completed', counts: model.undo(record) })
  await isAsModelled()
})

test('the undo of an unknown job, another kind, an undo, or something already undone is refused', async () => {
  const { jobId, record } = await transferred('Move')
  const { jobId: undoJob } = await undo(tenant, jobId)
  model.undo(record)
  const bulk = await tenant.put('/api/v1/structuralEntity/bulk', [anEntity('other')])
  const conflict = (code: string) => ({ status: 409, code, errors: [] })
  expect(refusal(await undoOf(bulk.headers.get('location')?.split('/').at(-1) ?? ''))).toEqual(conflict('not-undoable'))
  expect(refusal(await undoOf(undoJob))).toEqual(conflict('not-undoable'))
  expect(refusal(await undoOf(jobId))).toEqual(conflict('job-undone'))
  for (const id of [crypto.randomUUID(), 'x', "'", 'ä'])
    expect(refusal(await undoOf(encodeURIComponent(id)))).toEqual({ status: 404, code: 'not-found', errors: [] })
  const jobs = await tenant.get<{ PageInfo: { TotalCount: number } }>('/api/v1/jobs')
  expect(jobs.body.PageInfo.TotalCount).toBe(3)
  await isAsModelled()
})

test('undoing a transfer that did nothing is possible and does nothing', async () => {
  const { jobId } = await startTransfer(tenant, 'south', 'west', 'Move')
  await ended(tenant, jobId)
  expect(await undo(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { undone: 0, leftAlone: 0 } })
  await isAsModelled()
})
