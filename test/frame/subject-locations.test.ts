// Assignments of subjects.
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Api, newTenant, type Reply } from '../support/api.js'
import { addPerson, anEntity, aType, openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { at, invalid, paths, put, refusal } from '../support/frame.js'
import { randomOf } from '../support/random.js'
import { bulkPath, peopleOf, person, readPerson, subjectsPath } from '../support/subjects.js'

const db = openDatabase()

const tenant = await subjectTenant()
await plantWards(tenant, 'a', 'b', 'c', 'odd/key &?', 'é')

let last = 0
let id: string
beforeEach(async () => {
  id = await addPerson(tenant, `p${++last}`, {}, ['a'])
})
const placesPath = (subject = id) => `/api/v1/subject/${subject}/structuralEntities`
const add = (keys: unknown, subject?: string) => tenant.put(placesPath(subject), { keys })
const remove = (keys: string[], subject?: string) =>
  tenant.delete(`${placesPath(subject)}?${new URLSearchParams(keys.map((key): [string, string] => ['keys', key]))}`)
const places = async () => (await readPerson(tenant, id)).places

test('PUT adds places and DELETE removes them, each 204 without a body, and both can be repeated', async () => {
  for (const _ of [1, 2]) {
    const added = await add(['c', 'b', 'c'])
    expect([added.status, added.body]).toEqual([204, ''])
    expect(await places()).toEqual(['a', 'b', 'c'])
  }
  for (const _ of [1, 2]) {
    const removed = await remove(['a', 'c', 'a'])
    expect([removed.status, removed.body]).toEqual([204, ''])
    expect(await places()).toEqual(['b'])
  }
  await remove(['b'])
  expect(await places()).toEqual([])
})

test('places are those of the one subject; the list by entity knows of them at once', async () => {
  const other = await addPerson(tenant, 'other', {}, ['b'])
  await add(['odd/key &?', 'é'])
  expect(await places()).toEqual(['a', 'odd/key &?', 'é'])
  expect(await peopleOf(tenant, { StructuralEntityKeys: 'odd/key &?' })).toEqual([`p${last}`])
  await remove(['odd/key &?'])
  expect(await peopleOf(tenant, { StructuralEntityKeys: 'odd/key &?' })).toEqual([])
  expect(await readPerson(tenant, other)).toMatchObject({ places: ['b'] })
})

test('the names are taken in any case', async () => {
  expect((await tenant.put(placesPath(), { KEYS: ['b'] })).status).toBe(204)
  expect(await places()).toEqual(['a', 'b'])
  expect((await tenant.delete(`${placesPath()}?Keys=a&KEYS=b`)).status).toBe(204)
  expect(await places()).toEqual([])
})

describe('PUT is refused, and nothing is assigned', () => {
  test.each<[string, unknown, string[]]>([
    [
      'unknown keys, each',
      ['nowhere', 'b', 'B', '', 'b '],
      [0, 2, 3, 4].map(n => `unknown-structural-entity /keys/${n}`),
    ],
    ['an entity whose type takes none', ['b', 'attic'], ['not-assignable /keys/1']],
    ['both', ['attic', 'nowhere'], ['not-assignable /keys/0', 'unknown-structural-entity /keys/1']],
    ['an empty list', [], ['too-few /keys']],
    ['no list', undefined, ['required /keys']],
    ['one key that is no list', 'b', ['wrong-type /keys']],
    ['keys that are no texts, each', ['b', 7, null], ['wrong-type /keys/1', 'wrong-type /keys/2']],
    ['1001 keys', Array.from({ length: 1001 }, () => 'b'), ['too-many /keys']],
    ['a key of 256', ['b', 'x'.repeat(256)], ['too-long /keys/1']],
  ])('%s', async (_, keys, errors) => {
    expect(refusal(await add(keys))).toEqual(invalid(...errors))
    expect(await places()).toEqual(['a'])
  })

  test.each([
    ['a bare array', ['b'], invalid('wrong-type')],
    ['nothing', undefined, expect.objectContaining({ status: 400 })],
  ])('%s', async (_, body, expected) => {
    expect(refusal(await tenant.put(placesPath(), body))).toEqual(expected)
    expect(await places()).toEqual(['a'])
  })
})

describe('DELETE is refused, and nothing is taken away', () => {
  test.each<[string, string, string[]]>([
    [
      'unknown keys, each',
      'keys=nowhere&keys=a&keys=A&keys=',
      [0, 2, 3].map(n => `unknown-structural-entity /query/keys/${n}`),
    ],
    ['no keys', '', ['required /query/keys']],
    ['another parameter', 'keys=a&key=b', ['unknown-parameter /query/key']],
    ['a key of 256', `keys=a&keys=${'x'.repeat(256)}`, ['too-long /query/keys/1']],
  ])('%s', async (_, query, errors) => {
    expect(refusal(await tenant.delete(`${placesPath()}?${query}`))).toEqual(invalid(...errors))
    expect(await places()).toEqual(['a'])
  })
})

test('DELETE of an entity whose type no longer takes subjects is no fault', async () => {
  expect((await remove(['attic', 'a'])).status).toBe(204)
  expect(await places()).toEqual([])
})

test('there is no such subject: 404, whatever the keys', async () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  const subject = crypto.randomUUID()
  for (const keys of [['a'], ['nowhere']]) {
    expect(refusal(await add(keys, subject))).toEqual(gone)
    expect(refusal(await remove(keys, subject))).toEqual(gone)
  }
})

test('an id that is no guid: 400', async () => {
  expect(refusal(await add(['a'], 'nobody'))).toEqual(invalid('wrong-format /path/subjectId'))
  expect(refusal(await remove(['a'], 'nobody'))).toEqual(invalid('wrong-format /path/subjectId'))
})

describe('what holds subjects', () => {
  test('an entity is not deleted: 409; it is when the last subject has left', async () => {
    await put(tenant, paths.entities, anEntity('held'))
    await add(['held'])
    const conflict = { status: 409, code: 'structural-entity-has-subjects', errors: [] }
    expect(refusal(await tenant.delete(at(paths.entities, 'held')))).toEqual(conflict)
    expect(await places()).toEqual(['a', 'held'])
    await remove(['held'])
    expect((await tenant.delete(at(paths.entities, 'held'))).status).toBe(204)
    expect(refusal(await add(['held']))).toEqual(invalid('unknown-structural-entity /keys/0'))
  })

  test('a type does not stop taking subjects: 409; it does when the last subject has left, and then takes none', async () => {
    await put(tenant, paths.types, aType('ward'))
    await put(tenant, paths.entities, anEntity('ward', { StructureTypeKey: 'ward' }))
    await add(['ward'])
    const off = () => tenant.put(paths.types, aType('ward', { SubjectAssignable: false }))
    const conflict = { status: 409, code: 'structure-type-in-use', errors: ['subjects-assigned /SubjectAssignable'] }
    expect(refusal(await off())).toEqual(conflict)
    await remove(['ward'])
    expect((await off()).status).toBe(200)
    expect(refusal(await add(['ward']))).toEqual(invalid('not-assignable /keys/0'))
    expect(refusal(await tenant.post(subjectsPath, person('p1', {}, ['ward'])))).toEqual(
      invalid('not-assignable /StructuralEntityKeys/0'),
    )
  })
})

test("another tenant's subject is 404, another tenant's entity is unknown, letter for letter", async () => {
  const other = await newTenant(inject('baseUrl'), {}, {})
  await plantWards(other, 'a', 'theirs')
  const ours = await places()
  expect(refusal(await other.put(placesPath(), { keys: ['a'] }))).toMatchObject({ status: 404 })
  expect(refusal(await other.delete(`${placesPath()}?keys=a`))).toMatchObject({ status: 404 })
  expect(await places()).toEqual(ours)
  expect(refusal(await add(['theirs']))).toEqual(invalid('unknown-structural-entity /keys/0'))
  expect(refusal(await remove(['theirs']))).toEqual(invalid('unknown-structural-entity /query/keys/0'))
  expect(await places()).toEqual(ours)
})

const seed = Number(process.env.SUBJECTS_SEED ?? 20_261_205)

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** Assignments whose entity does not exist, or takes no subjects, or whose subject does not exist. */
async function orphans() {
  const id = await tenantIdOf(db, tenant.tenantKey)
  const rows = await db('subject_locations as l')
    .leftJoin('structural_entities as e', join =>
      join.on('e.tenant_id', 'l.tenant_id').on('e.entity_key', 'l.entity_key'),
    )
    .leftJoin('structure_types as t', join => join.on('t.tenant_id', 'e.tenant_id').on('t.type_key', 'e.type_key'))
    .leftJoin('subjects as s', join => join.on('s.tenant_id', 'l.tenant_id').on('s.id', 'l.subject_id'))
    .where('l.tenant_id', id)
    .where(query => query.whereNull('e.entity_key').orWhereNull('s.id').orWhere('t.subject_assignable', 0))
    .select('l.entity_key', 'l.subject_id')
  return rows
}

test('deleting entities and closing types during assignments leaves no assignment without a valid entity', async () => {
  const ids = await Promise.all(times(4, n => addPerson(tenant, `racer ${n}`)))
  const random = randomOf(seed)
  const seen = new Set<string>()
  for (let round = 0; round < 12; round++) {
    const key = `w${round}`
    const type = `t${round}`
    await tenant.put(paths.types, { Key: type, Name: type, SubjectAssignable: true, CustomFields: [] })
    await tenant.put(paths.entities, { Key: key, DisplayName: key, StructureTypeKey: type })
    const assignments: ((client: Api) => Promise<Reply>)[] = [
      client => client.put(`/api/v1/subject/${ids[0]}/structuralEntities`, { keys: [key] }),
      client => client.post(subjectsPath, person('racer 1', {}, [key])),
      client => client.post(subjectsPath, person(`new ${round}`, {}, [key])),
      client => client.post(bulkPath, [person('racer 2', {}, [key]), person('racer 3', {}, [])]),
    ]
    const closing = () =>
      round % 2
        ? tenant.delete(at(paths.entities, key))
        : tenant.put(paths.types, { Key: type, Name: type, SubjectAssignable: false, CustomFields: [] })
    const all = random.shuffled([...assignments.slice(0, 1 + (round % 4)).map(each => () => each(tenant)), closing])
    const answers = await Promise.all(all.map(each => each().then(answer => ({ answer, closes: each === closing }))))
    for (const { answer, closes } of answers) {
      seen.add(`${closes ? 'closes' : 'assigns'} ${answer.status}`)
      expect(closes ? [200, 204, 409] : [200, 201, 204, 400]).toContain(answer.status)
    }
    expect(await orphans()).toEqual([])
  }
  // Both sides won now and then; else nothing was tried.
  expect([...seen].filter(each => /assigns 20|closes 409/.test(each)).length).toBeGreaterThan(1)
})
