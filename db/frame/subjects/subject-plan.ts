// Checks a batch of subjects and finds existing ones by their matching values.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import { conflict, type Fault, forbidden, invalid } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { groupedBy, rowsOf, upsertRows } from '../../rows.js'
import { faultsOfPlaces, placesOf } from '../hierarchy/locations.js'
import type { Allows } from '../users/upsert-permission.js'
import type { GivenValue, SubjectField } from './custom-field.js'
import { type ChangedValues, readGiven, requireValues, type StoredValues, withChanges } from './custom-fields.js'
import { type SubjectSettings, subjectSettings } from './subject-settings.js'
import { matchingHashes, toBytes, type ValueHash } from './subject-values.js'

/** A subject as an upsert gives it: its matching values name it, other values and places are optional where it exists. */
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
  after: StoredValues
  /** It is deactivated: the upsert reactivates it. */
  isDeactivated: boolean
  /** All places it is to have; undefined: they stay. */
  entityKeys: string[] | undefined
}

interface Item {
  given: SubjectInput
  changes: ChangedValues
  matching: { together: ValueHash; each: ValueHash[] } | undefined
  faults: ItemFault[]
}

/**
 * Finds the subjects that a batch names, and every fault in it. It writes nothing. Inside a transaction it locks
 * settings, matching values, subjects and places until the end.
 * @throws Problem 409 when the upsert is not configured, or matching values belong to several subjects. 403 when a
 *   permission is missing for any item. 400 with every other fault.
 */
export async function planSubjects(
  db: Db,
  tenant: TenantId,
  inputs: readonly SubjectInput[],
  allows: Allows,
): Promise<{ fields: SubjectField[]; planned: PlannedSubject[] }> {
  const settings = await upsertSettings(db, tenant)
  const judged = await judgeSubjects(db, tenant, settings, inputs, allows, doublesInBatch)
  const all = (kind: 'missing' | 'faults' | 'ambiguous') =>
    judged.flatMap((item, index) =>
      item[kind].map((fault): Fault => ({ ...fault, pointer: `/${index}${fault.pointer}`, index })),
    )
  const [missing, faults, ambiguous] = [all('missing'), all('faults'), all('ambiguous')]
  if (missing.length > 0) throw forbidden(`${missing[0]?.detail} The client lacks it.`, missing)
  if (faults.length > 0) throw invalid(faults)
  if (ambiguous.length > 0) throw conflict('ambiguous-match', ambiguous[0]?.detail ?? '', ambiguous)
  return { fields: settings.fields, planned: judged.map(({ planned }) => planned) }
}

/** The settings for an upsert; inside a transaction they stay so until it ends. @throws Problem 409 when it is not configured. */
export async function upsertSettings(db: Db, tenant: TenantId): Promise<SubjectSettings> {
  const settings = await subjectSettings(db, tenant, db.isTransaction ? 'share' : undefined)
  if (!settings.upsert) throw conflict('subject-upsert-not-configured', 'The upsert of subjects is not configured.')
  return settings
}

type ItemFault = Omit<Fault, 'index'>

/** The plan of one item of an upsert, and its faults: pointers are relative to the item. */
export interface JudgedSubject {
  /** To be written only where nothing is wrong. */
  planned: PlannedSubject
  /** Its matching values say which subject is meant. */
  isIdentified: boolean
  /** Permissions that are missing. */
  missing: ItemFault[]
  faults: ItemFault[]
  ambiguous: ItemFault[]
}

/** Which items mean a subject that was given before: the sentence for each, undefined for the others. */
export type Doubles = (hashes: readonly (ValueHash | undefined)[]) => Promise<(string | undefined)[]>

/** Judges each item of an upsert by itself, with the reads and the locks of {@link planSubjects}. */
export async function judgeSubjects(
  db: Db,
  tenant: TenantId,
  settings: SubjectSettings,
  inputs: readonly SubjectInput[],
  allows: Allows,
  doubles: Doubles,
): Promise<JudgedSubject[]> {
  const items = inputs.map(given => readItem(given, settings))
  const doubled = await doubles(items.map(({ matching }) => matching?.together))
  for (const [n, { faults }] of items.entries()) {
    const detail = doubled[n]
    if (detail !== undefined) faults.push({ pointer: '/CustomFieldValues', code: 'duplicate-subject', detail })
  }
  const hashes = items.flatMap(({ matching }) => matching?.together ?? [])
  if (db.isTransaction) await lockMatching(db, tenant, hashes)
  const found = await subjectsWith(
    db,
    tenant,
    items.map(({ matching }) => matching?.each ?? []),
  )
  const existing = await subjectsById(db, tenant, found.flat())
  const places = await placesOf(
    db,
    tenant,
    inputs.flatMap(each => each.StructuralEntityKeys ?? []),
  )

  return items.map((item, n): JudgedSubject => {
    const { given, changes, faults } = item
    const ids = found[n] ?? []
    const [id] = ids
    const subject = id === undefined ? undefined : existing.get(id)
    const before = subject?.values ?? {}
    const after = withChanges(before, changes)
    // Without matching values nobody knows whether it exists.
    const isNew = item.matching && !subject
    const mustHave = isNew ? settings.fields : settings.fields.filter(({ key }) => changes.has(key))
    requireValues(mustHave, after, given.CustomFieldValues, faults)
    faults.push(...faultsOfPlaces(given.StructuralEntityKeys ?? [], places, '/StructuralEntityKeys'))
    return {
      planned: {
        id: subject?.id ?? newId(),
        externalId: subject?.externalId ?? newId(),
        outcome: subject ? 'updated' : 'created',
        before,
        after,
        isDeactivated: subject?.deactivatedAt !== undefined,
        entityKeys: given.StructuralEntityKeys,
      },
      isIdentified: item.matching !== undefined,
      missing: missingFor(item, ids.length > 0, allows),
      faults,
      ambiguous:
        ids.length > 1 ? [{ pointer: '/CustomFieldValues', code: 'ambiguous-match', detail: severalHave(ids) }] : [],
    }
  })
}

const severalHave = (ids: readonly string[]): string =>
  `Several subjects have these values in the matching fields: ${ids.join(', ')}${ids.length < mostFound ? '' : ' …'}. ` +
  'PATCH all but one of them to other values.'

function readItem(given: SubjectInput, { fields, matchingFields }: SubjectSettings): Item {
  const faults: Item['faults'] = []
  const changes = readGiven(fields, given.CustomFieldValues, faults)
  const matching = matchingHashes(matchingFields, withChanges({}, changes))
  for (const key of matchingFields) {
    // The faults of an input value are reported already.
    if (given.CustomFieldValues.some(each => each.Key === key)) continue
    const detail = `The matching field '${key}' is required: it says which subject is meant.`
    faults.push({ pointer: '/CustomFieldValues', code: 'required-matching-field', detail })
  }
  return { given, changes, matching, faults }
}

const doublesInBatch: Doubles = async hashes => {
  const first = new Map<ValueHash, number>()
  return hashes.map((hash, index) => {
    if (hash === undefined) return undefined
    const before = first.get(hash)
    if (before === undefined) first.set(hash, index)
    return before === undefined ? undefined : `The same subject is given twice in the batch, first at ${before}.`
  })
}

/** Takes the locks of matching values, whether a subject has them or not, in an order that all keep. */
export async function lockMatching(trx: Db, tenant: TenantId, hashes: readonly ValueHash[]): Promise<void> {
  const rows = [...new Set(hashes)].sort().map(each => [tenant, toBytes(each)])
  await upsertRows(trx, 'subject_matching_keys', ['tenant_id', 'matching_hash'], rows, [])
}

/** Most subjects that a 409 names. */
const mostFound = 10

/** Sets of one value from which on one read of all values is quicker than one of each (1,000 sets: 6 ms, 50 ms). */
const manySets = 20

/** Ids of the subjects that have all of some values, for each set of values: at most ten, sorted. */
export async function subjectsWith(
  db: Db,
  tenant: TenantId,
  sets: readonly (readonly ValueHash[])[],
): Promise<string[][]> {
  const isMany = sets.length >= manySets && sets.every(({ length }) => length <= 1)
  return (isMany ? await subjectsWithOne(db, tenant, sets) : undefined) ?? subjectsWithAll(db, tenant, sets)
}

/** For sets of one value at most. Undefined where so many subjects share values that the read was cut. */
async function subjectsWithOne(
  db: Db,
  tenant: TenantId,
  sets: readonly (readonly ValueHash[])[],
): Promise<string[][] | undefined> {
  const hashes = sets.flat()
  if (hashes.length === 0) return undefined
  const most = hashes.length + 1_000
  // Hashes are hexadecimal digits. Thousands of placeholders would take longer than the read.
  const wanted = hashes.map(each => `X'${each}'`).join()
  const rows = await rowsOf<{ hash: string; id: string }>(
    db,
    `SELECT LOWER(HEX(value_hash)) AS hash, subject_id AS id FROM subject_values WHERE tenant_id = ? AND value_hash IN (${wanted}) LIMIT ${most}`,
    [tenant],
  )
  if (rows.length === most) return undefined
  const byHash = groupedBy(rows, row => row.hash)
  return sets.map(([hash = '']) => {
    const ids = (byHash.get(hash) ?? []).map(({ id }) => id)
    return ids.sort().slice(0, mostFound)
  })
}

/** One query for all sets, as text: to build it of parts would take longer than the server takes to answer it. */
async function subjectsWithAll(db: Db, tenant: TenantId, sets: readonly (readonly ValueHash[])[]): Promise<string[][]> {
  const bindings: Knex.Value[] = []
  const queries = sets.flatMap(([first, ...others], n) => {
    if (first === undefined) return []
    const joins = others.map((_, m) => {
      const other = `v${m}`
      return `JOIN subject_values ${other} ON ${other}.tenant_id = v.tenant_id AND ${other}.subject_id = v.subject_id AND ${other}.value_hash = ?`
    })
    bindings.push(...others.map(toBytes), tenant, toBytes(first))
    const from = ['subject_values v', ...joins].join(' ')
    return [
      `(SELECT ${n} AS place, v.subject_id AS id FROM ${from} WHERE v.tenant_id = ? AND v.value_hash = ? LIMIT ${mostFound})`,
    ]
  })
  if (queries.length === 0) return sets.map(() => [])
  const [rows = []]: { place: number; id: string }[][] = await db.raw(queries.join(' UNION ALL '), bindings)
  const byPlace = groupedBy(rows, row => Number(row.place))
  return sets.map((_, n) => (byPlace.get(n) ?? []).map(row => row.id).sort())
}

export interface Subject {
  id: string
  externalId: string
  values: StoredValues
  /** Undefined: it is active. */
  deactivatedAt: Date | undefined
}

/** Subjects by id; inside a transaction they are locked for writing. */
export async function subjectsById(db: Db, tenant: TenantId, ids: readonly string[]): Promise<Map<string, Subject>> {
  if (ids.length === 0) return new Map()
  const query = db('subjects')
    .where({ tenant_id: tenant })
    .whereIn('id', [...new Set(ids)].sort())
    .select('id', 'external_id', 'custom_values', 'deactivated_at')
  const rows: SubjectRow[] = await (db.isTransaction ? query.forUpdate() : query)
  return new Map(rows.map(row => [row.id, subjectOf(row)]))
}

export interface SubjectRow {
  id: string
  external_id: string
  custom_values: string
  deactivated_at: Date | null
}

export const subjectOf = (row: SubjectRow): Subject => ({
  id: row.id,
  externalId: row.external_id,
  values: JSON.parse(row.custom_values),
  deactivatedAt: row.deactivated_at ?? undefined,
})

/** Create for who is new, Edit for who exists, and both permissions on locations for who exists and is given places. */
function missingFor({ given, matching }: Item, exists: boolean, allows: Allows): ItemFault[] {
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
