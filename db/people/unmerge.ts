// Undoes a merge of two subjects (decision record 0046).
import type { Knex } from 'knex'
import { conflict } from '../../runtime/problems/problem.js'
import { now } from '../clock.js'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import type { PublishedForms } from '../forms/templates/published-forms.js'
import type { FieldOrder } from '../frame/fields/custom-field.js'
import type { StoredValues } from '../frame/fields/custom-fields.js'
import { indexValues, valueRows } from '../frame/fields/matching.js'
import { noteChanges, type SubjectChange } from '../frame/fields/subject-changes.js'
import { writerSettings } from '../frame/fields/subject-settings.js'
import { syncOrders } from '../frame/orders/field-orders.js'
import { wordsOf } from '../frame/search/search-words.js'
import { indexWords } from '../frame/search/subject-words.js'
import { addDeactivated, deactivateAt } from '../frame/subjects/deactivation.js'
import { lockMatching } from '../frame/subjects/subject-plan.js'
import { requireFreeMatching, type SubjectOfFields } from '../frame/subjects/subjects.js'
import { erasureOf, existingSubject, type Subject, subjectsById } from '../frame/subjects/subjects-by-id.js'
import { deleteMergedValues, type MergeUndo, matchingOf, writeMerged } from './merge.js'
import { separatePlaces, separateRows } from './merged-rows.js'
import { fieldMerges, separatedValues, valuesOfFields } from './merged-values.js'

interface MergeRow {
  subject_id: string
  external_id: string
  into_id: string
  ordinal: number
  custom_values: string
  created_at: Date
  deactivated_at: Date | null
  changed: string
}

const table = 'merged_subjects'
const columns = [
  'subject_id',
  'external_id',
  'into_id',
  'ordinal',
  'custom_values',
  'created_at',
  'deactivated_at',
  'changed',
] as const

/**
 * Undoes the merge of a subject into another one, in one transaction. What was written since the merge stays with the survivor. Does
 * nothing if the subject is not merged.
 * @returns the subject, now on its own again.
 * @throws Problem 404 if it does not exist; 410 if it was erased; 409 if a later merge has to be undone first, or another subject has
 *   its matching values by now.
 */
export async function unmergeSubject(
  { db, forms }: { db: Knex; forms: PublishedForms },
  tenant: TenantId,
  id: string,
): Promise<SubjectOfFields> {
  return transaction(db, tenant, async trx => {
    const { settings, orders } = await writerSettings(trx, tenant)
    const { fields, matchingFields } = settings
    const row: MergeRow | undefined = await trx(table)
      .where({ tenant_id: tenant, subject_id: id })
      .forUpdate()
      .first(...columns)
    if (!row) return { fields, subject: await existingSubject(trx, tenant, id) }
    const held: StoredValues = JSON.parse(row.custom_values)
    await lockMatching(trx, tenant, matchingOf(settings, { values: held }))
    const into = (await subjectsById(trx, tenant, [row.into_id])).get(row.into_id)
    const erasure = await erasureOf(trx, tenant, id)
    if (erasure) throw erasure
    await refuseLater(trx, tenant, row)
    if (!into) throw new Error(`The subject ${row.into_id}, which ${id} was merged into, is gone`)

    const undo: MergeUndo = JSON.parse(row.changed)
    const own = {
      id,
      externalId: row.external_id,
      values: valuesOfFields(fields, held),
      deactivatedAt: row.deactivated_at ?? undefined,
    }
    const [before, after] = [into.values, separatedValues(fields, into.values, undo.values)]
    await removeLink(trx, tenant, row)
    if (settings.upsert) {
      if (!undo.isSameMatch) {
        const isNew = { before: {}, after: own.values }
        await requireFreeMatching(trx, tenant, id, matchingFields, isNew)
      }
      await requireFreeMatching(trx, tenant, into.id, matchingFields, { before, after })
    }
    await restore(trx, tenant, own, row.created_at, orders)
    const changes: SubjectChange[] = [{ id, kind: 'unmerged', intoId: into.id }]
    if (fieldMerges(after, before).length > 0) {
      await writeMerged(trx, tenant, into.id, after, orders)
      changes.push({ id: into.id, kind: 'updated' })
    }
    const ids = { intoId: into.id, mergedId: id }
    if (await separatePlaces(trx, tenant, ids, undo.places)) changes.push({ id: into.id, kind: 'moved' })
    await noteChanges(trx, tenant, changes)
    if (undo.deactivatedAt && !into.deactivatedAt)
      await deactivateAt(trx, tenant, into.id, new Date(undo.deactivatedAt))
    const written = [
      { id: into.id, before, after },
      { id, before: {}, after: own.values },
    ]
    await indexValues(trx, valueRows(tenant, written))
    await separateRows(trx, tenant, forms, ids)
    const words = written.map(each => ({ id: each.id, before: wordsOf(each.before), after: wordsOf(each.after) }))
    await indexWords(trx, tenant, words)
    return { fields, subject: await existingSubject(trx, tenant, id) }
  })
}

/** Checks that no later merge depends on this one: merges are undone in reverse order. @throws Problem 409 that names the latest one. */
async function refuseLater(trx: Knex.Transaction, tenant: TenantId, { into_id, ordinal }: MergeRow): Promise<void> {
  const links = () => trx(table).where({ tenant_id: tenant }).forShare()
  const later: { subject_id: string } | undefined =
    (await links().where({ subject_id: into_id }).first('subject_id')) ??
    (await links()
      .where({ survivor_id: into_id, into_id })
      .where('ordinal', '>', ordinal)
      .orderBy('ordinal', 'desc')
      .first('subject_id'))
  if (!later) return
  const detail = `The subject '${later.subject_id}' was merged since. Undo that merge first.`
  throw conflict('later-merge', detail)
}

/** Deletes the link from the merged subject to the survivor. Subjects that had been merged into the merged one lead to that again. */
async function removeLink(trx: Knex.Transaction, tenant: TenantId, row: MergeRow): Promise<void> {
  const links = () => trx(table).where({ tenant_id: tenant })
  await links().where({ subject_id: row.subject_id }).delete()
  await deleteMergedValues(trx, tenant, row.subject_id, JSON.parse(row.custom_values))
  const others: { subject_id: string; into_id: string }[] = await links()
    .where({ survivor_id: row.into_id })
    .forUpdate()
    .select('subject_id', 'into_id')
  const own = [row.subject_id]
  for (const id of own) own.push(...others.filter(({ into_id }) => into_id === id).map(({ subject_id }) => subject_id))
  await links().whereIn('subject_id', own).update({ survivor_id: row.subject_id })
}

/** Writes the row of the subject that was merged, under its old id. */
async function restore(
  trx: Knex.Transaction,
  tenant: TenantId,
  { id, externalId, values, deactivatedAt }: Omit<Subject, 'updatedAt'>,
  created_at: Date,
  orders: readonly FieldOrder[],
): Promise<void> {
  await trx('subjects').insert({
    tenant_id: tenant,
    id,
    external_id: externalId,
    custom_values: JSON.stringify(values),
    created_at,
    updated_at: now(trx),
    deactivated_at: deactivatedAt ?? null,
  })
  await syncOrders(trx, tenant, 'subject', orders, () => [{ id, values }])
  if (deactivatedAt) await addDeactivated(trx, tenant, id)
}
