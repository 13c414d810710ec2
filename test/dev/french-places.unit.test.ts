// The places of the demo.
import { expect, test } from 'vitest'
import { frenchPlaces, levels, structureTypes } from '../../dev/demo/french-places.js'
import { shuffled } from '../../dev/demo/shuffle.js'

const places = frenchPlaces()
const byKey = new Map(places.map(place => [place.Key, place]))

test('every kind of place is there in full', () => {
  const counts = Object.fromEntries(structureTypes.map(type => [type.Key, 0]))
  for (const { StructureTypeKey } of places) counts[StructureTypeKey] = (counts[StructureTypeKey] ?? Number.NaN) + 1
  expect(counts).toEqual({
    country: 1,
    region: 26,
    department: 109,
    arrondissement: 333,
    commune: 34_969,
    'delegated-commune': 2_105,
    'associated-commune': 471,
    'municipal-arrondissement': 45,
  })
})

test('every level has the number of places that the hierarchy gives it', () => {
  expect(levels(places).map(level => [level.depth, level.count])).toEqual([
    [1, 1],
    [2, 26],
    [3, 109],
    [4, 444], // 333 arrondissements and the 111 communes of Mayotte and the overseas collectivities
    [5, 34_858],
    [6, 2_621],
  ])
})

test('keys are unique and readable', () => {
  expect(byKey.size).toBe(places.length)
  expect(places.filter(place => !/^(fr|(reg|dep|arr|com|comd|coma|arm)-[0-9AB]{2,5})$/.test(place.Key))).toEqual([])
})

test('keys are unique without regard to case', () => {
  expect(new Set(places.map(place => place.Key.toLowerCase())).size).toBe(places.length)
})

test('every place but the country has a parent that exists, and going up ends at the country', () => {
  for (const place of places) {
    const path = [place.Key]
    for (let at = place; at.ParentKey !== undefined; ) {
      const parent = byKey.get(at.ParentKey)
      if (!parent) throw new Error(`${at.Key} has the unknown parent ${at.ParentKey}`)
      if (path.includes(parent.Key)) throw new Error(`Cycle: ${[...path, parent.Key].join(' → ')}`)
      path.push(parent.Key)
      at = parent
    }
    expect(path.at(-1)).toBe('fr')
  }
})

test('values are of fields that the structure type has', () => {
  const fields = new Map(structureTypes.map(type => [type.Key, type.CustomFields.map(field => field.Key)]))
  const strangers = places.filter(place =>
    place.CustomFieldValues.some(value => !fields.get(place.StructureTypeKey)?.includes(value.Key)),
  )
  expect(strangers).toEqual([])
})

test('population, postcodes and SIREN become custom fields', () => {
  expect(byKey.get('com-01004')).toEqual({
    Key: 'com-01004',
    DisplayName: 'Ambérieu-en-Bugey',
    ParentKey: 'arr-011',
    StructureTypeKey: 'commune',
    CustomFieldValues: [
      { Key: 'population', Value: { Integer: { Value: expect.any(Number) } } },
      { Key: 'postcodes', Value: { String: { Value: '01500' } } },
      { Key: 'siren', Value: { String: { Value: '210100046' } } },
    ],
  })
  expect(byKey.get('com-75056')?.CustomFieldValues[1]?.Value).toEqual({
    String: { Value: expect.stringMatching(/^75001, 75002, (\d{5}, ){18}75020$/) },
  })
})

test('a commune without inhabitants has population 0, one without a census has no population', () => {
  const populations = places.map(place => place.CustomFieldValues.find(value => value.Key === 'population')?.Value)
  expect(populations.filter(value => value && 'Integer' in value && value.Integer.Value === 0)).toHaveLength(6)
  expect(byKey.get('com-98901')?.CustomFieldValues.map(value => value.Key)).not.toContain('population')
})

test.each([
  ['a commune of an arrondissement', 'com-75056', 'arr-751'],
  ['a commune of Mayotte, which has no arrondissements', 'com-97601', 'dep-976'],
  ['a commune of an overseas collectivity', 'com-97501', 'dep-975'],
  ['a delegated commune that shares its code with its commune', 'comd-01015', 'com-01015'],
  ['an associated commune whose code is of another department', 'coma-02285', 'com-59545'],
  ['an arrondissement of Marseille', 'arm-13201', 'com-13055'],
])('%s has its right parent', (_, key, parent) => {
  expect(byKey.get(key)?.ParentKey).toBe(parent)
})

test('shuffling depends on the seed alone and loses nothing', () => {
  const keys = places.map(place => place.Key)
  const once = shuffled(keys, 1789)
  expect(shuffled(keys, 1789)).toEqual(once)
  expect(shuffled(keys, 1790)).not.toEqual(once)
  expect(once).not.toEqual(keys)
  expect([...once].sort()).toEqual([...keys].sort())
  expect(shuffled([1, 2, 3, 4, 5], 1789)).toEqual([3, 1, 2, 4, 5])
})

test('after shuffling, about half of all places stand before their parent', () => {
  const at = new Map(shuffled(places, 1789).map((place, index) => [place.Key, index]))
  const before = places.filter(
    ({ Key, ParentKey }) => ParentKey !== undefined && Number(at.get(Key)) < Number(at.get(ParentKey)),
  )
  expect(before.length / places.length).toBeCloseTo(0.5, 1)
})
