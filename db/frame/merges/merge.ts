// Merges one subject into another (decision record 0046).
import type { Knex } from 'knex'
import { badRequest, type Fault, fault, invalid } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import type { PublishedForms } from '../../forms/templates/published-forms.js'
import { deleteRows, insertRows } from '../../rows.js'
import { keepOrders, leaveOrders } from '../orders/field-orders.js'
import { wordsOf } from '../search/search-words.js'
import { indexWords } from '../search/subject-words.js'
import type { StoredValues } from '../subjects/custom-fields.js'
import { reactivateAll, removeDeactivated } from '../subjects/deactivation.js'
import { noteChanges, type SubjectChange } from '../subjects/subject-changes.js'
import { lockMatching } from '../subjects/subject-plan.js'
import { type SubjectSettings, subjectSettings } from '../subjects/subject-settings.js'
import { indexValues, matchingHashes, toBytes, type ValueHash, valueRows } from '../subjects/subject-values.js'
import { keepMatchingUnique, type SubjectOfFields } from '../subjects/subjects.js'
import { absentSubject, erasureOf, mergedInto, type Subject, subjectsLedTo } from '../subjects/subjects-by-id.js'
import { type MergedPlace, mergePlaces, mergeRows } from './merged-rows.js'
import { type FieldMerge, fieldMerges, mergedValues } from './merged-values.js'

/** Which subjects become one. */
export interface SubjectMerge {
  /** The subject that stays. */
  id: string
  /** The subject that is merged into it. */
  mergedId: string
  /** Keys of fields that take the values of the merged subject. */
  preferredFields: readonly string[]
}

/** The changes of a merge, as its undoing needs them: the column `changed`. */
export interface MergeUndo {
  values: [string, FieldMerge][]
  places: MergedPlace[]
  /** Since when the subject that stays was deactivated, ISO 8601; absent where it was active, or stays deactivated. */
  deactivatedAt?: string
  /** Both had the same matching values before. */
  isSameMatch?: true
}

interface Stores {
  db: Knex
  forms: PublishedForms
}

/**
 * Merges a subject into another one, in one transaction. A repetition changes nothing.
 * @returns the subject that stays.
 * @throws Problem 404, and 410 where either was erased; 400 where the other one is unknown or the same, or a preferred field is unknown
 *   or a matching field; 409 where a third subject has the matching values that come of it.
 */
export async function mergeSubjects(
  { db, forms }: Stores,
  tenant: TenantId,
  { id, mergedId, preferredFields }: SubjectMerge,
  actor: string,
): Promise<SubjectOfFields> {
  if (id === mergedId) throw sameSubject(id)
  const seen = await subjectsLedTo(db, tenant, [id, mergedId])
  return transaction(db, tenant, async trx => {
    const settings = await subjectSettings(trx, tenant, 'share')
    refuseFields(settings, preferredFields)
    // In the order of upserts: an upsert that waits for these values finds the subject that stays.
    await lockMatching(trx, tenant, matchingOf(settings, ...seen.values()))
    const subjects = await subjectsLedTo(trx, tenant, [id, mergedId])
    const into = subjects.get(id)
    if (!into) throw await absentSubject(trx, tenant, id)
    const merged = subjects.get(mergedId)
    if (!merged) throw (await erasureOf(trx, tenant, mergedId)) ?? unknownSubject(mergedId)
    if (into.id === merged.id) {
      if (mergedId === merged.id) throw sameSubject(merged.id)
      return { fields: settings.fields, subject: into }
    }
    for (const each of [into, merged]) {
      const erasure = await erasureOf(trx, tenant, each.id)
      if (erasure) throw erasure
    }
    return {
      fields: settings.fields,
      subject: await merge(trx, tenant, { settings, forms, into, merged, preferredFields, actor }),
    }
  })
}

interface Pair {
  settings: SubjectSettings
  forms: PublishedForms
  into: Subject
  merged: Subject
  preferredFields: readonly string[]
  actor: string
}

/** Merges two subjects, which the transaction has locked. */
async function merge(
  trx: Knex.Transaction,
  tenant: TenantId,
  { settings, forms, into, merged, preferredFields, actor }: Pair,
): Promise<Subject> {
  const { matchingFields } = settings
  const ids = { intoId: into.id, mergedId: merged.id }
  const [before, after] = [into.values, mergedValues(into.values, merged.values, new Set(preferredFields))]
  const values = fieldMerges(before, after)
  const isReactivated = into.deactivatedAt !== undefined && !merged.deactivatedAt
  const places = await mergePlaces(trx, tenant, ids)
  await writeLink(
    trx,
    tenant,
    { into, merged, actor },
    {
      values,
      places,
      ...(isReactivated ? { deactivatedAt: into.deactivatedAt?.toISOString() ?? '' } : {}),
      ...(isSameMatch(matchingFields, into, merged) ? { isSameMatch: true } : {}),
    },
  )
  // The matching values of the merged subject lead to the one that stays by now.
  if (settings.upsert) await keepMatchingUnique(trx, tenant, into.id, matchingFields, { before, after })
  if (values.length > 0) await writeMerged(trx, tenant, into.id, after)
  if (isReactivated) await reactivateAll(trx, tenant, [into.id])
  const changes: SubjectChange[] = [{ id: merged.id, kind: 'merged', intoId: into.id }]
  if (values.length > 0) changes.push({ id: into.id, kind: 'updated' })
  if (places.some(({ isMoved }) => isMoved)) changes.push({ id: into.id, kind: 'moved' })
  await noteChanges(trx, tenant, changes)
  await indexValues(trx, valueRows(tenant, [{ id: into.id, before, after }]))
  await mergeRows(trx, tenant, forms, ids)
  await indexWords(trx, tenant, [
    { id: into.id, before: wordsOf(before), after: wordsOf(after) },
    { id: merged.id, before: wordsOf(merged.values), after: [] },
  ])
  return { ...into, values: after, deactivatedAt: isReactivated ? undefined : into.deactivatedAt }
}

/** Hashes of all matching values that subjects have. */
export const matchingOf = ({ matchingFields }: SubjectSettings, ...subjects: Pick<Subject, 'values'>[]): ValueHash[] =>
  matchingFields.length === 0
    ? []
    : subjects.flatMap(({ values }) => matchingHashes(matchingFields, values)?.together ?? [])

const isSameMatch = (matchingFields: readonly string[], a: Subject, b: Subject): boolean => {
  const hash = matchingHashes(matchingFields, a.values)?.together
  return hash !== undefined && hash === matchingHashes(matchingFields, b.values)?.together
}

/** Writes the values of a subject after a merge or its undoing. */
export async function writeMerged(
  trx: Knex.Transaction,
  tenant: TenantId,
  id: string,
  values: StoredValues,
): Promise<void> {
  const changed = { custom_values: JSON.stringify(values), updated_at: new Date() }
  await trx('subjects').where({ tenant_id: tenant, id }).update(changed)
  await keepOrders(trx, tenant, 'subject', () => [{ id, values }])
}

const table = 'merged_subjects'
const valueColumns = ['tenant_id', 'value_hash', 'subject_id']

/** Puts a link to the other subject in the place of the merged one. */
async function writeLink(
  trx: Knex.Transaction,
  tenant: TenantId,
  { into, merged, actor }: Pick<Pair, 'into' | 'merged' | 'actor'>,
  undo: MergeUndo,
): Promise<void> {
  const { id, externalId, values, deactivatedAt } = merged
  const links = () => trx(table).where({ tenant_id: tenant })
  const { created_at } = await trx('subjects').where({ tenant_id: tenant, id }).forUpdate().first('created_at')
  const last = await links().where({ survivor_id: into.id, into_id: into.id }).max({ ordinal: 'ordinal' }).first()
  await trx(table).insert({
    tenant_id: tenant,
    subject_id: id,
    external_id: externalId,
    into_id: into.id,
    survivor_id: into.id,
    ordinal: Number(last?.ordinal ?? 0) + 1,
    custom_values: JSON.stringify(values),
    created_at,
    deactivated_at: deactivatedAt ?? null,
    merged_by: actor,
    merged_at: new Date(),
    changed: JSON.stringify(undo),
  })
  await links().where({ survivor_id: id }).update({ survivor_id: into.id })
  await trx('subjects').where({ tenant_id: tenant, id }).delete()
  await leaveOrders(trx, tenant, 'subject', id)
  await indexValues(trx, valueRows(tenant, [{ id, before: values, after: {} }]))
  // The same as in `subject_values`.
  const names = valueRows(tenant, [{ id, before: {}, after: values }]).added
  await insertRows(trx, 'merged_subject_values', valueColumns, names)
  await removeDeactivated(trx, tenant, [id])
}

/** A merge as it is listed. */
export interface ListedMerge {
  subject_id: string
  into_id: string
  merged_by: string
  merged_at: Date
}

/** The merges that led to a subject, the latest first. */
export const mergesOf = (db: Db, tenant: TenantId, survivorId: string): Promise<ListedMerge[]> =>
  db(table)
    .where({ tenant_id: tenant, survivor_id: survivorId })
    .orderBy([
      { column: 'merged_at', order: 'desc' },
      { column: 'ordinal', order: 'desc' },
    ])
    .select('subject_id', 'into_id', 'merged_by', 'merged_at')

/** Takes the index rows of a merged subject away, by which its matching values named another one. */
export const forgetNames = (trx: Knex.Transaction, tenant: TenantId, id: string, values: StoredValues): Promise<void> =>
  deleteRows(trx, 'merged_subject_values', valueColumns, valueRows(tenant, [{ id, before: values, after: {} }]).gone)

/** Erases what is kept of the subjects that were merged into one. */
export async function eraseMerged(
  trx: Knex.Transaction,
  tenant: TenantId,
  survivorId: string,
  matchingFields: readonly string[],
): Promise<void> {
  const merged = await mergedInto(trx, tenant, [survivorId])
  for (const { subject_id, custom_values } of merged) {
    const values: StoredValues = JSON.parse(custom_values)
    await forgetNames(trx, tenant, subject_id, values)
    const matching = matchingHashes(matchingFields, values)
    const hashes = matching ? [[tenant, toBytes(matching.together)]] : []
    await deleteRows(trx, 'subject_matching_keys', ['tenant_id', 'matching_hash'], hashes)
    await trx('merged_subject_rows').where({ tenant_id: tenant, subject_id }).delete()
  }
  await trx(table).where({ tenant_id: tenant, survivor_id: survivorId }).delete()
}

/** @throws Problem 400 with each key that is unknown, or of a matching field: these stay, because an upsert finds the subject by them. */
function refuseFields({ fields, matchingFields }: SubjectSettings, keys: readonly string[]): void {
  const faults = keys.flatMap((key, n): Fault[] => {
    const pointer = `/PreferredFields/${n}`
    if (!fields.some(field => field.key === key))
      return [fault(pointer, 'unknown-custom-field', `There is no custom field '${key}'.`)]
    const detail = `'${key}' is a matching field: its value stays. Merge the other way round, or PATCH it afterwards.`
    return matchingFields.includes(key) ? [fault(pointer, 'matching-field', detail)] : []
  })
  if (faults.length > 0) throw invalid(faults)
}

const unknownSubject = (id: string) => invalid([fault('/SubjectId', 'unknown-subject', `There is no subject '${id}'.`)])

const sameSubject = (id: string) => badRequest('same-subject', `Both ids name the subject '${id}'.`)
