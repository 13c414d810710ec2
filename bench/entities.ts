// Generates the entities of the benchmarks.
import { shuffled } from '../dev/shuffle.js'

export const benchType = {
  Key: 'place',
  Name: 'Place',
  SubjectAssignable: true,
  CustomFields: [{ Key: 'beds', Name: 'Beds', TypeKey: 'Number', Required: false }],
}

/**
 * Generates a hierarchy of five levels, shuffled with a fixed seed. Every parent has 18 children (18 + 18² + 18³ + 18⁴
 * > 100,000).
 */
export function hierarchy(count: number) {
  const parentOf = (n: number) => Math.floor((n - 1) / 18)
  const items = Array.from({ length: count }, (_, n) => ({
    Key: `place-${n}`,
    DisplayName: `Place number ${n}`,
    ...(n === 0 ? {} : { ParentKey: `place-${parentOf(n)}` }),
    StructureTypeKey: 'place',
    CustomFieldValues: [{ Key: 'beds', Value: { Integer: { Value: n % 500 } } }],
  }))
  return shuffled(items, 20261121)
}

/** Returns the rows of the same entities, parents first, as a hand-written import would insert them. */
export function rowsOf(items: ReturnType<typeof hierarchy>): (string | number | null)[][] {
  const numberOf = (key: string) => Number(key.slice('place-'.length))
  const depths: number[] = []
  return [...items]
    .sort((a, b) => numberOf(a.Key) - numberOf(b.Key))
    .map(({ Key, DisplayName, ParentKey, StructureTypeKey }) => {
      const n = numberOf(Key)
      const depth = ParentKey === undefined ? 1 : (depths[numberOf(ParentKey)] ?? 0) + 1
      depths[n] = depth
      return [1, Key, DisplayName, ParentKey ?? null, depth, StructureTypeKey, `{"beds":["Integer","${n % 500}"]}`]
    })
}
