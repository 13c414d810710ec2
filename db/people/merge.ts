// Merges one subject into another (decision record 0046).
import type { Knex } from 'knex'
import { badRequest, type Fault, fault, invalid } from '../../runtime/problems/problem.js'
import { now } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import type { PublishedForms } from '../forms/templates/published-forms.js'
import type { FieldOrder } from '../frame/fields/custom-field.js'
import { requireSize, type StoredValues } from '../frame/fields/custom-fields.js'
import { indexValues, matchingHashes, toBytes, type ValueHash, valueRows } from '../frame/fields/matching.js'
import { noteChanges, type SubjectChange } from '../frame/fields/subject-changes.js'
import { type SubjectSettings, type WriterSettings, writerSettings } from '../frame/fields/subject-settings.js'
import { leaveOrders, syncOrders } from '../frame/orders/field-orders.js'
import { wordsOf } from '../frame/search/search-words.js'
import { indexWords } from '../frame/search/subject-words.js'
import { reactivateAll, removeDeactivated } from '../frame/subjects/deactivation.js'
import { lockMatching } from '../frame/subjects/subject-plan.js'
import { requireFreeMatching, type SubjectOfFields } from '../frame/subjects/subjects.js'
import {
  absentSubject,
  erasureOf,
  existingSubject,
  mergedInto,
  type Subject,
  subjectsLedTo,
} from '../frame/subjects/subjects-by-id.js'
import { deleteRows, insertRows } from '../rows.js'
import { type MergedPlace, mergePlaces, mergeRows } from './merged-rows.js'
import { type FieldMerge, fieldMerges, mergedValues } from './merged-values.js'

/** The request to merge two subjects into one. */
export interface SubjectMerge {
  /** The surviving subject. */
  id: string
  /** The subject that is merged into it. */
  mergedId: string
  /** Keys of fields that take the values of the merged subject. */
  preferredFields: readonly string[]
}

/** What a merge changed, stored in the column `changed` so that the merge can be undone. */
export interface MergeUndo {
  values: [string, FieldMerge][]
  places: MergedPlace[]
  /** If the merge reactivated the survivor: since when it had been deactivated, ISO 8601. */
  deactivatedAt?: string
  /** Set if both subjects had the same matching values before the merge. */
  isSameMatch?: true
}

interface Stores {
  db: Knex
  forms: PublishedForms
}

/**
 * Merges a subject into another one, in one transaction. Repeating a merge changes nothing.
 * @returns the surviving subject.
 * @throws Problem 404 if the survivor does not exist; 410 if either subject was erased; 400 if the merged subject is unknown or the same
 *   as the survivor, or a preferred field is unknown or a matching field; 409 if a third subject has the matching values that result.
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
    const { settings, orders } = await writerSettings(trx, tenant)
    refuseFields(settings, preferredFields)
    // Locks in the same order as upserts: matching values first. An upsert that waits for them then finds the surviving subject.
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
      subject: await merge(trx, tenant, { settings, orders, forms, into, merged, preferredFields, actor }),
    }
  })
}

interface Pair extends WriterSettings {
  forms: PublishedForms
  into: Subject
  merged: Subject
  preferredFields: readonly string[]
  actor: string
}

/** Merges two subjects. The transaction must have locked them. */
async function merge(
  trx: Knex.Transaction,
  tenant: TenantId,
  { settings, orders, forms, into, merged, preferredFields, actor }: Pair,
): Promise<Subject> {
  const { matchingFields } = settings
  const ids = { intoId: into.id, mergedId: merged.id }
  const [before, after] = [into.values, mergedValues(into.values, merged.values, new Set(preferredFields))]
  const faults: Fault[] = []
  requireSize(after, faults, '/SubjectId')
  if (faults.length > 0) throw invalid(faults)
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
  // Checked only after the link is written: from then on the merged subject's matching values belong to the survivor.
  if (settings.upsert) await requireFreeMatching(trx, tenant, into.id, matchingFields, { before, after })
  if (values.length > 0) await writeMerged(trx, tenant, into.id, after, orders)
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
  return existingSubject(trx, tenant, into.id)
}

/** Returns the hash of each subject's matching values, for locking. Leaves out subjects without matching values. */
export const matchingOf = ({ matchingFields }: SubjectSettings, ...subjects: Pick<Subject, 'values'>[]): ValueHash[] =>
  matchingFields.length === 0
    ? []
    : subjects.flatMap(({ values }) => matchingHashes(matchingFields, values)?.together ?? [])

const isSameMatch = (matchingFields: readonly string[], a: Subject, b: Subject): boolean => {
  const hash = matchingHashes(matchingFields, a.values)?.together
  return hash !== undefined && hash === matchingHashes(matchingFields, b.values)?.together
}

/** Writes the values of the survivor after a merge, or after its undoing. */
export async function writeMerged(
  trx: Knex.Transaction,
  tenant: TenantId,
  id: string,
  values: StoredValues,
  orders: readonly FieldOrder[],
): Promise<void> {
  const changed = { custom_values: JSON.stringify(values), updated_at: now(trx) }
  await trx('subjects').where({ tenant_id: tenant, id }).update(changed)
  await syncOrders(trx, tenant, 'subject', orders, () => [{ id, values }])
}

const table = 'merged_subjects'
const valueColumns = ['tenant_id', 'value_hash', 'subject_id']

/** Replaces the row of the merged subject by a link to the survivor. */
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
    merged_at: now(trx),
    changed: JSON.stringify(undo),
  })
  await links().where({ survivor_id: id }).update({ survivor_id: into.id })
  await trx('subjects').where({ tenant_id: tenant, id }).delete()
  await leaveOrders(trx, tenant, 'subject', id)
  await indexValues(trx, valueRows(tenant, [{ id, before: values, after: {} }]))
  // The rows that the subject had in `subject_values` go into the corresponding table of merged subjects.
  const names = valueRows(tenant, [{ id, before: {}, after: values }]).added
  await insertRows(trx, 'merged_subject_values', valueColumns, names)
  await removeDeactivated(trx, tenant, [id])
}

/** A merge in the list of a subject's merges. */
export interface ListedMerge {
  subject_id: string
  into_id: string
  merged_by: string
  merged_at: Date
}

/** Lists the merges whose survivor is this subject, latest first. */
export const mergesOf = (db: Db, tenant: TenantId, survivorId: string): Promise<ListedMerge[]> =>
  db(table)
    .where({ tenant_id: tenant, survivor_id: survivorId })
    .orderBy([
      { column: 'merged_at', order: 'desc' },
      { column: 'ordinal', order: 'desc' },
    ])
    .select('subject_id', 'into_id', 'merged_by', 'merged_at')

/** Deletes the index rows through which the values of a merged subject lead to its survivor. */
export const deleteMergedValues = (
  trx: Knex.Transaction,
  tenant: TenantId,
  id: string,
  values: StoredValues,
): Promise<void> =>
  deleteRows(trx, 'merged_subject_values', valueColumns, valueRows(tenant, [{ id, before: values, after: {} }]).gone)

/** Erases all that is stored about the subjects that were merged into a survivor. */
export async function eraseMerged(
  trx: Knex.Transaction,
  tenant: TenantId,
  survivorId: string,
  matchingFields: readonly string[],
): Promise<void> {
  const merged = await mergedInto(trx, tenant, [survivorId])
  for (const { subject_id, custom_values } of merged) {
    const values: StoredValues = JSON.parse(custom_values)
    await deleteMergedValues(trx, tenant, subject_id, values)
    const matching = matchingHashes(matchingFields, values)
    const hashes = matching ? [[tenant, toBytes(matching.together)]] : []
    await deleteRows(trx, 'subject_matching_keys', ['tenant_id', 'matching_hash'], hashes)
    await trx('merged_subject_rows').where({ tenant_id: tenant, subject_id }).delete()
  }
  await trx(table).where({ tenant_id: tenant, survivor_id: survivorId }).delete()
}

/**
 * Checks the preferred fields of a merge. Matching fields are not allowed, because upserts find the survivor by its values in them.
 * @throws Problem 400 with a fault for each key that is unknown or of a matching field.
 */
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
