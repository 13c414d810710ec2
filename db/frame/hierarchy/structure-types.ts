// Stores structure types and their custom fields.
import type { Knex } from 'knex'
import { conflict, type Fault, invalid, notFound } from '../../../runtime/problems/problem.js'
import { tellIds } from '../../audit/action.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type Change, writeChanges } from '../../feeds.js'
import { likeWords } from '../../like-words.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { currentIn, slices, upsertRows } from '../../rows.js'
import type { CustomField } from '../fields/custom-field.js'
import { holdsField } from '../fields/field-usage.js'
import { type Allows, refuseForbidden } from '../fields/upsert-permission.js'
import { lockHierarchy, setHierarchyVersion } from './hierarchy.js'

export interface StructureType {
  key: string
  name: string
  subjectAssignable: boolean
  customFields: CustomField[]
}

export interface StructureTypeFilter {
  searchTerm?: string | undefined
  subjectAssignable?: boolean | undefined
}

export interface StructureTypeRow {
  type_key: string
  name: string
  subject_assignable: number
  custom_fields: string
}

const columns = ['tenant_id', 'type_key', 'name', 'subject_assignable', 'custom_fields']

const present = (row: StructureTypeRow): StructureType => ({
  key: row.type_key,
  name: row.name,
  subjectAssignable: row.subject_assignable === 1,
  customFields: JSON.parse(row.custom_fields),
})

const contentOf = ({ name, subjectAssignable, customFields }: StructureType): string =>
  JSON.stringify([name, subjectAssignable, customFields])

/** The structure types of one tenant (spec frame "Structure types"). */
export const structureTypeStore = (db: Db, tenant: TenantId) => ({
  async page(filter: StructureTypeFilter, page: PageRequest): Promise<Page<StructureTypeRow>> {
    return readPage<StructureTypeRow>(
      () => {
        const query = db('structure_types').where({ tenant_id: tenant })
        if (filter.subjectAssignable !== undefined) query.where('subject_assignable', filter.subjectAssignable ? 1 : 0)
        if (filter.searchTerm) likeWords(query, ['name', 'type_key'], filter.searchTerm)
        return query.select('tenant_id', 'type_key', 'name', 'subject_assignable', 'bytes')
      },
      'type_key',
      page,
      undefined,
      { db, table: 'structure_types', key: ['tenant_id', 'type_key'], columns: ['custom_fields'] },
    )
  },

  present,

  async byKey(key: string): Promise<StructureType | undefined> {
    return (await byKeys(db, tenant, [key])).get(key)
  },

  byKeys: (keys: Iterable<string>) => byKeys(db, tenant, keys),

  fields: () => fieldsOf(db, tenant),

  /** Reads all types, by key. */
  async all(): Promise<Map<string, StructureType>> {
    const rows: StructureTypeRow[] = await db('structure_types').where({ tenant_id: tenant })
    return new Map(rows.map(row => [row.type_key, present(row)]))
  },

  /**
   * Creates or replaces one type.
   * @throws Problem 400, 403, 409 as {@link upsertStructureTypes}.
   */
  async upsert(type: StructureType, allows: Allows): Promise<'created' | 'updated'> {
    const [planned] = await transaction(db, tenant, trx => upsertStructureTypes(trx, tenant, [type], allows))
    return planned?.outcome ?? 'created'
  },

  /** Removes a type. @throws Problem 404 when it does not exist, 409 while any entity is of the type. */
  async remove(key: string): Promise<void> {
    await transaction(db, tenant, async trx => {
      const { version } = await lockHierarchy(trx, tenant)
      const used = await trx('structural_entities').where({ tenant_id: tenant, type_key: key }).first('entity_key')
      if (used)
        throw conflict(
          'structure-type-in-use',
          `Structural entities are of the type '${key}', for example '${used.entity_key}'.`,
        )
      const removed = await trx('structure_types').where({ tenant_id: tenant, type_key: key }).delete()
      if (removed === 0) throw notFound(`There is no structure type '${key}'.`)
      await writeChanges(trx, tenant, 'type', [{ id: key, kind: 'deleted' }])
      await setHierarchyVersion(trx, tenant, version + 1)
    })
  },
})

/** Reads the custom fields of all types. A field that several types have is returned several times. */
async function fieldsOf(db: Db, tenant: TenantId): Promise<CustomField[]> {
  const rows: { custom_fields: string }[] = await db('structure_types')
    .where({ tenant_id: tenant })
    .select('custom_fields')
  return rows.flatMap(({ custom_fields }): CustomField[] => JSON.parse(custom_fields))
}

async function byKeys(db: Db, tenant: TenantId, keys: Iterable<string>): Promise<Map<string, StructureType>> {
  const found = new Map<string, StructureType>()
  for (const some of slices([...new Set(keys)])) {
    const rows = await db('structure_types').where({ tenant_id: tenant }).whereIn('type_key', some)
    for (const row of rows) found.set(row.type_key, present(row))
  }
  return found
}

/** A type ready to be written. */
export interface PlannedType extends StructureType {
  outcome: 'created' | 'updated'
}

/**
 * Checks a batch of types without regard to the entities that use them, and finds out which types exist already. Writes nothing.
 * @throws Problem 403 when a permission is missing for any item, 400 with every duplicate key.
 */
export async function planStructureTypes(
  db: Db,
  tenant: TenantId,
  types: readonly StructureType[],
  allows: Allows,
): Promise<PlannedType[]> {
  const keys = types.map(type => type.key)
  const present = await byKeys(db, tenant, keys)
  refuseForbidden(keys, key => present.has(key), allows, 'StructuralEntity')
  const faults = types.flatMap((type, index) => [
    ...doubles(keys, index, `/${index}/Key`, 'key'),
    ...type.customFields.flatMap((_, n) => {
      const fieldKeys = type.customFields.map(field => field.key)
      return doubles(fieldKeys, n, `/${index}/CustomFields/${n}/Key`, 'custom field', index)
    }),
  ])
  if (faults.length > 0) throw invalid(faults)
  return types.map(type => ({ ...type, outcome: present.has(type.key) ? 'updated' : 'created' }))
}

function doubles(keys: readonly string[], n: number, pointer: string, what: string, index = n): Fault[] {
  const key = keys[n] ?? ''
  return keys.indexOf(key) < n
    ? [{ pointer, code: 'duplicate-key', detail: `The ${what} '${key}' is given twice.`, index }]
    : []
}

/**
 * Creates or replaces types inside the caller's transaction, all or none.
 * @returns the outcome of each type, in the same order.
 * @throws Problem 400 and 403 as {@link planStructureTypes}, 409 as {@link writeStructureTypes}.
 */
export async function upsertStructureTypes(
  trx: Knex.Transaction,
  tenant: TenantId,
  types: readonly StructureType[],
  allows: Allows,
): Promise<PlannedType[]> {
  const { version } = await lockHierarchy(trx, tenant)
  const planned = await planStructureTypes(trx, tenant, types, allows)
  await writeStructureTypes(trx, tenant, planned)
  tellIds(planned.map(({ key }) => key))
  await setHierarchyVersion(trx, tenant, version + 1)
  return planned
}

/**
 * Creates or replaces planned types, all or none. The transaction must have locked the hierarchy.
 * @throws Problem 409 if a field with values would be removed or change its type, or if SubjectAssignable is turned off while subjects
 *   are assigned.
 */
async function writeStructureTypes(
  trx: Knex.Transaction,
  tenant: TenantId,
  types: readonly StructureType[],
): Promise<void> {
  const present = await byKeys(
    trx,
    tenant,
    types.map(type => type.key),
  )
  const conflicts: Fault[] = []
  for (const [index, type] of types.entries()) {
    const before = present.get(type.key)
    if (before) conflicts.push(...(await conflictsOf(trx, tenant, before, type, index)))
  }
  if (conflicts.length > 0) {
    throw conflict('structure-type-in-use', conflicts.map(fault => fault.detail).join(' '), conflicts)
  }
  const rows = types.map(type => [
    tenant,
    type.key,
    type.name,
    type.subjectAssignable ? 1 : 0,
    JSON.stringify(type.customFields),
  ])
  await upsertRows(trx, 'structure_types', columns, rows, columns.slice(2))
  const changes = types.flatMap((type): Change<'type'>[] => {
    const before = present.get(type.key)
    if (!before) return [{ id: type.key, kind: 'created' }]
    return contentOf(before) === contentOf(type) ? [] : [{ id: type.key, kind: 'updated' }]
  })
  await writeChanges(trx, tenant, 'type', changes)
}

/**
 * Finds the conflicts between the change of a type and the entities that use it: removed or changed fields with values, and assigned
 * subjects if these are no longer accepted.
 */
async function conflictsOf(
  trx: Knex.Transaction,
  tenant: TenantId,
  before: StructureType,
  after: StructureType,
  index: number,
): Promise<Fault[]> {
  const entities = () => trx('structural_entities as e').where({ 'e.tenant_id': tenant, 'e.type_key': before.key })
  const faults: Fault[] = []
  for (const field of before.customFields) {
    const kept = after.customFields.find(each => each.key === field.key)
    if (kept?.typeKey === field.typeKey) continue
    const holds = holdsField('e.custom_values', field.key)
    const holder = await entities().whereRaw(holds.sql, holds.bindings).first('entity_key')
    if (!holder) continue
    const what = kept ? `change from ${field.typeKey} to ${kept.typeKey}` : 'be removed'
    const detail = `The custom field '${field.key}' of '${before.key}' cannot ${what}: structural entities hold values, for example '${holder.entity_key}'.`
    faults.push({ pointer: `/${index}/CustomFields`, code: 'custom-field-in-use', detail, index })
  }
  if (before.subjectAssignable && !after.subjectAssignable) {
    // Whoever assigns a subject locks the type in share mode. This lock waits for earlier assignments, so that they are visible, and
    // keeps out later ones.
    await trx('structure_types').where({ tenant_id: tenant, type_key: before.key }).forUpdate().first('type_key')
    const query = entities()
      .join('subject_locations as l', join => join.on('l.tenant_id', 'e.tenant_id').on('l.entity_key', 'e.entity_key'))
      .first('e.entity_key')
    const assigned = await currentIn(trx, query)
    if (assigned) {
      const detail = `SubjectAssignable of '${before.key}' cannot be turned off: subjects are assigned, for example to '${assigned.entity_key}'.`
      faults.push({ pointer: `/${index}/SubjectAssignable`, code: 'subjects-assigned', detail, index })
    }
  }
  return faults
}
