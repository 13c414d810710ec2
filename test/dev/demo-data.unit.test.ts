// The invented people and the places of the demo, as far as the demo relies on them.
import { expect, test } from 'vitest'
import { assignments, destination, source } from '../../dev/demo/assignments.js'
import { frenchPlaces, structureTypes } from '../../dev/demo/french-places.js'
import { rowOf } from '../../dev/demo/import-people.js'
import { people } from '../../dev/demo/people.js'
import { demoSubjects } from '../../dev/demo-tenants.js'
import { maxPeople } from '../../dev/national-ids.js'
import { shuffled } from '../../dev/shuffle.js'

const keyWorkers = ['ada.okafor', 'jonas.weber']
const persons = people(maxPeople, 1789, keyWorkers)
const places = frenchPlaces()
const byKey = new Map(places.map(place => [place.Key, place]))

test('people, their assignments and the shuffled places depend on the seed alone', () => {
  expect(people(50, 1789, keyWorkers)).toEqual(persons.slice(0, 50))
  expect(people(50, 1790, keyWorkers)).not.toEqual(persons.slice(0, 50))
  expect(assignments(places, 20, 1789)).toEqual(assignments(places, maxPeople, 1789).slice(0, 20))
  expect(shuffled([1, 2, 3, 4, 5], 1789)).toEqual([3, 1, 2, 4, 5])
})

test('national ids, e-mail addresses and phone numbers are unique', () => {
  for (const field of ['nationalId', 'email', 'phone'] as const) {
    const values = persons.map(person => person[field]).filter(value => value !== undefined)
    expect(new Set(values).size, field).toBe(values.length)
  }
})

test('a row of the import has only fields of the demo tenant, and empty cells for unknown values', () => {
  const [person] = persons
  if (!person) throw new Error('There are no people')
  const { Born: _, StructuralEntityKeys, ...values } = rowOf({ ...person, email: undefined }, ['com-73065', source.key])
  expect(StructuralEntityKeys).toBe('com-73065|dep-73')
  expect(values.email).toBe('')
  const fields = demoSubjects.fields.map(({ key }) => key)
  expect(Object.keys(values).filter(key => !fields.includes(key))).toEqual([])
})

test('every place but the country has a parent, and values only of fields that its structure type has', () => {
  const fields = new Map(structureTypes.map(type => [type.Key, type.CustomFields.map(({ Key }) => Key)]))
  expect(byKey.size).toBe(places.length)
  expect(places.filter(({ ParentKey }) => !byKey.has(ParentKey ?? '')).map(({ Key }) => Key)).toEqual(['fr'])
  const strangers = places.filter(({ StructureTypeKey, CustomFieldValues }) =>
    CustomFieldValues.some(({ Key }) => !fields.get(StructureTypeKey)?.includes(Key)),
  )
  expect(strangers).toEqual([])
})

test('everybody is assigned to places that take subjects, and both departments of the transfer are among them', () => {
  const assignable = new Set(structureTypes.filter(type => type.SubjectAssignable).map(({ Key }) => Key))
  const assigned = new Set(assignments(places, maxPeople, 1789).flat())
  expect([...assigned].filter(key => !assignable.has(byKey.get(key)?.StructureTypeKey ?? ''))).toEqual([])
  for (const { key, name } of [source, destination]) {
    expect(byKey.get(key)?.DisplayName).toBe(name)
    expect(assigned).toContain(key)
  }
})
