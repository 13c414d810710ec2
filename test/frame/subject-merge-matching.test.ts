// Merged subjects and matching: upserts, bulks and imports go on to send both.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { addPerson, plantWards, subjectTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { refusal } from '../support/frame.js'
import { imported } from '../support/imports.js'
import { demoSubjects } from '../support/manifest.js'
import { mergesOf } from '../support/merges.js'
import {
  bulkPath,
  patch,
  peopleOf,
  person,
  readPerson,
  subjectsPath,
  texts,
  type WrittenSubject,
} from '../support/subjects.js'

/** Subjects that their family name and e-mail address name together; subjects from before may lack one. */
const byTwo = {
  ...demoSubjects,
  fields: demoSubjects.fields.map(field => (field.key === 'email' ? { ...field, required: true } : field)),
  matchingFields: ['familyName', 'email'],
}

const tenant = await subjectTenant()
const calls = mergesOf(tenant)
await plantWards(tenant, 'a', 'b')

/** Two people, of whom the first stays. */
async function merged(name: string, wards: string[] = []): Promise<{ stays: string; goes: string }> {
  const [stays, goes] = [await addPerson(tenant, `${name}-1`, {}, wards), await addPerson(tenant, `${name}-2`)]
  expect((await calls.merge(stays, goes)).status).toBe(200)
  return { stays, goes }
}

const upsert = (nationalId: string, more: Record<string, string> = {}, keys?: string[]) =>
  tenant.post<WrittenSubject>(subjectsPath, person(nationalId, more, keys))
const named = async (name: string) => (await peopleOf(tenant)).filter(each => each.startsWith(name))

test('an upsert with the matching values of either subject updates the survivor, which keeps its own matching values', async () => {
  const { stays } = await merged('upsert')
  for (const n of [1, 2, 1, 2]) {
    const { status, body } = await upsert(`upsert-${n}`, { email: `${n}` }, [n === 1 ? 'a' : 'b'])
    expect([status, body.internalId, body.outcome]).toEqual([200, stays, 'updated'])
    expect(await readPerson(tenant, stays)).toMatchObject({
      nationalId: 'upsert-1',
      email: `${n}`,
      places: [n === 1 ? 'a' : 'b'],
    })
  }
  expect(await named('upsert')).toEqual(['upsert-1'])
})

test('a bulk with both writes the later over the earlier', async () => {
  const { stays } = await merged('bulk')
  const bodies = [person('bulk-1', { email: 'one', phone: '+33 1' }, ['a']), person('bulk-2', { email: 'two' })]
  for (const [first, last] of [bodies, bodies.toReversed()]) {
    const { status, body } = await tenant.post<WrittenSubject[]>(bulkPath, [first, person('bulk-other'), last])
    expect([status, body[0]?.internalId, body[2]?.internalId]).toEqual([200, stays, stays])
    expect(body[0]?.customFieldValues).toEqual(body[2]?.customFieldValues)
    const email = last === bodies[0] ? 'one' : 'two'
    expect(await readPerson(tenant, stays)).toMatchObject({
      nationalId: 'bulk-1',
      email,
      phone: '+33 1',
      places: ['a'],
    })
  }
  // Found by what it has now alone: the index has nothing of the row in between.
  const filter = (text: string) => peopleOf(tenant, { 'customFieldValueFilter.values[email]': text })
  expect([await filter('one'), await filter('two')]).toEqual([['bulk-1'], []])
  expect(await named('bulk')).toEqual(['bulk-1', 'bulk-other'])
})

describe('an import', () => {
  const head = 'nationalId,givenName,familyName,email,StructuralEntityKeys\n'

  test.each(['each', 'all'])('of both, Mode=%s, creates nobody and writes the later row last', async Mode => {
    const name = `import-${Mode}`
    const { stays } = await merged(name)
    const job = await imported(tenant, `${head}${name}-1,A,B,one,a\n${name}-2,C,D,two,b\n`, { query: { Mode } })
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 0, updated: 2, refused: 0 } })
    expect(await readPerson(tenant, stays)).toMatchObject({
      nationalId: `${name}-1`,
      givenName: 'C',
      email: 'two',
      places: ['b'],
    })
    expect(await named(name)).toEqual([`${name}-1`])
  })

  test('of a refused and a sound row for the merged person writes the sound one only', async () => {
    const { stays } = await merged('partly')
    const job = await imported(tenant, `${head}partly-1,,B,one,\npartly-2,C,D,two,\n`)
    expect(job).toMatchObject({ counts: { updated: 1, refused: 1 } })
    expect(await readPerson(tenant, stays)).toMatchObject({ givenName: 'C', familyName: 'D', email: 'two' })
  })

  test.each([1, 2])('with Absent=unassign leaves the subject where it is by the row of number %i alone', async n => {
    const other = await subjectTenant()
    await plantWards(other, 'a')
    const stays = await addPerson(other, 'absent-1', {}, ['a'])
    const goes = await addPerson(other, 'absent-2', {}, ['a'])
    const absent = await addPerson(other, 'absent-3', {}, ['a'])
    await mergesOf(other).merge(stays, goes)
    const row = `nationalId,givenName,familyName\nabsent-${n},Ada,Byron\n`
    const job: JobBody = await imported(other, row, { query: { Absent: 'unassign', AbsentAtMost: '1' } })
    expect(job).toMatchObject({ status: 'Completed', counts: { unassigned: 1 } })
    expect(await readPerson(other, stays)).toMatchObject({ places: ['a'] })
    expect(await readPerson(other, absent)).toMatchObject({ places: [] })
  })
})

test("the merged subject's matching values cannot be given to others, only to the survivor", async () => {
  const { stays, goes } = await merged('taken')
  const other = await addPerson(tenant, 'taken-other')
  const taken = { status: 409, code: 'matching-values-taken' }
  expect(refusal(await patch(tenant, other, texts({ nationalId: 'taken-2' })))).toMatchObject(taken)
  expect((await patch(tenant, stays, texts({ nationalId: 'taken-2' }))).status).toBe(200)
  expect((await upsert('taken-2')).body.internalId).toBe(stays)
  // Its values are those of the subject that stays by now.
  expect(refusal(await calls.unmerge(goes))).toMatchObject(taken)
  await patch(tenant, stays, texts({ nationalId: 'taken-1' }))
  expect((await calls.unmerge(goes)).status).toBe(200)
  expect((await upsert('taken-2')).body.internalId).toBe(goes)
})

test('with several matching fields, a mix of the values of both subjects names neither', async () => {
  const other = await subjectTenant(byTwo)
  const of = (familyName: string, email: string) => person('x', { familyName, email })
  const write = async (familyName: string, email: string) =>
    (await other.post<WrittenSubject>(subjectsPath, of(familyName, email))).body.internalId
  const [a, b] = [await write('A', '1'), await write('B', '2')]
  await mergesOf(other).merge(a, b)
  expect([await write('A', '1'), await write('B', '2')]).toEqual([a, a])
  expect(new Set([a, b, await write('A', '2'), await write('B', '1')]).size).toBe(4)
})

describe('subjects with equal matching values', () => {
  let twins: Tenant
  let ids: string[]
  const upsertTwin = () =>
    twins.post<WrittenSubject>(subjectsPath, { CustomFieldValues: texts({ familyName: 'Twin' }) })
  beforeAll(async () => {
    twins = await subjectTenant()
    ids = [await addPerson(twins, '1', { familyName: 'Twin' }), await addPerson(twins, '2', { familyName: 'Twin' })]
    await twins.change({ subjects: { ...demoSubjects, matchingFields: ['familyName'] } })
  })

  test('are one that an upsert finds once they are merged, and ambiguous again when that is undone', async () => {
    const [a = '', b = ''] = ids
    const ambiguous = { status: 409, code: 'ambiguous-match' }
    expect(refusal(await upsertTwin())).toMatchObject(ambiguous)
    await mergesOf(twins).merge(a, b)
    expect((await upsertTwin()).body.internalId).toBe(a)
    expect((await mergesOf(twins).unmerge(b)).status).toBe(200)
    expect(refusal(await upsertTwin())).toMatchObject(ambiguous)
  })
})

test('a merge is refused if its result has the matching values of a third subject', async () => {
  const other = await subjectTenant()
  await addPerson(other, '1', { familyName: 'Same', email: 'third' })
  const [a, b] = [await addPerson(other, '2', { familyName: 'Same' }), await addPerson(other, '3', { email: 'third' })]
  await other.change({ subjects: byTwo })
  const taken = { status: 409, code: 'matching-values-taken' }
  expect(refusal(await mergesOf(other).merge(a, b))).toMatchObject(taken)
  expect(await mergesOf(other).ids()).toHaveLength(3)
})

test('the undo of a transfer also moves the survivor of a merge back', async () => {
  const [stays, goes] = [await addPerson(tenant, 'transfer-1'), await addPerson(tenant, 'transfer-2')]
  await plantWards(tenant, 'from', 'to')
  await tenant.put(`/api/v1/subject/${goes}/structuralEntities`, { keys: ['from'] })
  const move = { SourceStructuralEntityKey: 'from', TransferMode: 'Move' }
  const { body: there } = await tenant.post<JobBody>('/api/v1/structuralEntity/to/subjects/transfer', move)
  await ended(tenant, there.jobId)
  await calls.merge(stays, goes)
  expect(await readPerson(tenant, stays)).toMatchObject({ places: ['to'] })
  const { body: back } = await tenant.post<JobBody>(`/api/v1/jobs/${there.jobId}/undo`)
  expect(await ended(tenant, back.jobId)).toMatchObject({ counts: { undone: 1 } })
  expect(await readPerson(tenant, stays)).toMatchObject({ places: ['from'] })
})

test('the undo of a merge does not restore values of fields that the manifest has lost', async () => {
  const other = await subjectTenant()
  const [a, b] = [await addPerson(other, '1', { email: 'a' }), await addPerson(other, '2', { phone: '+33 1' })]
  await mergesOf(other).merge(a, b)
  await other.send('PATCH', `${subjectsPath}/${a}`, [{ Key: 'phone', Value: null }])
  await other.change({
    subjects: { ...demoSubjects, fields: demoSubjects.fields.filter(({ key }) => key !== 'phone') },
  })
  expect((await mergesOf(other).unmerge(b)).status).toBe(200)
  expect(await readPerson(other, b)).not.toHaveProperty('phone')
  await other.change({ subjects: demoSubjects })
  expect(await readPerson(other, b)).not.toHaveProperty('phone')
})
