// Moves places, forms, documents and portal users when subjects are merged, and back when a merge is undone.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { moveReports } from '../forms/instances/report-moves.js'
import type { PublishedForms } from '../forms/templates/published-forms.js'
import { placesOf } from '../frame/subjects/locations.js'
import { deleteRows, insertFrom, insertRows } from '../rows.js'

/** An assignment of the merged subject, as it was before the merge. */
export interface MergedPlace {
  key: string
  /** ISO 8601 with milliseconds. */
  assignedAt: string
  transferId: string | null
  /** True if the merge moved it to the survivor, false if the survivor was assigned there already. */
  isMoved: boolean
}

interface LocationRow {
  entity_key: string
  assigned_at: Date
  transfer_id: string | null
}

const locations = 'subject_locations'
const locationKey = ['tenant_id', 'entity_key', 'subject_id']

const placesBefore = (trx: Knex.Transaction, tenant_id: TenantId, subject_id: string): Promise<LocationRow[]> =>
  trx(locations).where({ tenant_id, subject_id }).forUpdate().select('entity_key', 'assigned_at', 'transfer_id')

/** The two subjects of a merge. */
export interface Merge {
  /** The id of the subject that is merged. */
  mergedId: string
  /** The id of the subject that it is merged into. */
  intoId: string
}

/**
 * Moves the places of the merged subject to the survivor, with their time of assignment, unless the survivor has them already.
 * @returns the places that the merged subject had.
 */
export async function mergePlaces(
  trx: Knex.Transaction,
  tenant: TenantId,
  { mergedId, intoId }: Merge,
): Promise<MergedPlace[]> {
  const rows = await placesBefore(trx, tenant, mergedId)
  const own = new Set((await placesBefore(trx, tenant, intoId)).map(({ entity_key }) => entity_key))
  await removePlaces(trx, tenant, mergedId, rows)
  await addPlaces(
    trx,
    tenant,
    intoId,
    rows.filter(({ entity_key }) => !own.has(entity_key)),
  )
  return rows.map(({ entity_key, assigned_at, transfer_id }) => ({
    key: entity_key,
    assignedAt: assigned_at.toISOString(),
    transferId: transfer_id,
    isMoved: !own.has(entity_key),
  }))
}

/**
 * Gives the merged subject its places back, except for those that no longer exist or no longer accept subjects. Takes from the survivor
 * the places that the merge brought, unless it has been assigned to them anew since.
 * @returns true if the survivor lost any place.
 */
export async function separatePlaces(
  trx: Knex.Transaction,
  tenant: TenantId,
  { mergedId, intoId }: Merge,
  places: readonly MergedPlace[],
): Promise<boolean> {
  const known = await placesOf(
    trx,
    tenant,
    places.map(({ key }) => key),
  )
  const brought = new Map(places.filter(({ isMoved }) => isMoved).map(({ key, assignedAt }) => [key, assignedAt]))
  const present = await placesBefore(trx, tenant, intoId)
  const lost = present.filter(row => brought.get(row.entity_key) === row.assigned_at.toISOString())
  await removePlaces(trx, tenant, intoId, lost)
  const back = places.filter(({ key }) => known.get(key)?.assignable)
  await addPlaces(
    trx,
    tenant,
    mergedId,
    back.map(({ key, assignedAt, transferId }) => ({
      entity_key: key,
      assigned_at: new Date(assignedAt),
      transfer_id: transferId,
    })),
  )
  return lost.length > 0
}

const removePlaces = (trx: Knex.Transaction, tenant: TenantId, subjectId: string, rows: readonly LocationRow[]) =>
  deleteRows(
    trx,
    locations,
    locationKey,
    rows.map(({ entity_key }) => [tenant, entity_key, subjectId]),
  )

const addPlaces = (trx: Knex.Transaction, tenant: TenantId, subjectId: string, rows: readonly LocationRow[]) =>
  insertRows(
    trx,
    locations,
    [...locationKey, 'assigned_at', 'transfer_id'],
    rows.map(({ entity_key, assigned_at, transfer_id }) => [tenant, entity_key, subjectId, assigned_at, transfer_id]),
  )

/** The tables whose rows a merge moves, by the kind under which `merged_subject_rows` records the moved rows. */
const tables = { form: 'form_instances', document: 'record_items', access: 'subject_access_users' } as const

/**
 * Moves forms, documents and portal users to the survivor, and records their ids for an undo. If both subjects have the same portal
 * user, the merged subject keeps its row, which no list shows.
 */
export async function mergeRows(
  trx: Knex.Transaction,
  tenant: TenantId,
  forms: PublishedForms,
  { mergedId, intoId }: Merge,
): Promise<void> {
  for (const [kind, table] of Object.entries(tables)) {
    const rows = trx(table).where({ tenant_id: tenant, subject_id: mergedId })
    const held = trx(table).where({ tenant_id: tenant, subject_id: intoId })
    if (kind === 'access') rows.whereNotIn('holder', held.select('holder'))
    const noted = rows.select(trx.raw('?, ?, ?, id', [tenant, mergedId, kind]))
    await insertFrom(trx, 'merged_subject_rows', ['tenant_id', 'subject_id', 'kind', 'row_id'], noted)
  }
  await moveRows(trx, tenant, forms, mergedId, { from: mergedId, to: intoId })
}

/** Moves the rows that a merge has moved back to the merged subject, as far as they still exist and still belong to the survivor. */
export async function separateRows(
  trx: Knex.Transaction,
  tenant: TenantId,
  forms: PublishedForms,
  { mergedId, intoId }: Merge,
): Promise<void> {
  await moveRows(trx, tenant, forms, mergedId, { from: intoId, to: mergedId })
  await trx('merged_subject_rows').where({ tenant_id: tenant, subject_id: mergedId }).delete()
}

async function moveRows(
  trx: Knex.Transaction,
  tenant: TenantId,
  forms: PublishedForms,
  mergedId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  // A join, because MariaDB would scan the whole table for `id IN (SELECT …)`.
  for (const [kind, table] of Object.entries(tables))
    await trx.raw(
      `UPDATE merged_subject_rows m STRAIGHT_JOIN ${table} t ON t.tenant_id = m.tenant_id AND t.id = m.row_id
       SET t.subject_id = ? WHERE m.tenant_id = ? AND m.subject_id = ? AND m.kind = ? AND t.subject_id = ?`,
      [to, tenant, mergedId, kind, from],
    )
  await moveReports(trx, tenant, forms, mergedId, { from, to })
}
