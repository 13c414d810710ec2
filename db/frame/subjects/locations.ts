// Assigns subjects to structural entities. An entity to which subjects can be assigned is also called a place.
import type { Knex } from 'knex'
import { type Fault, invalid } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { currentIn, deleteRows, groupedBy, insertMissing, upsertRows } from '../../rows.js'
import { noteChanges } from '../fields/subject-changes.js'
import { existingSubject } from './subjects-by-id.js'

/** A structural entity in its role as a place for subjects. `assignable` is false if its type accepts no subjects. */
export interface Place {
  assignable: boolean
}

/**
 * Reads places by key. Inside a transaction, locks them in share mode, so that none is deleted, or stops accepting subjects, before the
 * transaction ends.
 */
export async function placesOf(db: Db, tenant: TenantId, keys: Iterable<string>): Promise<Map<string, Place>> {
  const wanted = [...new Set(keys)].sort()
  if (wanted.length === 0) return new Map()
  const query = db('structural_entities as e')
    .join('structure_types as t', join => join.on('t.tenant_id', 'e.tenant_id').on('t.type_key', 'e.type_key'))
    .where('e.tenant_id', tenant)
    .whereIn('e.entity_key', wanted)
    .select('e.entity_key', 't.subject_assignable')
  const rows: { entity_key: string; subject_assignable: number }[] = await currentIn(db, query)
  return new Map(rows.map(row => [row.entity_key, { assignable: row.subject_assignable === 1 }]))
}

/** Returns a fault for each entity key in an assignment that is unknown, or whose type accepts no subjects. */
export function faultsOfPlaces(
  keys: readonly string[],
  places: Map<string, Place>,
  at: string,
): Omit<Fault, 'index'>[] {
  return keys.flatMap((key, n): Omit<Fault, 'index'>[] => {
    const place = places.get(key)
    if (place?.assignable) return []
    const pointer = `${at}/${n}`
    return place
      ? [{ pointer, code: 'not-assignable', detail: `The type of '${key}' takes no subjects.` }]
      : [{ pointer, code: 'unknown-structural-entity', detail: `There is no structural entity '${key}'.` }]
  })
}

/** The places to which a subject is to be assigned. */
export interface Assignment {
  id: string
  entityKeys: readonly string[]
}

const columns = ['tenant_id', 'entity_key', 'subject_id']

/** Adds assignments of subjects. Existing ones stay as they are. The transaction must have locked the places. */
export async function addLocations(
  trx: Knex.Transaction,
  tenant: TenantId,
  added: readonly Assignment[],
): Promise<void> {
  await upsertRows(trx, 'subject_locations', columns, locationRows(tenant, added), [])
}

const locationRows = (tenant: TenantId, added: readonly Assignment[]): [TenantId, string, string][] =>
  added.flatMap(({ id, entityKeys }) =>
    [...new Set(entityKeys)].sort().map((key): [TenantId, string, string] => [tenant, key, id]),
  )

/** Reads the assignments of subjects. Inside a transaction, locks them. */
export async function assignmentsOf(
  db: Db,
  tenant: TenantId,
  ids: readonly string[],
): Promise<{ entity_key: string; subject_id: string }[]> {
  const query = db('subject_locations')
    .where({ tenant_id: tenant })
    .whereIn('subject_id', [...ids])
  if (db.isTransaction) query.forUpdate()
  return query.select('entity_key', 'subject_id')
}

/**
 * Returns the present places of the subjects whose places differ from the wanted ones, by subject id. Inside a transaction, locks the
 * present assignments.
 */
export async function placesBeforeMove(
  db: Db,
  tenant: TenantId,
  wanted: readonly Assignment[],
): Promise<ReadonlyMap<string, string[]>> {
  if (wanted.length === 0) return new Map()
  const present = groupedBy(
    await assignmentsOf(
      db,
      tenant,
      wanted.map(({ id }) => id),
    ),
    row => row.subject_id,
  )
  const moved = wanted.flatMap(({ id, entityKeys }): [string, string[]][] => {
    const held = new Set((present.get(id) ?? []).map(row => row.entity_key))
    const keys = new Set(entityKeys)
    const isMoved = held.size !== keys.size || [...keys].some(key => !held.has(key))
    return isMoved ? [[id, [...held]]] : []
  })
  return new Map(moved)
}

/**
 * Replaces all assignments of subjects by the wanted ones. The transaction must have locked the places.
 * @returns the ids of the subjects whose assignments have changed.
 */
export async function replaceLocations(
  trx: Knex.Transaction,
  tenant: TenantId,
  wanted: readonly Assignment[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set()
  const keysOf = new Map(wanted.map(({ id, entityKeys }) => [id, new Set(entityKeys)]))
  const present = await assignmentsOf(trx, tenant, [...keysOf.keys()])
  const gone = present.filter(({ entity_key, subject_id }) => !keysOf.get(subject_id)?.has(entity_key))
  const rows = gone.map(({ entity_key, subject_id }) => [tenant, entity_key, subject_id])
  await deleteRows(trx, 'subject_locations', columns, rows)
  for (const { entity_key, subject_id } of present) keysOf.get(subject_id)?.delete(entity_key)
  const added = [...keysOf].flatMap(([id, keys]) => (keys.size > 0 ? [{ id, entityKeys: [...keys] }] : []))
  await addLocations(trx, tenant, added)
  return new Set([...gone.map(({ subject_id }) => subject_id), ...added.map(({ id }) => id)])
}

/**
 * The assignments of one tenant's subjects (spec frame "Subject locations"). Each write locks its subject, so that writers of one
 * subject run one after the other.
 */
export const locationStore = (db: Db, tenant: TenantId) => ({
  /** Adds assignments. @throws Problem 404 for an unknown subject, 400 with every key that is unknown or accepts no subjects. */
  async add(id: string, keys: readonly string[]): Promise<void> {
    await transaction(db, tenant, async trx => {
      const { id: subjectId } = await existingSubject(trx, tenant, id)
      const faults = faultsOfPlaces(keys, await placesOf(trx, tenant, keys), '/keys')
      if (faults.length > 0) throw invalid(faults)
      // The insert itself tells what is new. A read before it could be outdated, because an import may unassign the subject meanwhile.
      const rows = locationRows(tenant, [{ id: subjectId, entityKeys: keys }])
      const assigned = await insertMissing(trx, 'subject_locations', columns, rows)
      if (assigned > 0) await noteChanges(trx, tenant, [{ id: subjectId, kind: 'moved' }])
    })
  },

  /** Removes assignments. @throws Problem 404 for an unknown subject, 400 with every key that is unknown. */
  async remove(id: string, keys: readonly string[]): Promise<void> {
    await transaction(db, tenant, async trx => {
      const { id: subjectId } = await existingSubject(trx, tenant, id)
      const places = await placesOf(trx, tenant, keys)
      const faults = faultsOfPlaces(keys, places, '/query/keys').filter(({ code }) => code !== 'not-assignable')
      if (faults.length > 0) throw invalid(faults)
      const removed = await trx('subject_locations')
        .where({ tenant_id: tenant, subject_id: subjectId })
        .whereIn('entity_key', [...keys])
        .delete()
      if (removed > 0) await noteChanges(trx, tenant, [{ id: subjectId, kind: 'moved' }])
    })
  },
})
