// The part of a hierarchy that a batch of entities needs for its plan.
import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import { inStrides } from '../../../runtime/large-work.js'
import type { Db, TenantId } from '../../connect.js'
import { primaryOf } from '../../replicas.js'
import { slices } from '../../rows.js'
import { hierarchyVersion } from './hierarchy.js'
import { type StructureType, structureTypeStore } from './structure-types.js'

/** The place and the type of an entity. */
export interface Known {
  parentKey: string | null
  depth: number
  typeKey: string
}

type KnownRow = [key: string, parentKey: string | null, depth: number, typeKey: string]

/** The stored entities and types that a batch names. */
export interface HierarchyState {
  types: ReadonlyMap<string, StructureType>
  entities: ReadonlyMap<string, Known>
  /** An entity of the batch gets another parent; then all ancestors are known. Otherwise every depth stays as it is. */
  moves: boolean
}

/** The place of an item in the hierarchy, as the batch has it. */
interface Named {
  Key: string
  ParentKey?: string | null | undefined
  StructureTypeKey: string
}

/** Batches from this size on read the whole hierarchy at once where it is not much larger than the batch. */
const wholeFrom = 5_000

/**
 * Reads the types, the items that exist and their parents; the ancestors only where an item moves.
 * @param own the items that exist, where they are known already.
 */
export async function loadState(
  db: Db,
  tenant: TenantId,
  items: readonly Named[],
  own?: ReadonlyMap<string, Known>,
): Promise<HierarchyState> {
  const typeKeys = new Set<string>()
  await inStrides(items, item => typeKeys.add(item.StructureTypeKey))
  const types = await structureTypeStore(db, tenant).byKeys(typeKeys)
  const entities = new Map<string, Known>()
  const note = (rows: KnownRow[]) =>
    inStrides(rows, ([key, parentKey, depth, typeKey]) => entities.set(key, { parentKey, depth, typeKey }))
  const rows = () => db('structural_entities').where({ tenant_id: tenant })
  const read = async (some: ReturnType<typeof rows>) =>
    await note(await some.select(known).options({ rowsAsArray: true }))
  const isWhole = !own && items.length >= wholeFrom && (await size(rows())) <= items.length * 3
  const parents = new Set<string>()
  if (isWhole) await read(rows())
  else {
    const unread = new Set<string>()
    await inStrides(items, ({ Key, ParentKey }) => {
      const mine = own?.get(Key)
      if (mine) entities.set(Key, mine)
      else if (!own) unread.add(Key)
      if (ParentKey) parents.add(ParentKey)
    })
    await inStrides(parents, key => {
      if (!entities.has(key)) unread.add(key)
    })
    for (const some of slices([...unread], 2_000)) await read(rows().whereIn('entity_key', some))
  }
  let moves = false
  await inStrides(items, ({ Key, ParentKey }) => {
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

/** Reads entities and everything above them, in one statement however deep they are; an ancestor of several is read once. */
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
       ) SELECT entity_key, parent_key, depth, type_key FROM above`,
      [tenant, ...keys, tenant],
    )
    .options({ rowsAsArray: true })
  return rows
}

/** Statement for the keys of entities and of all that is below them, each once. Bindings: tenant, key, tenant. */
const region = `WITH RECURSIVE region (entity_key) AS (
   SELECT entity_key FROM structural_entities WHERE tenant_id = ? AND entity_key IN (?)
   UNION
   SELECT e.entity_key
   FROM region STRAIGHT_JOIN structural_entities e FORCE INDEX (structural_entities_by_parent)
     ON e.tenant_id = ? AND e.parent_key = region.entity_key
 ) SELECT entity_key FROM region`

/** Some entities, as filters take them. */
export interface EntitySet {
  keys: ReadonlySet<string>
  /** The same for the same keys, and short: totals of lists are remembered by it. */
  name: unknown
}

/** The entities with these keys. */
export const entitySet = (keys: readonly string[]): EntitySet => ({ keys: new Set(keys), name: keys })

/** Regions as they were read last, some 100 MB of keys at most, for all servers of a database together. */
const regions = new WeakMap<Db, LRUCache<string, EntitySet & { version: number }>>()

/**
 * Entities and all entities below them, however many and however deep. A region that was read before is read again
 * when anything in the hierarchy has changed.
 */
export async function regionOf(db: Db, tenant: TenantId, tops: readonly string[]): Promise<EntitySet> {
  const of = primaryOf(db)
  const known = regions.get(of) ?? new LRUCache({ maxSize: 500_000, sizeCalculation: ({ keys }) => keys.size + 1 })
  regions.set(of, known)
  const sorted = tops.toSorted()
  const name = JSON.stringify([tenant, sorted])
  // Before the keys are read: a change meanwhile makes it an older one.
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

/** Keeps the entities below one, itself left out. */
export function belowEntity(query: Knex.QueryBuilder, tenant: TenantId, ancestorKey: string): void {
  query.whereNot('entity_key', ancestorKey).whereRaw(`entity_key IN (${region})`, [tenant, ancestorKey, tenant])
}

/** The greatest depth that a tenant's entities have now; 0 where there is none. The end of an index. */
export async function greatestDepth(db: Db, tenant: TenantId): Promise<number> {
  const row = await db('structural_entities').where({ tenant_id: tenant }).max({ depth: 'depth' }).first()
  return Number(row?.depth ?? 0)
}

/**
 * The greatest depth that each of these entities has below it now, itself included.
 * @param except entities that are left out with all that is below them.
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
       ) SELECT top, MAX(depth) AS depth FROM below GROUP BY top`,
      [tenant, ...some, tenant, ...except],
    )
    for (const { top, depth } of rows) depths.set(top, Number(depth))
  }
  return depths
}
