// Reads parts of a tenant's hierarchy: what a batch of entities needs for its plan, what is above or below an entity, and depths.
import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import { forEachCooperatively } from '../../../runtime/load/cooperative-work.js'
import type { Db, TenantId } from '../../connect.js'
import { primaryOf } from '../../replicas.js'
import { anyDepth, slices } from '../../rows.js'
import { hierarchyVersion } from './hierarchy.js'
import { type StructureType, structureTypeStore } from './structure-types.js'

/** The parent, depth and type of a stored entity. */
export interface StoredEntity {
  parentKey: string | null
  depth: number
  typeKey: string
}

type KnownRow = [key: string, parentKey: string | null, depth: number, typeKey: string]

/** The stored entities and types that a batch refers to. */
export interface HierarchyState {
  types: ReadonlyMap<string, StructureType>
  entities: ReadonlyMap<string, StoredEntity>
  /** True if an existing entity gets another parent. Only then are all ancestors in `entities`; otherwise no stored depth changes. */
  moves: boolean
}

/** What a batch says about the place and type of an item. */
interface Named {
  Key: string
  ParentKey?: string | null | undefined
  StructureTypeKey: string
}

/** For a batch of at least this size, the whole hierarchy is read at once, unless it is more than three times as large as the batch. */
const wholeFrom = 5_000

/**
 * Reads the types of a batch, its items as far as they exist, and their parents. Also reads all ancestors if an item moves.
 * @param own the existing items, if the caller has read them already.
 */
export async function loadState(
  db: Db,
  tenant: TenantId,
  items: readonly Named[],
  own?: ReadonlyMap<string, StoredEntity>,
): Promise<HierarchyState> {
  const typeKeys = new Set<string>()
  await forEachCooperatively(items, item => typeKeys.add(item.StructureTypeKey))
  const types = await structureTypeStore(db, tenant).byKeys(typeKeys)
  const entities = new Map<string, StoredEntity>()
  const note = (rows: KnownRow[]) =>
    forEachCooperatively(rows, ([key, parentKey, depth, typeKey]) => entities.set(key, { parentKey, depth, typeKey }))
  const rows = () => db('structural_entities').where({ tenant_id: tenant })
  const read = async (some: ReturnType<typeof rows>) =>
    await note(await some.select(known).options({ rowsAsArray: true }))
  const isWhole = !own && items.length >= wholeFrom && (await size(rows())) <= items.length * 3
  const parents = new Set<string>()
  if (isWhole) await read(rows())
  else {
    const unread = new Set<string>()
    await forEachCooperatively(items, ({ Key, ParentKey }) => {
      const mine = own?.get(Key)
      if (mine) entities.set(Key, mine)
      else if (!own) unread.add(Key)
      if (ParentKey) parents.add(ParentKey)
    })
    await forEachCooperatively(parents, key => {
      if (!entities.has(key)) unread.add(key)
    })
    for (const some of slices([...unread], 2_000)) await read(rows().whereIn('entity_key', some))
  }
  let moves = false
  await forEachCooperatively(items, ({ Key, ParentKey }) => {
    const before = entities.get(Key)
    if (before !== undefined && before.parentKey !== (ParentKey ?? null)) moves = true
  })
  if (moves && !isWhole) {
    for (const some of slices([...parents], 2_000)) await note(await ancestors(db, tenant, some))
  }
  return { types, entities, moves }
}

const known = ['entity_key', 'parent_key', 'depth', 'type_key'] as const

async function size(rows: Knex.QueryBuilder): Promise<number> {
  return Number((await rows.count({ size: '*' }).first())?.size)
}

/** Reads entities and everything above them, each once, in one statement regardless of depth. */
export async function ancestors(db: Db, tenant: TenantId, keys: readonly string[]): Promise<KnownRow[]> {
  const [rows = []]: KnownRow[][] = await db
    .raw(
      `WITH RECURSIVE above (entity_key, parent_key, depth, type_key) AS (
         SELECT entity_key, parent_key, depth, type_key FROM structural_entities
         WHERE tenant_id = ? AND entity_key IN (${keys.map(() => '?')})
         UNION
         SELECT e.entity_key, e.parent_key, e.depth, e.type_key
         FROM above STRAIGHT_JOIN structural_entities e FORCE INDEX (PRIMARY)
           ON e.tenant_id = ? AND e.entity_key = above.parent_key
       ) SELECT ${anyDepth} entity_key, parent_key, depth, type_key FROM above`,
      [tenant, ...keys, tenant],
    )
    .options({ rowsAsArray: true })
  return rows
}

/** SQL for the keys of entities and of everything below them, each once. Bindings: tenant, key, tenant. */
const region = `WITH RECURSIVE region (entity_key) AS (
   SELECT entity_key FROM structural_entities WHERE tenant_id = ? AND entity_key IN (?)
   UNION
   SELECT e.entity_key
   FROM region STRAIGHT_JOIN structural_entities e FORCE INDEX (structural_entities_by_parent)
     ON e.tenant_id = ? AND e.parent_key = region.entity_key
 ) SELECT ${anyDepth} entity_key FROM region`

/** A set of entities for a filter. */
export interface EntitySet {
  keys: ReadonlySet<string>
  /** Identifies the set of keys: equal names mean equal keys. Totals of lists are remembered by it, so it should be short. */
  name: unknown
}

/** Creates a set of the entities with these keys. */
export const entitySet = (keys: readonly string[]): EntitySet => ({ keys: new Set(keys), name: keys })

/** Caches the regions that were read last, with at most some 100 MB of keys. The primary and its replicas share one cache. */
const regions = new WeakMap<Db, LRUCache<string, EntitySet & { version: number }>>()

/**
 * Returns entities together with all entities below them, at any depth. The result is cached until anything in the tenant's hierarchy
 * changes.
 */
export async function regionOf(db: Db, tenant: TenantId, tops: readonly string[]): Promise<EntitySet> {
  const of = primaryOf(db)
  const known = regions.get(of) ?? new LRUCache({ maxSize: 500_000, sizeCalculation: ({ keys }) => keys.size + 1 })
  regions.set(of, known)
  const sorted = tops.toSorted()
  const name = JSON.stringify([tenant, sorted])
  // The version is read before the keys. If the hierarchy changes in between, the cached region has an old version and is read again.
  const version = await hierarchyVersion(db, tenant)
  const region = known.get(name)
  if (region?.version === version) return region
  const read = { keys: await readRegion(db, tenant, tops), name: { below: sorted, version }, version }
  known.set(name, read)
  return read
}

async function readRegion(db: Db, tenant: TenantId, tops: readonly string[]): Promise<ReadonlySet<string>> {
  const statement = region.replace('(?)', `(${tops.map(() => '?')})`)
  const [rows = []]: [string][][] = await db.raw(statement, [tenant, ...tops, tenant]).options({ rowsAsArray: true })
  return new Set(rows.map(([key]) => key))
}

/** Restricts a query to the entities below one, without that entity itself. */
export function belowEntity(query: Knex.QueryBuilder, tenant: TenantId, ancestorKey: string): void {
  query.whereNot('entity_key', ancestorKey).whereRaw(`entity_key IN (${region})`, [tenant, ancestorKey, tenant])
}

/** Returns the greatest depth of a tenant's entities, or 0 if there are none. Cheap, because it only reads the end of an index. */
export async function greatestDepth(db: Db, tenant: TenantId): Promise<number> {
  const row = await db('structural_entities').where({ tenant_id: tenant }).max({ depth: 'depth' }).first()
  return Number(row?.depth ?? 0)
}

/**
 * Returns the greatest depth in the subtree of each of these entities.
 * @param except entities that are left out, together with everything below them.
 */
export async function depthsBelow(
  db: Db,
  tenant: TenantId,
  tops: readonly string[],
  except: readonly string[],
): Promise<Map<string, number>> {
  const depths = new Map<string, number>()
  for (const some of slices(tops, 10_000)) {
    const [rows = []]: { top: string; depth: number }[][] = await db.raw(
      `WITH RECURSIVE below (top, entity_key, depth) AS (
         SELECT entity_key, entity_key, depth FROM structural_entities
         WHERE tenant_id = ? AND entity_key IN (${some.map(() => '?')})
         UNION ALL
         SELECT below.top, e.entity_key, e.depth
         FROM below STRAIGHT_JOIN structural_entities e FORCE INDEX (structural_entities_by_parent)
           ON e.tenant_id = ? AND e.parent_key = below.entity_key
         WHERE e.entity_key NOT IN (${except.map(() => '?')})
       ) SELECT ${anyDepth} top, MAX(depth) AS depth FROM below GROUP BY top`,
      [tenant, ...some, tenant, ...except],
    )
    for (const { top, depth } of rows) depths.set(top, Number(depth))
  }
  return depths
}
