// Concurrent transfers.
import { beforeEach, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { openDatabase, plantWards } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { type LocationModel, locationModel, seedLocations, subjectIds } from '../support/locations.js'
import { demoSubjects } from '../support/manifest.js'
import { startTransfer, startUndo, transfer, whileClientsWrite } from '../support/transfers.js'

const size = 22_000

const db = openDatabase()
let tenant: Tenant
let model: LocationModel

/** Each ward has subjects of its own. */
const wards = { a: 0, b: size, c: 2 * size }
type Ward = keyof typeof wards
const wardKeys = Object.keys(wards) as Ward[]

beforeEach(async () => {
  tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects })
  model = locationModel()
  await plantWards(tenant, ...wardKeys, 'd', 'south')
  for (const key of wardKeys) {
    await seedLocations(db, tenant.tenantKey, key, { from: wards[key], count: size })
    model.assign(key, subjectIds({ from: wards[key], count: size }))
  }
})

type Given = [source: string, destination: string, mode: 'Copy' | 'Move']

/** Accepts all transfers at the same moment. @returns them in the order of acceptance, ended; none may fail. */
async function together(...given: Given[]): Promise<{ given: Given; job: JobBody }[]> {
  const started = await Promise.all(
    given.map(async each => ({ given: each, job: await startTransfer(tenant, ...each) })),
  )
  const all = started.map(async ({ given, job }) => ({ given, job: await ended(tenant, job.jobId) }))
  const jobs = await Promise.all(all)
  expect(jobs.map(({ job }) => [job.status, job.problem])).toEqual(jobs.map(() => ['Completed', undefined]))
  return jobs.sort((x, y) => x.job.acceptedAt.localeCompare(y.job.acceptedAt))
}

const moved = ({ job }: { job: JobBody }): number => job.counts.moved ?? 0

/** Every assignment as it is, as a model. */
async function stored(): Promise<Record<string, Set<string>>> {
  const rows = await db('subject_locations as l')
    .join('tenants as t', 't.id', 'l.tenant_id')
    .where('t.tenant_key', tenant.tenantKey)
    .select('l.entity_key', 'l.subject_id')
  const keys = [...wardKeys, 'd', 'south']
  const at = (key: string) => new Set<string>(rows.filter(row => row.entity_key === key).map(row => row.subject_id))
  return Object.fromEntries(keys.map(key => [key, at(key)]))
}

/** Everybody of the wards is at one place, and each place has who was there, less who left, and who came. */
async function expectNobodyLost(jobs: { given: Given; job: JobBody }[]): Promise<Record<string, Set<string>>> {
  const places = await stored()
  const everybody = wardKeys.flatMap(key => [...(places[key] ?? [])]).concat([...(places.d ?? [])])
  expect(everybody.length).toBe(new Set(everybody).size)
  const inWards = new Set(wardKeys.flatMap(key => subjectIds({ from: wards[key], count: size })))
  expect(everybody.filter(id => !inWards.has(id))).toEqual([])
  expect(everybody.length).toBe(inWards.size)
  const flow = (key: string, end: 0 | 1) =>
    jobs.filter(({ given }) => given[end] === key).reduce((sum, job) => sum + moved(job), 0)
  for (const key of wardKeys) expect(places[key]?.size, key).toBe(size - flow(key, 0) + flow(key, 1))
  return places
}

test('simultaneous transfers from a to b and b to a leave everybody at one of them, as one of the two orders explains', async () => {
  const jobs = await together(['a', 'b', 'Move'], ['b', 'a', 'Move'])
  const places = await expectNobodyLost(jobs)
  const [first, second] = jobs
  const [from, to] = [first?.given[0] as Ward, first?.given[1] as Ward]
  expect(first && moved(first), 'all that were there').toBe(size)
  // The second took its own, and of the first's only whole pages that had come before it was accepted.
  const own = subjectIds({ from: wards[to], count: size })
  expect(own.filter(id => !places[from]?.has(id))).toEqual([])
  const back = subjectIds({ from: wards[from], count: size }).filter(id => places[from]?.has(id))
  expect(second && moved(second)).toBe(size + back.length)
})

test('of two simultaneous moves from a to d, each subject is moved by one', async () => {
  const jobs = await together(['a', 'd', 'Move'], ['a', 'd', 'Move'])
  expect(jobs.reduce((sum, job) => sum + moved(job), 0)).toBe(size)
  expect(jobs.map(({ job }) => job.counts.skipped)).toEqual([0, 0])
  model.transfer('a', 'd', 'Move')
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('of two simultaneous copies of a to d, each skips what the other has copied', async () => {
  const jobs = await together(['a', 'd', 'Copy'], ['a', 'd', 'Copy'])
  const sum = (what: string) => jobs.reduce((all, { job }) => all + (job.counts[what] ?? 0), 0)
  expect([sum('copied'), sum('skipped')]).toEqual([size, size])
  model.transfer('a', 'd', 'Copy')
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('simultaneous moves around a circle of wards in both directions lose and double nobody', async () => {
  const circle: Given[] = [
    ['a', 'b', 'Move'],
    ['b', 'c', 'Move'],
    ['c', 'a', 'Move'],
  ]
  const jobs = await together(...circle, ...circle.map(([from, to]): Given => [to, from, 'Move']))
  await expectNobodyLost(jobs)
})

test('undos of two moves between the same wards at the same moment put everybody back', async () => {
  const there = await transfer(tenant, 'a', 'd', 'Move')
  const back = await transfer(tenant, 'c', 'd', 'Move')
  const undos = await Promise.all([there, back].map(({ jobId }) => startUndo(tenant, jobId)))
  for (const { jobId } of undos) {
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { undone: size, leftAlone: 0 } })
  }
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test('clients that upsert, assign and unassign during moves back and forth are never refused, and nobody is lost', async () => {
  const theirs = await whileClientsWrite(db, tenant, ['a', 'b'], async () => {
    for (let round = 0; round < 2; round++) await together(['a', 'b', 'Move'], ['b', 'a', 'Move'])
  })
  const places = await stored()
  expect([...(places.south ?? [])]).toEqual([])
  const atWard = (id: string) => [...'ab'].filter(key => places[key]?.has(id))
  for (const key of ['a', 'b'] as const) {
    const own = subjectIds({ from: wards[key], count: size })
    expect(own.filter(id => atWard(id).length !== 1)).toEqual([])
  }
  expect(places.c).toEqual(new Set(subjectIds({ from: wards.c, count: size })))
  const known = new Set([...theirs, ...wardKeys.flatMap(key => model.at(key))])
  expect(Object.values(places).flatMap(each => [...each].filter(id => !known.has(id)))).toEqual([])
})
