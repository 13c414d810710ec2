// Plans an upsert of structural entities: checks every item, and sorts the batch parents first.
import { forEachCooperatively, largeWork } from '../../../runtime/load/cooperative-work.js'
import type { FaultCode } from '../../../runtime/problems/fault-codes.js'
import { conflict, type Fault, forbidden, invalid, notFound } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import type { PlannedItem } from '../../jobs/chunks.js'
import { currentIn, slices } from '../../rows.js'
import type { GivenValue } from '../fields/custom-field.js'
import { readValues } from '../fields/custom-fields.js'
import { type Allows, missingPermissions } from '../fields/upsert-permission.js'
import { depthsBelow, greatestDepth, type HierarchyState, loadState, type StoredEntity } from './hierarchy-state.js'

/** A structural entity as it is to become. Without a parent it is a root, and without values it has none. */
export interface EntityInput {
  Key: string
  DisplayName: string
  ParentKey?: string | null | undefined
  StructureTypeKey: string
  CustomFieldValues?: GivenValue[] | undefined
}

/** An entity ready to be written. */
export interface PlannedEntity extends PlannedItem {
  displayName: string
  parentKey: string | null
  typeKey: string
  /** As they are stored. */
  customValues: string | null
  /** It exists, and gets another parent or depth. */
  isMoved: boolean
  /**
   * It exists, and gets a type that accepts no subjects. Assigning a subject does not change the version of the hierarchy, so such an
   * item is checked again when it is written.
   */
  isClosed?: true
  /** What an import counts for it. Bulks leave it out. */
  effect?: EntityEffect
}

/** What writing an entity does to it. `moved` means that it gets another parent. */
export type EntityEffect = 'created' | 'updated' | 'moved' | 'unchanged'

/** The rules a batch of entities is checked against. */
export interface EntityRules {
  allows: Allows
  /** The greatest depth of an entity. A root has depth 1. Entities that are already deeper may stay there, but not get deeper still. */
  maxDepth: number
}

/** A fault of one item; its pointer is relative to the item. */
export interface EntityFault {
  /** Index of the item in the batch. */
  n: number
  /**
   * `permission`: the actor lacks one. `type`: the structure type does not exist. `subjects`: the new type accepts no subjects, but some
   * are assigned. `item`: anything else.
   */
  kind: 'permission' | 'item' | 'type' | 'subjects'
  pointer: string
  code: FaultCode
  detail: string
}

/**
 * Sorts a batch parents first, and finds every fault in it. Writes nothing.
 * @param indexes the items' indexes in the request, if they are not the same as in `items`.
 * @throws Problem 403 when a permission is missing for any item. 400 with every fault: duplicate key, unknown parent,
 *   cycle, depth, custom fields. 404 when the only fault is an unknown structure type. 409 when an entity with subjects
 *   would get a type that takes none.
 */
export async function planEntities(
  db: Db,
  tenant: TenantId,
  items: readonly EntityInput[],
  rules: EntityRules,
  indexes?: readonly number[],
): Promise<PlannedEntity[]> {
  const place = (n: number) => indexes?.[n] ?? n
  const { faults, planned } = await judgeEntities(db, tenant, items, rules, { place })
  const of: Record<EntityFault['kind'], Fault[]> = { permission: [], item: [], type: [], subjects: [] }
  await forEachCooperatively(faults, ({ n, kind, pointer, code, detail }) =>
    of[kind].push({ pointer: `/${place(n)}${pointer}`, code, detail, index: place(n) }),
  )
  const { permission: missing, item: wrong, type: types, subjects: assigned } = of
  if (missing.length > 0) throw forbidden(`${missing[0]?.detail} The client lacks it.`, missing)
  if (wrong.length > 0) throw invalid([...wrong, ...types].sort((a, b) => (a.index ?? 0) - (b.index ?? 0)))
  if (types.length > 0) throw notFound(types[0]?.detail ?? '', types)
  if (assigned.length > 0) throw conflict('subjects-assigned', assigned[0]?.detail ?? '', assigned)
  return planned
}

/**
 * Finds every fault of a batch, and plans it if there is none. Writes nothing.
 * @param options.place returns the number of an item in the request, which its planned entity gets.
 * @param options.own the existing items as they are stored, if the caller has read them already.
 * @returns the faults, and the plan with parents first. The plan is empty if there is any fault.
 */
export async function judgeEntities(
  db: Db,
  tenant: TenantId,
  items: readonly EntityInput[],
  rules: EntityRules,
  { place = n => n, own }: { place?: (n: number) => number; own?: ReadonlyMap<string, StoredEntity> } = {},
): Promise<{ faults: EntityFault[]; planned: PlannedEntity[] }> {
  const byKey = new Map<string, number>()
  const faults: EntityFault[] = []
  const report = (n: number, pointer: string, code: FaultCode, detail: string) =>
    faults.push({ n, kind: 'item', pointer, code, detail })

  await forEachCooperatively(items, ({ Key }, n) => {
    const first = byKey.get(Key)
    if (first === undefined) byKey.set(Key, n)
    else report(n, '/Key', 'duplicate-key', `The key '${Key}' is given twice in the batch, first at ${first}.`)
  })
  const state = await loadState(db, tenant, items, own)
  const judged = await judgeItems(db, tenant, items, state, rules)
  await forEachCooperatively(judged.faults, fault => faults.push(fault))
  const tree = await treeOf(items, byKey, state)
  await forEachCooperatively(items, ({ ParentKey: parent }, n) => {
    if (tree.parents[n] !== unknownParent) return
    const detail = `There is no structural entity '${parent}', neither in the hierarchy nor among the items.`
    report(n, '/ParentKey', 'unknown-parent', detail)
  })
  const depths = await depthsOf(items, byKey, tree, report)
  await findTooDeep(db, tenant, items, { state, depths, rules, report })
  return { faults, planned: faults.length > 0 ? [] : await ordered(items, depths, judged.values, state, place) }
}

/**
 * Finds those faults of items that do not depend on their places in the hierarchy: permissions, types, values and assigned subjects.
 * @returns the faults, and the values of each item in stored form.
 */
export async function judgeItems(
  db: Db,
  tenant: TenantId,
  items: readonly EntityInput[],
  state: Pick<HierarchyState, 'types' | 'entities'>,
  { allows }: Pick<EntityRules, 'allows'>,
): Promise<{ faults: EntityFault[]; values: (string | null)[] }> {
  const keys: string[] = []
  await forEachCooperatively(items, ({ Key }) => keys.push(Key))
  const faults = missingPermissions(keys, key => state.entities.has(key), allows, 'StructuralEntity').map(
    ({ n, detail }): EntityFault => ({ n, kind: 'permission', pointer: '', code: 'missing-permission', detail }),
  )
  const values: (string | null)[] = []
  await forEachCooperatively(items, (item, n) => {
    const type = state.types.get(item.StructureTypeKey)
    if (type) {
      const found: Omit<Fault, 'index'>[] = []
      const stored = readValues(type.customFields, item.CustomFieldValues, found)
      for (const { pointer, code, detail } of found) faults.push({ n, kind: 'item', pointer, code, detail })
      values[n] = stored && JSON.stringify(stored)
    } else {
      const detail = `There is no structure type '${item.StructureTypeKey}'.`
      faults.push({ n, kind: 'type', pointer: '/StructureTypeKey', code: 'unknown-structure-type', detail })
    }
  })
  return { faults: [...faults, ...(await strandedSubjects(db, tenant, items, state))], values }
}

/** Tells whether an item gives an existing entity another type, which accepts no subjects. */
export function closesEntity(
  { Key, StructureTypeKey }: Pick<EntityInput, 'Key' | 'StructureTypeKey'>,
  { types, entities }: Pick<HierarchyState, 'types' | 'entities'>,
): boolean {
  const before = entities.get(Key)
  const type = types.get(StructureTypeKey)
  return before !== undefined && before.typeKey !== StructureTypeKey && type?.subjectAssignable === false
}

/** Finds items that would change the type of an entity with subjects to one that accepts no subjects. */
async function strandedSubjects(
  db: Db,
  tenant: TenantId,
  items: readonly EntityInput[],
  state: Pick<HierarchyState, 'types' | 'entities'>,
): Promise<EntityFault[]> {
  const changed = new Map<string, number>()
  await forEachCooperatively(items, (item, n) => {
    if (closesEntity(item, state)) changed.set(item.Key, n)
  })
  const faults: EntityFault[] = []
  for (const some of slices([...changed.keys()])) {
    const assigned = db('subject_locations').where({ tenant_id: tenant }).whereIn('entity_key', some)
    const rows: { entity_key: string }[] = await currentIn(db, assigned.distinct('entity_key'))
    for (const { entity_key: key } of rows) {
      const n = changed.get(key) ?? 0
      const detail = `Subjects are assigned to '${key}', and the type it is to have takes none.`
      faults.push({ n, kind: 'subjects', pointer: '/StructureTypeKey', code: 'subjects-assigned', detail })
    }
  }
  return faults
}

type Report = (index: number, pointer: string, code: FaultCode, detail: string) => void

/**
 * Reports items that would get deeper than the greatest depth, or whose descendants would. Usually the tenant's present greatest depth,
 * which is cheap to read, rules that out for descendants. Only otherwise are the subtrees of the moved items walked.
 */
export async function findTooDeep(
  db: Db,
  tenant: TenantId,
  items: readonly Pick<EntityInput, 'Key'>[],
  plan: {
    state: Pick<HierarchyState, 'entities'>
    /** The depth of each item after the batch. */
    depths: readonly number[]
    rules: Pick<EntityRules, 'maxDepth'>
    report: Report
  },
): Promise<void> {
  const { state, depths, report } = plan
  const { maxDepth } = plan.rules
  const tooDeep = (n: number, what: string, depth: number) =>
    report(n, '/ParentKey', 'too-deep', `${what} would be at depth ${depth}; the greatest depth is ${maxDepth}.`)
  /** Existing entities that get deeper, and by how much; everything below them gets deeper, too. */
  const sinking = new Map<string, { n: number; by: number }>()
  let most = 0
  await forEachCooperatively(items, ({ Key }, n) => {
    const before = state.entities.get(Key)
    const depth = depths[n] ?? 1
    if (depth <= (before?.depth ?? 0)) return
    if (depth > maxDepth) tooDeep(n, `The entity '${Key}'`, depth)
    else if (before) {
      const by = depth - before.depth
      sinking.set(Key, { n, by })
      most = Math.max(most, by)
    }
  })
  if (sinking.size === 0 || (await greatestDepth(db, tenant)) + most <= maxDepth) return
  const existing = items.flatMap(({ Key }) => (state.entities.has(Key) ? [Key] : []))
  for (const [key, depth] of await depthsBelow(db, tenant, [...sinking.keys()], existing)) {
    const { n, by } = sinking.get(key) ?? { n: 0, by: 0 }
    if (depth + by > maxDepth) tooDeep(n, `An entity below '${key}'`, depth + by)
  }
}

/**
 * A batch and the entities above it as arrays: first the items, in the order of the batch, then the entities above. Parents are stored as
 * indexes into these arrays, because looking up a key costs as much as all other work on an item.
 */
interface Tree {
  keys: string[]
  /** The index of each parent, or one of the marks below. */
  parents: number[]
  /** Depths that the batch does not change, or one of the marks below. */
  depths: number[]
}

/** Marks in `parents`. */
const root = -1
const unknownParent = -2

/** Marks in `depths`: not computed yet; on the path that is being climbed; in a cycle or below one. */
const unwalked = 0
const onPath = -1
const cyclic = -2

async function treeOf(
  items: readonly EntityInput[],
  byKey: ReadonlyMap<string, number>,
  { entities, moves }: HierarchyState,
): Promise<Tree> {
  const keys: string[] = []
  const depths: number[] = []
  await forEachCooperatively(items, ({ Key }) => {
    keys.push(Key)
    depths.push(unwalked)
  })
  const above = new Map<string, number>()
  await forEachCooperatively(entities, ([key, { depth }]) => {
    if (byKey.has(key)) return
    above.set(key, keys.length)
    keys.push(key)
    // If no item moves, the depths of the entities above the batch do not change.
    depths.push(moves ? unwalked : depth)
  })
  const parents: number[] = []
  await forEachCooperatively(keys, (key, n) => {
    const parent = n < items.length ? items[n]?.ParentKey : entities.get(key)?.parentKey
    parents.push(parent == null ? root : (byKey.get(parent) ?? above.get(parent) ?? unknownParent))
  })
  return { keys, parents, depths }
}

/**
 * Computes the depth of every item after the batch. Iterative, because a chain of parents may be as long as the batch. Reports each cycle
 * once, with its path. Items in a cycle, and those below it, get a mark instead of a depth.
 */
async function depthsOf(
  items: readonly EntityInput[],
  byKey: ReadonlyMap<string, number>,
  { keys, parents, depths }: Tree,
  report: Report,
): Promise<number[]> {
  const hasDoubles = byKey.size < items.length
  const path: number[] = []
  await forEachCooperatively(items, ({ Key }, n) => {
    const first = hasDoubles ? (byKey.get(Key) ?? n) : n
    let place = first
    let depth = depths[place] ?? 0
    path.length = 0
    while (depth === unwalked) {
      depths[place] = onPath
      path.push(place)
      const parent = parents[place] ?? root
      if (parent === root) break
      // Continues as if an unknown parent were a root. The fault is reported elsewhere.
      depth = parent === unknownParent ? 1 : (depths[parent] ?? 0)
      place = parent
    }
    if (depth === onPath) {
      const around = path.slice(path.indexOf(place))
      const way = [...around, place].map(each => keys[each]).join(' → ')
      const index = around.find(each => each < items.length) ?? 0
      report(index, '/ParentKey', 'cycle', `An entity cannot be below itself: ${way}.`)
    }
    for (const each of path.reverse()) depths[each] = depth < 0 ? cyclic : ++depth
    if (first !== n) depths[n] = depths[first] ?? unwalked
  })
  return depths
}

/** The size from which sorting a layer takes some ms, so that other work of the process gets a turn first. */
const manyOfLayer = 2_000

async function ordered(
  items: readonly EntityInput[],
  depths: readonly number[],
  values: readonly (string | null)[],
  state: HierarchyState,
  place: (n: number) => number,
): Promise<PlannedEntity[]> {
  const planned: PlannedEntity[] = []
  await forEachCooperatively(items, (item, index) => {
    const depth = depths[index] ?? 1
    const parent = item.ParentKey ?? null
    const before = state.entities.get(item.Key)
    planned.push({
      index: place(index),
      key: item.Key,
      depth,
      outcome: before ? 'updated' : 'created',
      displayName: item.DisplayName,
      parentKey: parent,
      typeKey: item.StructureTypeKey,
      customValues: values[index] ?? null,
      isMoved: before !== undefined && (before.parentKey !== parent || before.depth !== depth),
      ...(closesEntity(item, state) ? { isClosed: true } : {}),
    })
  })
  return parentsFirst(planned)
}

/** Sorts entities by depth, and by key within a depth. */
export async function parentsFirst<Entity extends PlannedEntity>(planned: Iterable<Entity>): Promise<Entity[]> {
  const layers: Entity[][] = []
  await forEachCooperatively(planned, entity => {
    const layer = layers[entity.depth] ?? []
    layers[entity.depth] = layer
    layer.push(entity)
  })
  // Sorted by key within a layer, rows that are neighbours in the table are inserted together. That takes half the time of a random order.
  for (const layer of layers) {
    if (layer && layer.length > manyOfLayer) await largeWork.turn()
    layer?.sort((a, b) => (a.key < b.key ? -1 : 1))
  }
  return layers.flat()
}
