// Computes the values of the survivor when subjects are merged, and when a merge is undone.
import { isDeepStrictEqual } from 'node:util'
import { dataTypesByTypeKey, type SubjectField } from '../frame/fields/custom-field.js'
import { heldIn, isList, listOf, type StoredValue, type StoredValues } from '../frame/fields/custom-fields.js'
import { hashesOf } from '../frame/fields/matching.js'

type Held = StoredValue | StoredValue[]

/** How a merge changed a field of the survivor. */
export interface FieldMerge {
  /** Absent if the field had no value. */
  before?: Held
  after: Held
}

/**
 * Returns the values of the survivor after a merge: its own values, with those of the merged subject filling the gaps. An array field
 * gets the values of both, the survivor's first.
 * @param preferred keys of fields in which a value of the merged subject replaces the survivor's.
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

/** Joins two lists of values. Values that a filter would treat as equal are kept only once. */
function union(key: string, mine: StoredValue[], others: StoredValue[]): StoredValue[] {
  const hashOf = (value: StoredValue) => hashesOf({ [key]: value })[0]
  const held = new Set(mine.map(hashOf))
  return [...mine, ...others.filter(value => !held.has(hashOf(value)))]
}

/** Lists the fields that a merge changes, by key. */
export const fieldMerges = (before: StoredValues, after: StoredValues): [string, FieldMerge][] =>
  Object.entries(after).flatMap(([key, value]): [string, FieldMerge][] => {
    const had = heldIn(before, key)
    return isDeepStrictEqual(had, value) ? [] : [[key, had ? { before: had, after: value } : { after: value }]]
  })

/** Returns the values of the survivor after the merge is undone. Fields that were changed since the merge stay as they are. */
export function separatedValues(
  fields: readonly SubjectField[],
  now: StoredValues,
  merges: readonly [string, FieldMerge][],
): StoredValues {
  const after: StoredValues = Object.assign(Object.create(null), now)
  for (const [key, merge] of merges) {
    if (!isDeepStrictEqual(heldIn(now, key), merge.after)) continue
    if (merge.before && fitsField(fields, key, merge.before)) after[key] = merge.before
    else delete after[key]
  }
  return after
}

/** Selects the values that still fit the tenant's fields, because the manifest may have changed since they were written. */
export const valuesOfFields = (fields: readonly SubjectField[], values: StoredValues): StoredValues =>
  Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(values).filter(([key, held]) => fitsField(fields, key, held))),
  )

function fitsField(fields: readonly SubjectField[], key: string, held: Held): boolean {
  const field = fields.find(each => each.key === key)
  if (!field || field.isArray !== isList(held)) return false
  const types: readonly string[] = dataTypesByTypeKey[field.typeKey]
  return listOf(held).every(([type]) => types.includes(type))
}
