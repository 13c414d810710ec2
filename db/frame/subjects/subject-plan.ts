// Plans an upsert of subjects: finds existing subjects by their matching values, and checks every item.
import { newId } from '../../../runtime/ids.js'
import { conflict, type Fault, forbidden, invalid } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { type Cell, groupedBy, Hex, rowsOf, upsertRows } from '../../rows.js'
import type { FieldOrder, GivenValue, SubjectField } from '../fields/custom-field.js'
import {
  type ChangedValue,
  type ChangedValues,
  readGiven,
  requireSize,
  requireValues,
  type StoredValues,
  withChanges,
} from '../fields/custom-fields.js'
import { matchingHashes, toBytes, type ValueHash } from '../fields/matching.js'
import { type SubjectSettings, type WriterSettings, writerSettings } from '../fields/subject-settings.js'
import type { Allows } from '../fields/upsert-permission.js'
import { faultsOfPlaces, placesOf } from './locations.js'
import { type Subject, subjectsLedTo } from './subjects-by-id.js'

/** A subject in an upsert. The matching values identify it. Other values and places are optional if it exists already. */
export interface SubjectInput {
  CustomFieldValues: GivenValue[]
  StructuralEntityKeys?: string[] | undefined
}

/** A subject ready to be written. */
export interface PlannedSubject {
  id: string
  externalId: string
  outcome: 'created' | 'updated'
  before: StoredValues
  /** The values that the upsert sets or removes. */
  changes: ChangedValues
  after: StoredValues
  /** True if the subject is deactivated. The upsert then reactivates it. */
  isDeactivated: boolean
  /** All places that the subject is to have. Undefined leaves its places unchanged. */
  entityKeys: string[] | undefined
}

/** An item of an upsert, checked without a look at the stored subjects. */
export interface ReadSubject {
  given: SubjectInput
  changes: ChangedValues
  matching: { together: ValueHash; each: ValueHash[] } | undefined
  faults: readonly ItemFault[]
}

/**
 * Finds the subjects that a batch means, and every fault in the batch. Writes nothing. Inside a transaction, locks settings, matching
 * values, subjects and places until its end.
 * @throws Problem 409 when the upsert is not configured, or matching values belong to several subjects. 403 when a
 *   permission is missing for any item. 400 with every other fault.
 */
export async function planSubjects(
  db: Db,
  tenant: TenantId,
  inputs: readonly SubjectInput[],
  allows: Allows,
): Promise<{ fields: SubjectField[]; orders: readonly FieldOrder[]; planned: PlannedSubject[] }> {
  const { settings, orders } = await upsertSettings(db, tenant)
  const judged = await judgeSubjects(db, tenant, settings, readSubjects(inputs, settings), allows, duplicatesInBatch)
  const all = (kind: 'missing' | 'faults' | 'ambiguous') =>
    judged.flatMap((item, index) =>
      item[kind].map((fault): Fault => ({ ...fault, pointer: `/${index}${fault.pointer}`, index })),
    )
  const [missing, faults, ambiguous] = [all('missing'), all('faults'), all('ambiguous')]
  if (missing.length > 0) throw forbidden(`${missing[0]?.detail} The client lacks it.`, missing)
  if (faults.length > 0) throw invalid(faults)
  if (ambiguous.length > 0) throw conflict('ambiguous-match', ambiguous[0]?.detail ?? '', ambiguous)
  return { fields: settings.fields, orders, planned: inSequence(judged.map(({ planned }) => planned)) }
}

/**
 * Combines plans for the same subject. Two items can mean one subject although their matching values differ, because a merged subject
 * is also found by the values of those that were merged into it. Each plan becomes the sum of all plans for its subject; later items
 * take precedence.
 */
export function inSequence(planned: readonly PlannedSubject[]): PlannedSubject[] {
  const last = new Map<string, PlannedSubject>()
  for (const each of planned) {
    const earlier = last.get(each.id)
    const { changes, entityKeys = earlier?.entityKeys } = each
    last.set(each.id, earlier ? { ...each, entityKeys, after: withChanges(earlier.after, changes) } : each)
  }
  return last.size === planned.length ? [...planned] : planned.map(each => last.get(each.id) ?? each)
}

/** Reads the settings for an upsert. Inside a transaction, locks them. @throws Problem 409 when the upsert is not configured. */
export async function upsertSettings(db: Db, tenant: TenantId): Promise<WriterSettings> {
  const found = await writerSettings(db, tenant)
  if (!found.settings.upsert)
    throw conflict('subject-upsert-not-configured', 'The upsert of subjects is not configured.')
  return found
}

type ItemFault = Omit<Fault, 'index'>

/** The plan of one item of an upsert, with its faults. Their pointers are relative to the item. */
export interface JudgedSubject {
  /** What to write. Only valid if the item has no faults of any sort. */
  planned: PlannedSubject
  /** The matching values, which say which subject is meant. Undefined if they cannot be read. */
  matching: ValueHash | undefined
  /** A fault for each permission that the client lacks. */
  missing: ItemFault[]
  faults: ItemFault[]
  ambiguous: ItemFault[]
}

/** Returns, for each item that means the same subject as an earlier one, a sentence that says so; undefined for the other items. */
export type FindDuplicates = (hashes: readonly (ValueHash | undefined)[]) => Promise<(string | undefined)[]>

/** Plans each item of an upsert and collects its faults, item by item. Reads and locks the same rows as {@link planSubjects}. */
export async function judgeSubjects(
  db: Db,
  tenant: TenantId,
  settings: SubjectSettings,
  items: readonly ReadSubject[],
  allows: Allows,
  findDuplicates: FindDuplicates,
): Promise<JudgedSubject[]> {
  const hashes = items.flatMap(({ matching }) => matching?.together ?? [])
  // Comes first, because a plain read shows the state at the first one of its transaction, and the locks may be waited for.
  if (db.isTransaction) await lockMatching(db, tenant, hashes)
  const duplicates = await findDuplicates(items.map(({ matching }) => matching?.together))
  const found = await subjectsMeant(
    db,
    tenant,
    items.map(({ matching }) => matching?.each ?? []),
  )
  const places = await placesOf(
    db,
    tenant,
    items.flatMap(({ given }) => given.StructuralEntityKeys ?? []),
  )

  return items.map((item, n): JudgedSubject => {
    const { given } = item
    const faults = [...item.faults]
    const detail = duplicates[n]
    if (detail !== undefined) faults.push({ pointer: '/CustomFieldValues', code: 'duplicate-subject', detail })
    const subjects = found[n] ?? []
    const [subject] = subjects
    const before = subject?.values ?? {}
    const changes = subject ? changesOf(item, subject, settings) : item.changes
    const after = withChanges(before, changes)
    // Without matching values the subject cannot be looked up, so it counts neither as new nor as existing.
    const isNew = item.matching && !subject
    const mustHave = isNew ? settings.fields : settings.fields.filter(({ key }) => changes.has(key))
    requireValues(mustHave, after, given.CustomFieldValues, faults)
    requireSize(after, faults)
    faults.push(...faultsOfPlaces(given.StructuralEntityKeys ?? [], places, '/StructuralEntityKeys'))
    return {
      planned: {
        id: subject?.id ?? newId(),
        externalId: subject?.externalId ?? newId(),
        outcome: subject ? 'updated' : 'created',
        before,
        changes,
        after,
        isDeactivated: subject?.deactivatedAt !== undefined,
        entityKeys: given.StructuralEntityKeys,
      },
      matching: item.matching?.together,
      missing: missingFor(item, subjects.length > 0, allows),
      faults,
      ambiguous:
        subjects.length > 1
          ? [{ pointer: '/CustomFieldValues', code: 'ambiguous-match', detail: severalHave(subjects) }]
          : [],
    }
  })
}

/**
 * Returns the changes that an item makes to a subject. If the item names the subject by the matching values of another one that was
 * merged into it, these values are left out, so that they do not replace the survivor's own.
 */
function changesOf({ changes, matching }: ReadSubject, { values }: Subject, { matchingFields }: SubjectSettings) {
  if (matchingHashes(matchingFields, values)?.together === matching?.together) return changes
  return new Map([...changes].filter(([key]) => !matchingFields.includes(key)))
}

const severalHave = (subjects: readonly Subject[]): string =>
  `Several subjects have these values in the matching fields: ${subjects.map(({ id }) => id).join(', ')}${subjects.length < maxFound ? '' : ' …'}. ` +
  'Merge them if they are the same person, or PATCH all but one of them to other values.'

/** Checks the items of an upsert against the settings alone, without reading from the database. */
export const readSubjects = (inputs: readonly SubjectInput[], settings: SubjectSettings): ReadSubject[] =>
  inputs.map(given => readSubject(given, settings))

function readSubject(given: SubjectInput, { fields, matchingFields }: SubjectSettings): ReadSubject {
  const faults: ItemFault[] = []
  const changes = readGiven(fields, given.CustomFieldValues, faults)
  const ofMatching = matchingFields.map((key): [string, ChangedValue] => [key, changes.get(key)])
  const matching = matchingHashes(matchingFields, withChanges({}, new Map(ofMatching)))
  for (const key of matchingFields) {
    // If the field was sent, its value was at fault, which has been reported already.
    if (given.CustomFieldValues.some(each => each.Key === key)) continue
    const detail = `The matching field '${key}' is required: it says which subject is meant.`
    faults.push({ pointer: '/CustomFieldValues', code: 'required-matching-field', detail })
  }
  return { given, changes, matching, faults }
}

const duplicatesInBatch: FindDuplicates = async hashes => {
  const first = new Map<ValueHash, number>()
  return hashes.map((hash, index) => {
    if (hash === undefined) return undefined
    const before = first.get(hash)
    if (before === undefined) first.set(hash, index)
    return before === undefined ? undefined : `The same subject is given twice in the batch, first at ${before}.`
  })
}

/**
 * Locks sets of matching values, whether or not a subject has them, so that no two transactions create subjects with the same values.
 * All callers lock in the same order, so that they do not deadlock.
 */
export async function lockMatching(trx: Db, tenant: TenantId, hashes: readonly ValueHash[]): Promise<void> {
  const rows = [...new Set(hashes)].sort().map(each => [tenant, new Hex(each)])
  await upsertRows(trx, 'subject_matching_keys', ['tenant_id', 'matching_hash'], rows, [])
}

/** The most subjects that an ambiguous match lists. */
const maxFound = 10

/** From this many sets on, if each has one value, one read of all values beats one read per set (1,000 sets: 6 ms against 50 ms). */
const manySets = 20

/**
 * Finds the subjects that each set of matching values means: those that have the values, or else the survivors of merged subjects that
 * had them. Inside a transaction, which must have locked the values, locks the subjects for writing.
 */
export async function subjectsMeant(
  db: Db,
  tenant: TenantId,
  sets: readonly (readonly ValueHash[])[],
): Promise<Subject[][]> {
  const { found: having, hasMerged } = await subjectsWith(db, tenant, sets)
  const others = sets.map((set, n) => (having[n]?.length === 0 ? set : []))
  const isLookedFor = hasMerged && others.some(({ length }) => length > 0)
  const merged = isLookedFor ? await subjectsWith(db, tenant, others, 'merged_subject_values') : undefined
  const named = having.map((ids, n) => [...ids, ...(merged?.found[n] ?? [])])
  // Reads the subjects again, now with locks. The plain reads above may show the state before the locks of the values were granted,
  // and a subject may have been merged or separated since.
  const subjects = await subjectsLedTo(db, tenant, named.flat())
  return named.map(ids => {
    const meant = ids.flatMap(id => subjects.get(id) ?? [])
    return [...new Map(meant.map(each => [each.id, each])).values()]
  })
}

/** The two indexes of values: of existing subjects, and of subjects that were merged into others. */
type ValueIndex = 'subject_values' | 'merged_subject_values'

/** The subjects that one query has found by their values. */
interface Having {
  /** For each set, the sorted ids of the subjects that have all of its values, at most ten. */
  found: string[][]
  /** True if the tenant has any merged subject. */
  hasMerged: boolean
}

/** Finds, for each set of values, the subjects that have all of them. */
async function subjectsWith(
  db: Db,
  tenant: TenantId,
  sets: readonly (readonly ValueHash[])[],
  index: ValueIndex = 'subject_values',
): Promise<Having> {
  const isMany = sets.length >= manySets && sets.every(({ length }) => length <= 1)
  return (
    (isMany ? await subjectsWithOne(db, tenant, sets, index) : undefined) ?? subjectsWithAll(db, tenant, sets, index)
  )
}

/** A row for a tenant that has merged subjects, beside the rows found. Most tenants have none, which saves a second read. */
const anyMerged = "(SELECT 'merged' AS place, subject_id AS id FROM merged_subjects WHERE tenant_id = ? LIMIT 1)"
const isFound = ({ place }: { place: string }): boolean => place !== 'merged'

/** Finds subjects for sets of at most one value, in one read. Returns undefined if so many subjects match that the read was cut off. */
async function subjectsWithOne(
  db: Db,
  tenant: TenantId,
  sets: readonly (readonly ValueHash[])[],
  index: ValueIndex,
): Promise<Having | undefined> {
  const hashes = sets.flat()
  if (hashes.length === 0) return undefined
  const max = hashes.length + 1_000
  // The hashes go into the text, which is safe because they are hexadecimal digits. Thousands of placeholders would cost more than
  // the read itself.
  const wanted = hashes.map(each => `X'${each}'`).join()
  const rows = await rowsOf<{ place: string; id: string }>(
    db,
    `(SELECT LOWER(HEX(value_hash)) AS place, subject_id AS id FROM ${index} WHERE tenant_id = ? AND value_hash IN (${wanted}) LIMIT ${max}) UNION ALL ${anyMerged}`,
    [tenant, tenant],
  )
  const found = rows.filter(isFound)
  if (found.length === max) return undefined
  const byHash = groupedBy(found, ({ place }) => place)
  const idsOf = ([hash = '']: readonly ValueHash[]) =>
    (byHash.get(hash) ?? [])
      .map(({ id }) => id)
      .sort()
      .slice(0, maxFound)
  return { found: sets.map(idsOf), hasMerged: found.length < rows.length }
}

/** Finds subjects for sets of any size, in one query. The SQL is written as text, because the query builder takes longer than the server. */
async function subjectsWithAll(
  db: Db,
  tenant: TenantId,
  sets: readonly (readonly ValueHash[])[],
  index: ValueIndex,
): Promise<Having> {
  const bindings: Cell[] = []
  const queries = sets.flatMap(([first, ...others], n) => {
    if (first === undefined) return []
    const joins = others.map((_, m) => {
      const other = `v${m}`
      return `JOIN ${index} ${other} ON ${other}.tenant_id = v.tenant_id AND ${other}.subject_id = v.subject_id AND ${other}.value_hash = ?`
    })
    bindings.push(...others.map(toBytes), tenant, toBytes(first))
    const from = [`${index} v`, ...joins].join(' ')
    return [
      `(SELECT '${n}' AS place, v.subject_id AS id FROM ${from} WHERE v.tenant_id = ? AND v.value_hash = ? LIMIT ${maxFound})`,
    ]
  })
  if (queries.length === 0) return { found: sets.map(() => []), hasMerged: false }
  const rows = await rowsOf<{ place: string; id: string }>(db, [...queries, anyMerged].join(' UNION ALL '), [
    ...bindings,
    tenant,
  ])
  const byPlace = groupedBy(rows, ({ place }) => place)
  const found = sets.map((_, n) => (byPlace.get(String(n)) ?? []).map(({ id }) => id).sort())
  return { found, hasMerged: byPlace.has('merged') }
}

/**
 * Returns a fault for each permission that the client lacks. A new subject needs Create, an existing one Edit, and an existing one
 * with places in the input also needs both permissions on locations.
 */
function missingFor({ given, matching }: ReadSubject, exists: boolean, allows: Allows): ItemFault[] {
  if (!matching) return []
  const moves = given.StructuralEntityKeys ? ['Create:SubjectLocation', 'Delete:SubjectLocation'] : []
  const needed = exists ? ['Edit:Subject', ...moves] : ['Create:Subject']
  return needed
    .filter(permission => !allows(permission))
    .map(permission => ({
      pointer: '',
      code: 'missing-permission',
      detail: `${permission} is needed for this subject.`,
    }))
}
