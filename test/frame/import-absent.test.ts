// The brake of a full load, its region, and the undo of what an import did to places.
import { expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Problem, Tenant } from '../support/api.js'
import { addPerson, anEntity, openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { invalid, paths, put, refusal } from '../support/frame.js'
import { imported, upload } from '../support/imports.js'
import { personWith } from '../support/subjects.js'
import { assignByHand, undo } from '../support/transfers.js'

const db = openDatabase()

const header = 'nationalId,givenName,familyName,StructuralEntityKeys\n'
/** A file with these people, each as `id` or `id@place|place`. */
const file = (...people: string[]) =>
  header +
  people
    .map(each => each.split('@'))
    .map(([id = '', places = 'a']) => `${id},Ada,Byron,${places}\n`)
    .join('')
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`)
const query = { Absent: 'unassign' }

async function fullTenant(more: object = {}): Promise<Tenant> {
  const tenant = await subjectTenant(more)
  await plantWards(tenant, 'a', 'b')
  await put(tenant, paths.entities, anEntity('a-1', { ParentKey: 'a' }))
  return tenant
}

/** The number of places that subjects have altogether. */
const placed = async ({ tenantKey }: Tenant) => {
  const row = await db('subject_locations')
    .where({ tenant_id: await tenantIdOf(db, tenantKey) })
    .count({ size: '*' })
    .first()
  return Number(row?.size)
}

const retried = async (tenant: Tenant, { jobId }: JobBody, parameters = '') => {
  const { status } = await tenant.post(`/api/v1/jobs/${jobId}/retry${parameters}`)
  expect(status).toBe(202)
  return ended(tenant, jobId)
}

test('a file of one row ends before it takes 2,001 people from their places, goes on when that is confirmed, and is undone', async () => {
  const tenant = await fullTenant()
  await imported(tenant, file(...numbered(2_000)))
  await addPerson(tenant, 'other', {}, ['a', 'b'])
  const failed = await imported(tenant, file('p7@b'), { query: { ...query, AbsentAtMost: '10%' } })
  expect(failed).toMatchObject({
    status: 'Failed',
    counts: { updated: 1, moved: 1 },
    problem: {
      status: 409,
      type: '/problems/too-many-absent',
      detail: expect.stringContaining(`2000 of 2001 subjects are not in the file, and AbsentAtMost is 10%.`),
    },
  })
  expect(failed.problem?.detail).toContain(`/api/v1/jobs/${failed.jobId}/retry?AbsentAtMost=2000`)
  expect(await placed(tenant)).toBe(2_002)
  expect(await personWith(tenant, 'p7')).toMatchObject({ places: ['b'] })

  expect(await retried(tenant, failed), 'not confirmed').toMatchObject({ status: 'Failed' })
  expect(await retried(tenant, failed, '?AbsentAtMost=1999'), 'confirmed for fewer').toMatchObject({ status: 'Failed' })
  const done = await retried(tenant, failed, '?AbsentAtMost=2000')
  expect(done).toMatchObject({ status: 'Completed', counts: { unassigned: 2_000 }, input: { absentAtMost: '2000' } })
  expect(await placed(tenant)).toBe(1)

  const back = await undo(tenant, failed.jobId)
  expect(back).toMatchObject({
    kind: 'subjectImportUndo',
    status: 'Completed',
    progress: { done: 2_001, total: 2_001 },
    counts: { undone: 2_001, leftAlone: 0 },
  })
  expect(await placed(tenant)).toBe(2_002)
  expect(await personWith(tenant, 'p7')).toMatchObject({ places: ['a'] })
  expect(await personWith(tenant, 'other')).toMatchObject({ places: ['a', 'b'] })
  const again = await tenant.post(`/api/v1/jobs/${failed.jobId}/undo`)
  expect(refusal(again)).toMatchObject({ status: 409, code: 'job-undone' })
})

test('a failed import that was undone is neither given up nor retried', async () => {
  const tenant = await fullTenant()
  await imported(tenant, file(...numbered(20)))
  const failed = await imported(tenant, file('p7@b'), { query })
  expect(failed).toMatchObject({ status: 'Failed', counts: { moved: 1 } })
  expect(await undo(tenant, failed.jobId)).toMatchObject({ status: 'Completed' })
  for (const call of ['cancel', 'retry'])
    expect(refusal(await tenant.post(`/api/v1/jobs/${failed.jobId}/${call}`))).toMatchObject({
      status: 409,
      code: 'job-undone',
    })
})

test('new people in the file do not count, so that they hide no loss', async () => {
  const tenant = await fullTenant()
  await imported(tenant, file(...numbered(20)))
  const others = numbered(500).map(id => `new-${id}`)
  const failed = await imported(tenant, file(...others), { query })
  expect(failed).toMatchObject({ status: 'Failed', problem: { type: '/problems/too-many-absent' } })
  expect(await placed(tenant)).toBe(520)
})

test('by default a tenth may be unassigned; the manifest or the import can set another limit', async () => {
  const tenant = await fullTenant()
  await imported(tenant, file(...numbered(20)))
  const tenth = await imported(tenant, file(...numbered(18)), { query })
  expect(tenth).toMatchObject({ status: 'Completed', counts: { unassigned: 2 }, input: { absentAtMost: '10%' } })

  const strict = await fullTenant({ absentAtMost: '0' })
  await imported(strict, file(...numbered(20)))
  expect((await imported(strict, file(...numbered(19)), { query })).status).toBe('Failed')
  const own = await imported(strict, file(...numbered(19)), { query: { ...query, AbsentAtMost: '1' } })
  expect(own).toMatchObject({ status: 'Completed', counts: { unassigned: 1 } })
})

test('a dry run counts who would go, fails as the import would, and writes nothing', async () => {
  const tenant = await fullTenant()
  await imported(tenant, file(...numbered(20)))
  const dry = await imported(tenant, file('p1@b'), { query: { ...query, DryRun: 'true' } })
  expect(dry).toMatchObject({
    status: 'Failed',
    counts: { unassigned: 19 },
    problem: { type: '/problems/too-many-absent', detail: expect.stringMatching(/^Nothing was written: 19 of 20/) },
  })
  expect(await placed(tenant)).toBe(20)
  expect(refusal(await tenant.post(`/api/v1/jobs/${dry.jobId}/undo`))).toMatchObject({ code: 'not-undoable' })
})

test('Below takes people from places at or below an entity only, and counts those alone', async () => {
  const tenant = await fullTenant()
  await imported(tenant, file('here', 'deep@a-1', 'both@a-1|b', 'there@b', 'elsewhere@b'))
  const of = { ...query, Below: 'a', AbsentAtMost: '2' }
  const job = await imported(tenant, file('here'), { query: of })
  expect(job).toMatchObject({ status: 'Completed', counts: { unassigned: 2 }, input: { below: 'a' } })
  const places = async () =>
    Promise.all(['here', 'deep', 'both', 'there'].map(async id => (await personWith(tenant, id))?.places))
  expect(await places()).toEqual([['a'], [], ['b'], ['b']])
  expect((await undo(tenant, job.jobId)).counts).toEqual({ undone: 2, leftAlone: 0 })
  expect(await places()).toEqual([['a'], ['a-1'], ['a-1', 'b'], ['b']])
})

test('an undo skips people who were placed or erased since, or whose former place is gone', async () => {
  const tenant = await fullTenant()
  await put(tenant, paths.entities, anEntity('c'))
  const [placed = '', erased = ''] = await Promise.all(['placed', 'erased'].map(id => addPerson(tenant, id, {}, ['a'])))
  await imported(tenant, file('moved', 'lost@c', 'kept'))
  const job = await imported(tenant, file('moved@b', 'kept'), { query: { ...query, AbsentAtMost: '3' } })
  expect(job).toMatchObject({ status: 'Completed', counts: { moved: 1, unassigned: 3 } })
  await assignByHand(tenant, placed, 'b')
  const erasure = await tenant.post<JobBody>(`/api/v2/subject/${erased}/erase`)
  await ended(tenant, erasure.body.jobId)
  expect((await tenant.delete(`${paths.entities}/c`)).status).toBe(204)
  expect((await undo(tenant, job.jobId)).counts).toEqual({ undone: 1, leftAlone: 2 })
  expect(await personWith(tenant, 'moved')).toMatchObject({ places: ['a'] })
  expect(await personWith(tenant, 'placed')).toMatchObject({ places: ['b'] })
  expect(await personWith(tenant, 'lost')).toMatchObject({ places: [] })
})

test.each([
  ['a limit without Absent', { AbsentAtMost: '5' }, 'unknown-parameter /query/AbsentAtMost'],
  ['a region without Absent', { Below: 'a' }, 'unknown-parameter /query/Below'],
  ['a limit over 100 %', { ...query, AbsentAtMost: '101%' }, 'wrong-format /query/AbsentAtMost'],
  ['an unknown region', { ...query, Below: 'nowhere' }, 'unknown-structural-entity /query/Below'],
])('%s is refused at once', async (_, wrong, error) => {
  const tenant = await fullTenant()
  expect(refusal(await upload(tenant, file('x'), { query: wrong }))).toEqual(invalid(error))
})

test('a retry confirms only an import that unassigns, by a client that may', async () => {
  const tenant = await fullTenant()
  const plain = await imported(tenant, file('x'))
  const confirm = (jobId: string) => `/api/v1/jobs/${jobId}/retry?AbsentAtMost=5`
  expect(refusal(await tenant.post(confirm(plain.jobId)))).toEqual(invalid('unknown-parameter /query/AbsentAtMost'))
  const failed = await imported(tenant, file('y'), { query: { ...query, AbsentAtMost: '0' } })
  const [client] = await tenant.clients([['Edit:Job']])
  expect((await client?.post(confirm(failed.jobId)))?.status).toBe(403)
})

test('a confirmation of another number is another request: it cannot reuse an Idempotency-Key', async () => {
  const tenant = await fullTenant()
  await imported(tenant, file('x'))
  const failed = await imported(tenant, file('y'), { query: { ...query, AbsentAtMost: '0' } })
  const confirm = (most: number) =>
    tenant.post<Problem>(`/api/v1/jobs/${failed.jobId}/retry?AbsentAtMost=${most}`, undefined, {
      'idempotency-key': 'k',
    })
  expect((await confirm(5_000)).status).toBe(202)
  expect((await confirm(5_000)).status).toBe(202)
  expect((await confirm(6_000)).body.type).toBe('/problems/idempotency-key-reused')
})
