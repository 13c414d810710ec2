// The invented people of the demo.
import { expect, test } from 'vitest'
import { assignments, destination, source } from '../../dev/demo/assignments.js'
import { frenchPlaces, structureTypes } from '../../dev/demo/french-places.js'
import { rowOf } from '../../dev/demo/import-people.js'
import { mostPeople } from '../../dev/demo/national-ids.js'
import { people } from '../../dev/demo/people.js'
import { demoSubjects } from '../../dev/demo-tenants.js'

const keyWorkers = ['ada.okafor', 'jonas.weber']
const persons = people(mostPeople, 1789, keyWorkers)
const known = <Value>(values: (Value | undefined)[]) => values.filter(value => value !== undefined)

test('people depend on the seed alone, and the first are the same however many are asked for', () => {
  expect(people(50, 1789, keyWorkers)).toEqual(persons.slice(0, 50))
  expect(people(50, 1790, keyWorkers)).not.toEqual(persons.slice(0, 50))
})

test('there are no more people than phone numbers', () => {
  expect(persons).toHaveLength(10_000)
  expect(people(10_001, 1, [])).toHaveLength(10_000)
})

test('national ids, e-mail addresses and phone numbers are unique', () => {
  for (const field of ['nationalId', 'email', 'phone'] as const) {
    const values = known(persons.map(person => person[field]))
    expect(new Set(values).size, field).toBe(values.length)
  }
})

test.each([
  ['nationalId', /^DEMO\d{5}$/, 10_000],
  ['dateOfBirth', /^(19[3-9]\d|200[0-7])-\d\d-\d\d$/, 10_000],
  ['email', /^[a-z][a-z._'-]*\d+@example\.org$/, 7_500],
  ['phone', /^\+33 6 39 98 \d\d \d\d$/, 8_500],
  ['keyWorker', /^(ada\.okafor|jonas\.weber)$/, 6_500],
] as const)('every %s that is given reads as it should', (field, form, atLeast) => {
  const values = known(persons.map(person => person[field]))
  expect(values.filter(value => !form.test(value))).toEqual([])
  expect(values.length).toBeGreaterThanOrEqual(atLeast)
})

test('dates of birth exist', () => {
  const wrong = persons.filter(({ dateOfBirth }) => new Date(dateOfBirth).toISOString().slice(0, 10) !== dateOfBirth)
  expect(wrong).toEqual([])
})

test('weights are those of adults, in tenths of a kilogram', () => {
  const wrong = persons.filter(({ weight }) => weight < 44 || weight > 118 || !/^\d+(\.\d)?$/.test(String(weight)))
  expect(wrong).toEqual([])
})

test.each([
  ['fr', 'Latin'],
  ['pl', 'Latin'],
  ['ar', 'Arabic'],
  ['uk', 'Cyrillic'],
  ['el', 'Greek'],
  ['zh', 'Han'],
])('whoever speaks %s first has a name in %s letters', (tongue, script) => {
  const speakers = persons.filter(({ languages }) => languages[0] === tongue)
  const letters = new RegExp(`^[\\p{Script=${script}}\\p{Script=Common}\\p{Script=Inherited}]+$`, 'u')
  expect(speakers.length).toBeGreaterThan(100)
  expect(speakers.filter(({ givenName, familyName }) => !letters.test(givenName + familyName))).toEqual([])
})

test('nobody has a key worker where there are no users', () => {
  expect(people(20, 1789, []).filter(({ keyWorker }) => keyWorker !== undefined)).toEqual([])
})

test('a person is a row of the fields that the demo tenant has, with empty cells for unknown values', () => {
  const ada = {
    nationalId: 'DEMO00001',
    givenName: 'Ada',
    familyName: 'Okafor',
    dateOfBirth: '1958-03-09',
    email: undefined,
    phone: '+33 6 39 98 00 00',
    languages: ['fr', 'en'] as [string, string],
    keyWorker: 'jonas.weber',
    consent: true,
    weight: 61.5,
  }
  const { Born, StructuralEntityKeys, ...values } = rowOf(ada, ['com-73065', source.key])
  expect(StructuralEntityKeys).toBe('com-73065|dep-73')
  expect({ dateOfBirth: Born, ...values }).toEqual({
    nationalId: 'DEMO00001',
    givenName: 'Ada',
    familyName: 'Okafor',
    dateOfBirth: '1958-03-09',
    email: '',
    phone: '+33 6 39 98 00 00',
    languages: 'fr|en',
    keyWorker: 'jonas.weber',
    consent: 'true',
    weight: '61.5',
  })
  const fields = demoSubjects.fields.map(({ key }) => key)
  expect(['dateOfBirth', ...Object.keys(values)].filter(key => !fields.includes(key))).toEqual([])
})

const places = frenchPlaces()
const keys = assignments(places, mostPeople, 1789)
const byKey = new Map(places.map(place => [place.Key, place]))

test('everybody is assigned to one or two places that take subjects', () => {
  const assignable = new Set(structureTypes.filter(type => type.SubjectAssignable).map(({ Key }) => Key))
  const wrong = keys.filter(
    each =>
      each.length < 1 ||
      each.length > 2 ||
      each.some(key => !assignable.has(byKey.get(key)?.StructureTypeKey ?? 'no place')),
  )
  expect(wrong).toEqual([])
  expect(assignments(places, 20, 1789)).toEqual(keys.slice(0, 20))
})

test('the departments are neighbours of these names, and most people are with the first', () => {
  for (const { key, name } of [source, destination]) expect(byKey.get(key)?.DisplayName).toBe(name)
  const at = (key: string) => keys.filter(each => each.includes(key)).length
  expect(at(source.key)).toBeGreaterThan(6_000)
  // A transfer skips them.
  expect(at(destination.key)).toBeGreaterThan(400)
  expect(keys.filter(each => each.includes(destination.key) && !each.includes(source.key))).toEqual([])
})

test('more people live in a town than in a village', () => {
  const [chambery, smallest] = ['com-73065', 'com-73146'].map(key => keys.filter(each => each.includes(key)).length)
  expect(chambery).toBeGreaterThan(800)
  expect(smallest).toBeLessThan(100)
})

test('the people whom the demo searches for are there', () => {
  const named = (name: RegExp) =>
    persons.filter(({ givenName, familyName }) => name.test(`${givenName} ${familyName}`)).length
  expect(named(/^Irma Szymański$/)).toBe(1)
  expect(named(/^Hélène Prevost$/)).toBe(1)
  expect(named(/ Παπαδόπουλος$/)).toBe(1)
  // Of five hits that are shown, some are written so and some nearly.
  expect(named(/^Zofia /)).toBe(3)
  expect(named(/^Sofia /)).toBeGreaterThan(2)
  expect(named(/ Szym/)).toBeGreaterThan(2)
})
