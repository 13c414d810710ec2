// Finds the place of every row of an import of structural entities in the hierarchy, and refuses rows that have none.
import { largeWork } from '../../../runtime/load/cooperative-work.js'
import type { FaultCode } from '../../../runtime/problems/fault-codes.js'
import type { Db, TenantId } from '../../connect.js'
import type { PlannedItem } from '../../jobs/chunks.js'
import { ancestors, type HierarchyState, loadState } from '../hierarchy/hierarchy-state.js'
import { type EntityRules, findTooDeep, type PlannedEntity, parentsFirst } from '../hierarchy/structural-entity-plan.js'

/** A row of an import as it was read. Its depth is 0 until it is planned. */
export type ReadEntity = ImportedEntity | RefusedEntity

/** An entity of a row that is valid by its own content. */
export interface ImportedEntity extends PlannedEntity {
  /** Offset of the row in the upload, in bytes. */
  byte: number
}

/** A row that was refused for its own content but has a readable key. Only the key is stored, for the rows below it. */
export interface RefusedEntity extends PlannedItem {
  isRefused: true
}

/** Why a row has no place in the hierarchy. */
export interface PlaceFault {
  pointer: '/Key' | '/ParentKey'
  code: FaultCode
  detail: string
}

/** The rows of an import that can be written, parents first, and the faults of the others by row number. */
export interface EntityPlan {
  planned: ImportedEntity[]
  faults: Map<number, FaultyRow>
}

/** A row that has no place in the hierarchy, and its offset in the upload, in bytes. */
type FaultyRow = PlaceFault & Pick<ImportedEntity, 'byte'>

/**
 * Plans the rows of an import. If a row is refused, its entity stays where it is: rows below it are still planned if that entity exists
 * already, and are refused as well if it does not.
 * @param read the rows that were read, in the order of the file.
 */
export async function orderEntities(
  db: Db,
  tenant: TenantId,
  read: AsyncIterable<ReadEntity[]>,
  rules: Pick<EntityRules, 'maxDepth'>,
): Promise<EntityPlan> {
  const faults = new Map<number, FaultyRow>()
  const { rows, refused } = await firstRows(read, faults)
  const named = Array.from(rows.values(), ({ key, parentKey, typeKey }) => ({
    ...{ Key: key, ParentKey: parentKey, StructureTypeKey: typeKey },
  }))
  const state = await loadState(db, tenant, named)
  const stored = new Map(state.entities)
  const hierarchy: Hierarchy = {
    ...{ rows, refused, stored, moves: state.moves, maxDepth: rules.maxDepth },
    refuse(key, fault) {
      const row = rows.get(key)
      if (!row) return
      rows.delete(key)
      refused.set(key, row.index)
      faults.set(row.index, { ...fault, byte: row.byte })
    },
    async readAbove(key) {
      for (const [each, parentKey, depth, typeKey] of await ancestors(db, tenant, [key]))
        stored.set(each, { parentKey, depth, typeKey })
    },
  }
  let found: [key: string, fault: PlaceFault][]
  do {
    await placeRows(hierarchy)
    found = state.moves ? await takenTooDeep(db, tenant, hierarchy) : []
    for (const [key, fault] of found) hierarchy.refuse(key, fault)
  } while (found.length > 0)
  for (const entity of rows.values()) {
    const { key, depth, parentKey } = entity
    const before = stored.get(key)
    entity.outcome = before ? 'updated' : 'created'
    entity.isMoved = before !== undefined && (before.parentKey !== parentKey || before.depth !== depth)
    if (!before) entity.effect = 'created'
    else if (before.parentKey !== parentKey) entity.effect = 'moved'
    else if (entity.effect !== 'unchanged') entity.effect = 'updated'
  }
  return { planned: await parentsFirst(rows.values()), faults }
}

/** The rows of an import, together with the part of the stored hierarchy that they need. */
interface Hierarchy {
  /** The rows that are not refused, by the key of their entity. */
  rows: Map<string, ImportedEntity>
  /** The numbers of refused rows, by the key of their entity. */
  refused: ReadonlyMap<string, number>
  /** The stored entities that the rows refer to. */
  stored: HierarchyState['entities']
  /** True if a row gives an existing entity another parent. */
  moves: boolean
  maxDepth: number
  /** Refuses the row of an entity, if it has one. */
  refuse(key: string, fault: PlaceFault): void
  /** Reads an entity and all entities above it into `stored`. */
  readAbove(key: string): Promise<void>
}

/** Finds the first row of each key, and refuses later ones. */
async function firstRows(read: AsyncIterable<ReadEntity[]>, faults: Map<number, FaultyRow>) {
  const rows = new Map<string, ImportedEntity>()
  const refused = new Map<string, number>()
  for await (const items of read) {
    for (const item of items) {
      const { index: row, key } = item
      const first = rows.get(key)?.index ?? refused.get(key)
      if ('isRefused' in item) {
        if (first === undefined) refused.set(key, row)
      } else if (first === undefined) rows.set(key, item)
      else {
        const detail = `The key '${key}' is given twice, first in row ${first}.`
        faults.set(row, { pointer: '/Key', code: 'duplicate-key', detail, byte: item.byte })
      }
    }
    await largeWork.turn()
  }
  return { rows, refused }
}

/** How many rows are placed before other work of the process gets a turn; they take some ms. */
const stride = 2_000

/** Computes the depth of each row, and refuses rows that have an unknown parent, are part of a cycle, or get too deep. */
async function placeRows(hierarchy: Hierarchy): Promise<void> {
  const depths = new Map<string, number>()
  let n = 0
  for (const key of hierarchy.rows.keys()) {
    if (++n % stride === 0) await largeWork.turn()
    if (!depths.has(key)) await placeRow(key, depths, hierarchy)
  }
}

/**
 * Climbs from a row until it reaches a root or an entity with known depth, then sets the depths on the way back. Each round of the loop
 * looks at the last entity of the path: it adds the parent, or sets the depth and removes the entity. If the row of an entity is
 * refused, the entity is looked at again with its stored parent.
 */
async function placeRow(start: string, depths: Map<string, number>, hierarchy: Hierarchy): Promise<void> {
  const { rows, refused, stored, moves, maxDepth, refuse } = hierarchy
  const path = new Map<string, number>([[start, 0]])
  const keys = [start]
  const cutPath = (from: number) => {
    const removed = keys.splice(from)
    for (const key of removed) path.delete(key)
    return removed
  }
  for (let key = keys.at(-1); key !== undefined; key = keys.at(-1)) {
    const row = rows.get(key)
    const before = stored.get(key)
    if (!row && !before) {
      cutPath(keys.length - 1)
      const below = keys.at(-1)
      if (below === undefined) continue
      if (!rows.has(below)) throw new Error(`'${below}' was written while it was read`)
      refuse(below, refused.has(key) ? parentRefused(key) : unknownParent(key))
      continue
    }
    const parent = row ? row.parentKey : (before?.parentKey ?? null)
    const known = parent === null ? 0 : depths.get(parent)
    // If no row moves its entity, stored depths stay as they are, and nothing above the parents of the rows was read.
    const above = row || moves ? known : (before?.depth ?? 1) - 1
    if (above === undefined && parent !== null) {
      const from = path.get(parent)
      if (from === undefined) {
        if (!row && !stored.has(parent)) await hierarchy.readAbove(parent)
        path.set(parent, keys.length)
        keys.push(parent)
      } else {
        const around = cutPath(from)
        if (!around.some(each => rows.has(each))) throw new Error(`'${key}' was written while it was read`)
        for (const [n, each] of around.entries()) refuse(each, cycle(around, n))
      }
      continue
    }
    const depth = (above ?? 0) + 1
    if (row && depth > maxDepth && depth > (before?.depth ?? 0)) {
      refuse(key, tooDeep(`The entity '${key}'`, depth, maxDepth))
      continue
    }
    if (row) row.depth = depth
    depths.set(key, depth)
    cutPath(keys.length - 1)
  }
}

/** Finds rows whose move would take entities below them, which have no row of their own, beyond the greatest depth. */
async function takenTooDeep(db: Db, tenant: TenantId, { rows, stored, maxDepth }: Hierarchy) {
  const existing = [...rows.values()].filter(({ key }) => stored.has(key))
  const found: [key: string, fault: PlaceFault][] = []
  await findTooDeep(
    db,
    tenant,
    existing.map(({ key }) => ({ Key: key })),
    {
      ...{ state: { entities: stored }, depths: existing.map(({ depth }) => depth), rules: { maxDepth } },
      report: (n, _, code, detail) => found.push([existing[n]?.key ?? '', { pointer: '/ParentKey', code, detail }]),
    },
  )
  return found
}

const unknownParent = (parent: string): PlaceFault => ({
  pointer: '/ParentKey',
  code: 'unknown-parent',
  detail: `There is no structural entity '${parent}', neither here nor in the upload.`,
})

const parentRefused = (parent: string): PlaceFault => ({
  pointer: '/ParentKey',
  code: 'parent-refused',
  detail: `The row of its parent '${parent}' is refused.`,
})

const tooDeep = (what: string, depth: number, maxDepth: number): PlaceFault => ({
  pointer: '/ParentKey',
  code: 'too-deep',
  detail: `${what} would be at depth ${depth}; the greatest depth is ${maxDepth}.`,
})

/** The most entities of a cycle that a fault lists. */
const maxNamed = 10

/** Returns the fault of the nth entity in a cycle. It lists the cycle from that entity on. */
function cycle(around: readonly string[], n: number): PlaceFault {
  const way = [...around.slice(n, n + maxNamed), ...around.slice(0, Math.min(n, maxNamed))]
  const named = around.length > maxNamed ? [...way.slice(0, maxNamed), '…'] : [...way, around[n]]
  const detail = `An entity cannot be below itself: ${named.join(' → ')}.`
  return { pointer: '/ParentKey', code: 'cycle', detail }
}
