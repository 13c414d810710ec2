// The values of two subjects that become one, and of the one that is two again.
import { isDeepStrictEqual } from 'node:util'
import { dataTypesByTypeKey, type SubjectField } from '../subjects/custom-field.js'
import { heldIn, isList, listOf, type StoredValue, type StoredValues } from '../subjects/custom-fields.js'
import { hashesOf } from '../subjects/subject-values.js'

type Held = StoredValue | StoredValue[]

/** The change of a field of the subject that stays. */
export interface FieldMerge {
  /** Absent: it had no value. */
  before?: Held
  after: Held
}

/**
 * Values of the subject that stays after a merge. Its own ones stay, and those of the merged subject fill the gaps. A field of several
 * values has those of both, its own ones first.
 * @param preferred keys of fields that take the values of the merged subject, where it has any.
 */
export function mergedValues(own: StoredValues, merged: StoredValues, preferred: ReadonlySet<string>): StoredValues {
  const after: StoredValues = Object.assign(Object.create(null), own)
  for (const [key, other] of Object.entries(merged)) {
    const mine = heldIn(own, key)
    if (!mine || preferred.has(key)) after[key] = other
    else if (isList(mine)) after[key] = union(key, mine, listOf(other))
  }
  return after
}

/** Values that filters take for equal are one. */
function union(key: string, mine: StoredValue[], others: StoredValue[]): StoredValue[] {
  const hashOf = (value: StoredValue) => hashesOf({ [key]: value })[0]
  const held = new Set(mine.map(hashOf))
  return [...mine, ...others.filter(value => !held.has(hashOf(value)))]
}

/** The changed fields of a merge, by their keys. */
export const fieldMerges = (before: StoredValues, after: StoredValues): [string, FieldMerge][] =>
  Object.entries(after).flatMap(([key, value]): [string, FieldMerge][] => {
    const had = heldIn(before, key)
    return isDeepStrictEqual(had, value) ? [] : [[key, had ? { before: had, after: value } : { after: value }]]
  })

/** Values of the subject that stayed once the merge is undone. A field that was written since stays as it is. */
export function separatedValues(
  fields: readonly SubjectField[],
  now: StoredValues,
  merges: readonly [string, FieldMerge][],
): StoredValues {
  const after: StoredValues = Object.assign(Object.create(null), now)
  for (const [key, merge] of merges) {
    if (!isDeepStrictEqual(heldIn(now, key), merge.after)) continue
    if (merge.before && isTaken(fields, key, merge.before)) after[key] = merge.before
    else delete after[key]
  }
  return after
}

/** Those of some values that the fields still take: the manifest may have changed since they were written. */
export const valuesOfFields = (fields: readonly SubjectField[], values: StoredValues): StoredValues =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(values).filter(([key, held]) => isTaken(fields, key, held))),
  )

function isTaken(fields: readonly SubjectField[], key: string, held: Held): boolean {
  const field = fields.find(each => each.key === key)
  if (!field || field.isArray !== isList(held)) return false
  const types: readonly string[] = dataTypesByTypeKey[field.typeKey]
  return listOf(held).every(([type]) => types.includes(type))
}
