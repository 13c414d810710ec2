// Reads, upserts and removes structural entities.
import type { Knex } from 'knex'
import { smallPage } from '../../../runtime/load/page-budget.js'
import { conflict, notFound } from '../../../runtime/problems/problem.js'
import { tellIds } from '../../audit/action.js'
import { now, presentTime } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type Change, type ChangeKind, writeChanges } from '../../feeds.js'
import { likeWords } from '../../like-words.js'
import { addDocuments, type Page, type PageRequest, readPage } from '../../paging.js'
import { anyDepth, currentIn, groupedBy, rowsOf, slices, upsertRows } from '../../rows.js'
import { type Documents, fittingRows, type Sized, totalBytes, withDocuments } from '../../sized-rows.js'
import { totalOf } from '../../totals.js'
import type { FieldOrder } from '../fields/custom-field.js'
import type { StoredValues } from '../fields/custom-fields.js'
import { leaveOrders, syncOrders } from '../orders/field-orders.js'
import { orderedPage } from '../orders/ordered-page.js'
import { hierarchyVersion, lockHierarchy, setHierarchyVersion } from './hierarchy.js'
import { belowEntity } from './hierarchy-state.js'
import { type EntityInput, type EntityRules, type PlannedEntity, planEntities } from './structural-entity-plan.js'
import { type StructureType, type StructureTypeRow, structureTypeStore } from './structure-types.js'

export interface StructuralEntity {
  key: string
  displayName: string
  parentKey: string | null
  depth: number
  type: StructureType
  values: StoredValues
  /** When it, or its depth, was last written, by the database's clock. */
  updatedAt: Date
}

export interface StructuralEntityFilter {
  parentKey?: string | undefined
  /** Only entities below this one, at any depth. */
  ancestorKey?: string | undefined
  depth?: number | undefined
  searchTerm?: string | undefined
  subjectAssignable?: boolean | undefined
  structureTypeKey?: string | undefined
  updatedFrom?: Date | undefined
  updatedTo?: Date | undefined
}

export interface StructuralEntityRow {
  entity_key: string
  display_name: string
  parent_key: string | null
  depth: number
  type_key: string
  custom_values: string | null
  updated_at: Date
}

const listedColumns = ['tenant_id', 'entity_key', 'display_name', 'parent_key', 'depth', 'type_key', 'updated_at']
const columns = [...listedColumns, 'custom_values']

/** The size of an entity's values and of its type, which lists show with each entity. */
const sizeWithType = `bytes + (SELECT t.bytes FROM structure_types t
  WHERE t.tenant_id = structural_entities.tenant_id AND t.type_key = structural_entities.type_key) AS bytes`

/** An entity as a list shows it with a subject. It has no type and values where those of all its entities are over {@link maxOfPlaces}. */
export type Place = Omit<StructuralEntity, 'type' | 'values'> & Partial<Pick<StructuralEntity, 'type' | 'values'>>

/** The most that the types and values of a subject's entities may have together to be read at once, in bytes. */
export const maxOfPlaces = 4 * 1024 * 1024
/** About what an entity takes without type and values, in bytes. */
const bytesOfPlace = 300

/** A place of a subject, with the size of the entity and its type. */
interface SizedPlace extends Sized {
  subject_id: string
  entity_key: string
}

/** The most places that are read for a page without knowing how many there are. */
const maxPlaces = 20_000

const ofOneSubject = `FROM subject_locations l
  JOIN structural_entities e ON e.tenant_id = l.tenant_id AND e.entity_key = l.entity_key
  JOIN structure_types t ON t.tenant_id = e.tenant_id AND t.type_key = e.type_key
  WHERE l.tenant_id = ? AND l.subject_id = ?`

/**
 * SQL for the entities to which a subject is assigned, with their types: none if they are too large. Bindings: tenant and subject,
 * twice.
 */
export const entitiesOfSubject = `SELECT e.entity_key, e.display_name, e.parent_key, e.depth, e.custom_values, e.updated_at, t.*
  ${ofOneSubject} AND (SELECT SUM(e.bytes + t.bytes) ${ofOneSubject}) <= ${maxOfPlaces} ORDER BY e.entity_key`

/** SQL for the sizes of these entities, with their types. Bindings: tenant, subject. */
const sizesOfSubject = `SELECT e.entity_key, e.bytes + t.bytes AS bytes ${ofOneSubject} ORDER BY e.entity_key`

const placesOfSubject = `SELECT e.entity_key, e.display_name, e.parent_key, e.depth, e.updated_at
  ${ofOneSubject} ORDER BY e.entity_key`

/** The structural entities of one tenant (spec frame "Structural entities"). */
export const structuralEntityStore = (db: Db, tenant: TenantId) => {
  const rows = () => db('structural_entities').where({ tenant_id: tenant })
  const documents: Documents = {
    db,
    table: 'structural_entities',
    key: ['tenant_id', 'entity_key'],
    columns: ['custom_values'],
  }

  function ofOneStatement(found: readonly (StructuralEntityRow & StructureTypeRow)[]): StructuralEntity[] {
    const types = new Map<string, StructureType>()
    return found.map(row => {
      const type = types.get(row.type_key) ?? structureTypeStore(db, tenant).present(row)
      types.set(row.type_key, type)
      return present(row, type)
    })
  }

  return {
    /** Reads a page of entities. @param orderId the order to use if the page is sorted by a custom field (see `orderBy`). */
    async page(
      filter: StructuralEntityFilter,
      page: PageRequest,
      orderId?: number,
    ): Promise<Page<StructuralEntityRow>> {
      const restrict = (query: Knex.QueryBuilder) => {
        if (filter.parentKey !== undefined) query.where('parent_key', filter.parentKey)
        if (filter.ancestorKey !== undefined) belowEntity(query, tenant, filter.ancestorKey)
        if (filter.depth !== undefined) query.where('depth', filter.depth)
        if (filter.structureTypeKey !== undefined) query.where('type_key', filter.structureTypeKey)
        if (filter.subjectAssignable !== undefined) {
          const types = db('structure_types').where({
            tenant_id: tenant,
            subject_assignable: filter.subjectAssignable ? 1 : 0,
          })
          query.whereIn('type_key', types.select('type_key'))
        }
        if (filter.searchTerm) likeWords(query, ['display_name', 'entity_key'], filter.searchTerm)
        if (filter.updatedFrom) query.where('updated_at', '>=', filter.updatedFrom)
        if (filter.updatedTo) query.where('updated_at', '<', filter.updatedTo)
      }
      const filtered = () => {
        const query = rows()
        restrict(query)
        return query.select<StructuralEntityRow[]>([...listedColumns, db.raw(sizeWithType)])
      }
      const mark = () => hierarchyVersion(db, tenant)
      const counted = async () => Number((await filtered().clearSelect().count({ total: '*' }).first())?.total)
      const count = () => totalOf(db, tenant, { list: ['entities', filter], mark, count: counted })
      if (orderId === undefined)
        return readPage<StructuralEntityRow>(filtered, 'entity_key', page, { count }, documents)
      const found = await orderedPage(db, tenant, { list: 'entity', orderId }, page, { restrict, count })
      const read = async (keys: string[], maxBytes: number) => {
        const listed = rows()
          .whereIn('entity_key', keys)
          .select([...listedColumns, db.raw(sizeWithType)])
        const entities: (StructuralEntityRow & Sized)[] = await withDocuments(listed, documents, maxBytes)
        return new Map(entities.map(entity => [entity.entity_key, entity]))
      }
      const filled = await addDocuments(found, page, ({ owner }) => owner, read)
      return { ...filled, rows: filled.rows.map(row => ({ ...row, [page.column]: row.sort })) }
    },

    /** Adds the structure types to entities, reading them for all rows at once. */
    async withTypes(found: readonly StructuralEntityRow[]): Promise<StructuralEntity[]> {
      const types = await structureTypeStore(db, tenant).byKeys(found.map(row => row.type_key))
      return found.flatMap(row => {
        const type = types.get(row.type_key)
        return type ? [present(row, type)] : []
      })
    },

    /**
     * Reads the entities to which a subject is assigned, sorted by key, in slices that are not too large to be in memory. Usually there
     * is one slice, which takes one statement, including the types.
     */
    async *ofSubject(subjectId: string): AsyncGenerator<StructuralEntity[], void, undefined> {
      const bound = [tenant, subjectId]
      const found = await rowsOf<StructuralEntityRow & StructureTypeRow>(db, entitiesOfSubject, [...bound, ...bound])
      if (found.length > 0) return yield ofOneStatement(found)
      let rest = await rowsOf<SizedPlace>(db, sizesOfSubject, bound)
      while (rest.length > 0) {
        const fitting = fittingRows(rest, smallPage)
        yield await this.byKeys(rest.slice(0, fitting).map(({ entity_key }) => entity_key))
        rest = rest.slice(fitting)
      }
    },

    /**
     * Reads the entities to which several subjects are assigned, by subject and sorted by key. Reads all subjects together.
     * @param maxBytes reads only how large they are, if they are larger than this together.
     */
    async ofSubjects(
      subjectIds: readonly string[],
      maxBytes: number,
    ): Promise<Map<string, { places: Place[] } & Sized>> {
      const isBounded = Number.isFinite(maxBytes)
      const query: Knex.QueryBuilder<SizedPlace, SizedPlace[]> = db('subject_locations as l')
        .joinRaw('JOIN structural_entities e ON e.tenant_id = l.tenant_id AND e.entity_key = l.entity_key')
        .joinRaw('JOIN structure_types t ON t.tenant_id = e.tenant_id AND t.type_key = e.type_key')
        .where({ 'l.tenant_id': tenant })
        .whereIn('l.subject_id', [...subjectIds])
        .orderBy(['l.subject_id', 'l.entity_key'])
        .select('l.subject_id', 'l.entity_key', db.raw('e.bytes + t.bytes AS bytes'))
      const places = await (isBounded ? query.limit(maxPlaces + 1) : query)
      const bySubject = groupedBy(places, ({ subject_id }) => subject_id)
      // The places of the last subject, and of those without any, may lie beyond the limit.
      const isComplete = places.length <= maxPlaces || !isBounded
      if (!isComplete) bySubject.delete(places.at(-1)?.subject_id ?? '')
      const isLarge = (held: readonly Sized[]) => totalBytes(held) > maxOfPlaces
      const sizes = subjectIds.map(id => {
        const held = bySubject.get(id)
        if (!held) return isComplete ? 0 : Number.POSITIVE_INFINITY
        return isLarge(held) ? held.length * bytesOfPlace : totalBytes(held)
      })
      const isSmall = sizes.reduce((sum, bytes) => sum + bytes, 0) <= maxBytes
      const whole = [...bySubject.values()].flatMap(held => (isSmall && !isLarge(held) ? held : []))
      const entities = await this.byKeys([...new Set(whole.map(({ entity_key }) => entity_key))])
      const byKey = new Map(entities.map(entity => [entity.key, entity]))
      const brief = new Map<string, Place[]>()
      for (const [id, held] of isSmall ? bySubject : []) {
        if (isLarge(held)) brief.set(id, (await rowsOf<PlaceRow>(db, placesOfSubject, [tenant, id])).map(placeOf))
      }
      const placesOf = (id: string) =>
        brief.get(id) ?? (bySubject.get(id) ?? []).flatMap(({ entity_key }) => byKey.get(entity_key) ?? [])
      return new Map(subjectIds.map((id, n) => [id, { places: placesOf(id), bytes: sizes[n] ?? 0 }]))
    },

    async byKey(key: string): Promise<StructuralEntity | undefined> {
      return (await this.byKeys([key]))[0]
    },

    /** Reads entities, sorted by key. Skips keys that do not exist. */
    async byKeys(keys: readonly string[]): Promise<StructuralEntity[]> {
      if (keys.length === 0) return []
      const found: StructuralEntityRow[] = await rows()
        .whereIn('entity_key', [...keys])
        .orderBy('entity_key')
        .select(columns.slice(1))
      return this.withTypes(found)
    },

    /** Counts the children and the subjects of entities, with two statements. Entities that have neither are left out. */
    async counts(keys: readonly string[]): Promise<Map<string, { Children: number; Subjects: number }>> {
      const counted = (table: string, column: string): Promise<{ entity: string; total: number }[]> =>
        db(table)
          .where({ tenant_id: tenant })
          .whereIn(column, [...keys])
          .groupBy(column)
          .select({ entity: column, total: db.raw('COUNT(*)') })
      const children = await counted('structural_entities', 'parent_key')
      const subjects = await counted('subject_locations', 'entity_key')
      const found = new Map<string, { Children: number; Subjects: number }>()
      for (const { entity, total } of children) found.set(entity, { Children: Number(total), Subjects: 0 })
      for (const { entity, total } of subjects)
        found.set(entity, { Children: found.get(entity)?.Children ?? 0, Subjects: Number(total) })
      return found
    },

    /** Returns the keys that exist. */
    async existing(keys: Iterable<string>): Promise<Set<string>> {
      const found = new Set<string>()
      for (const some of slices([...new Set(keys)])) {
        for (const row of await rows().whereIn('entity_key', some).select('entity_key')) found.add(row.entity_key)
      }
      return found
    },

    /**
     * Creates or replaces one entity.
     * @throws Problem 400, 403, 404 as {@link planEntities}.
     */
    async upsert(item: EntityInput, rules: EntityRules): Promise<'created' | 'updated'> {
      const [planned] = await transaction(db, tenant, trx => upsertEntities(trx, tenant, [item], rules))
      return planned?.outcome ?? 'created'
    },

    /** Removes an entity. @throws Problem 404 when it does not exist, 409 while it has children or subjects. */
    async remove(key: string): Promise<void> {
      await transaction(db, tenant, async trx => {
        const { version } = await lockHierarchy(trx, tenant)
        // Whoever assigns a subject locks the entity in share mode. This lock waits for earlier assignments, so that they are visible,
        // and keeps out later ones.
        await trx('structural_entities').where({ tenant_id: tenant, entity_key: key }).forUpdate().first('entity_key')
        const child = await trx('structural_entities').where({ tenant_id: tenant, parent_key: key }).first('entity_key')
        const assigned = trx('subject_locations').where({ tenant_id: tenant, entity_key: key }).first('subject_id')
        const subject = await currentIn(trx, assigned)
        if (child)
          throw conflict(
            'structural-entity-has-children',
            `'${key}' has child entities, for example '${child.entity_key}'.`,
          )
        if (subject) throw conflict('structural-entity-has-subjects', `Subjects are assigned to '${key}'.`)
        const removed = await trx('structural_entities').where({ tenant_id: tenant, entity_key: key }).delete()
        if (removed === 0) throw notFound(`There is no structural entity '${key}'.`)
        const inGroups = () => trx('structure_group_entities').where({ tenant_id: tenant, entity_key: key })
        const groups: string[] = await inGroups().pluck('group_key')
        await inGroups().delete()
        await writeChanges(trx, tenant, 'entity', [{ id: key, kind: 'deleted' }])
        const changed = groups.map((id): Change<'group'> => ({ id, kind: 'updated' }))
        await writeChanges(trx, tenant, 'group', changed)
        await leaveOrders(trx, tenant, 'entity', key)
        await setHierarchyVersion(trx, tenant, version + 1)
      })
    },
  }
}

type PlaceRow = Omit<StructuralEntityRow, 'type_key' | 'custom_values'>

const placeOf = (row: PlaceRow): Place => ({
  key: row.entity_key,
  displayName: row.display_name,
  parentKey: row.parent_key,
  depth: row.depth,
  updatedAt: row.updated_at,
})

const present = (row: StructuralEntityRow, type: StructureType): StructuralEntity => ({
  ...placeOf(row),
  type,
  values: row.custom_values === null ? {} : JSON.parse(row.custom_values),
})

/**
 * Creates or replaces entities inside the caller's transaction, all or none.
 * @returns what was written, parents first. @throws Problem as {@link planEntities}.
 */
async function upsertEntities(
  trx: Knex.Transaction,
  tenant: TenantId,
  items: readonly EntityInput[],
  rules: EntityRules,
): Promise<PlannedEntity[]> {
  const { version, orders } = await lockHierarchy(trx, tenant)
  const planned = await planEntities(trx, tenant, items, rules)
  await writeEntities(trx, tenant, planned, orders)
  tellIds(planned.map(({ key }) => key))
  await setHierarchyVersion(trx, tenant, version + 1)
  return planned
}

/**
 * Writes planned entities. The transaction must have locked the hierarchy, and the plan must fit its current state.
 * @param orders as `lockHierarchy` has returned them.
 */
export async function writeEntities(
  trx: Knex.Transaction,
  tenant: TenantId,
  planned: readonly PlannedEntity[],
  orders: readonly FieldOrder[],
): Promise<void> {
  const rows = planned.map(({ key, displayName, parentKey, depth, typeKey, customValues }) => [
    ...[tenant, key, displayName, parentKey, depth, typeKey, presentTime, customValues],
  ])
  const changes = await changesBy(trx, tenant, planned)
  await upsertRows(trx, 'structural_entities', columns, rows, columns.slice(2))
  await writeChanges(trx, tenant, 'entity', changes)
  await syncOrders(trx, tenant, 'entity', orders, () =>
    planned.map(({ key, customValues }) => ({ id: key, values: JSON.parse(customValues ?? '{}') })),
  )
  // Updates the depths below all entities that existed, not only below the moved ones: an earlier chunk may have moved something above.
  const present = planned.flatMap(({ key, outcome }) => (outcome === 'updated' ? [key] : []))
  if (planned.some(({ isMoved }) => isMoved)) await settleDepths(trx, tenant, present)
}

/** Returns the changes that planned entities make, for their feed. An entity that stays the same makes none. */
async function changesBy(
  trx: Knex.Transaction,
  tenant: TenantId,
  planned: readonly PlannedEntity[],
): Promise<Change<'entity'>[]> {
  const before = new Map<string, StructuralEntityRow>()
  for (const some of slices(planned.flatMap(({ key, outcome }) => (outcome === 'updated' ? [key] : [])))) {
    const rows: StructuralEntityRow[] = await trx('structural_entities')
      .where({ tenant_id: tenant })
      .whereIn('entity_key', some)
      .select(columns.slice(1))
    for (const row of rows) before.set(row.entity_key, row)
  }
  return planned.flatMap(({ key: id, displayName, parentKey, typeKey, customValues }): Change<'entity'>[] => {
    const was = before.get(id)
    if (!was) return [{ id, kind: 'created' }]
    const isSame = was.display_name === displayName && was.type_key === typeKey && was.custom_values === customValues
    const kinds: ChangeKind<'entity'>[] = [
      ...(was.parent_key === parentKey ? [] : (['moved'] as const)),
      ...(isSame ? [] : (['updated'] as const)),
    ]
    return kinds.map(kind => ({ id, kind }))
  })
}

/**
 * Updates the depths of all descendants. One statement finds the rows with an outdated depth, however large the subtrees are. It names
 * its index, because after a large bulk the server's statistics are outdated, and it would read all entities of the tenant for each one
 * that has moved.
 */
async function settleDepths(trx: Knex.Transaction, tenant: TenantId, tops: readonly string[]): Promise<void> {
  for (const some of slices(tops)) {
    const [stale = []]: { entity_key: string; by: number }[][] = await trx.raw(
      `WITH RECURSIVE stale (entity_key, depth, was) AS (
         SELECT e.entity_key, top.depth + 1, e.depth
         FROM structural_entities top STRAIGHT_JOIN structural_entities e FORCE INDEX (structural_entities_by_parent)
           ON e.tenant_id = top.tenant_id AND e.parent_key = top.entity_key
         WHERE top.tenant_id = ? AND top.entity_key IN (${some.map(() => '?')}) AND e.depth <> top.depth + 1
         UNION ALL
         SELECT e.entity_key, stale.depth + 1, e.depth
         FROM stale STRAIGHT_JOIN structural_entities e FORCE INDEX (structural_entities_by_parent)
           ON e.tenant_id = ? AND e.parent_key = stale.entity_key
         WHERE e.depth <> stale.depth + 1
       ) SELECT ${anyDepth} entity_key, CAST(depth AS SIGNED) - CAST(was AS SIGNED) AS \`by\` FROM stale`,
      [tenant, ...some, tenant],
    )
    for (const [by, rows] of groupedBy(stale, row => Number(row.by))) {
      for (const few of slices(rows.map(row => row.entity_key))) {
        await trx('structural_entities')
          .where({ tenant_id: tenant })
          .whereIn('entity_key', few)
          .update({ depth: trx.raw('CAST(depth AS SIGNED) + ?', [by]), updated_at: now(trx) })
      }
    }
  }
}
