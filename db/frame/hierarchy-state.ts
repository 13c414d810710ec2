import type { Db, TenantId } from '../connect.js'
import { slices } from '../rows.js'
import { type StructureType, structureTypeStore } from './structure-types.js'

interface Known {
  parentKey: string | null
  depth: number
  typeKey: string
}

type KnownRow = [key: string, parentKey: string | null, depth: number, typeKey: string]

/** What the database knows about the entities that a batch names. */
export interface HierarchyState {
  types: ReadonlyMap<string, StructureType>
  entities: ReadonlyMap<string, Known>
}

/** What a batch says of an item's place in the hierarchy. */
interface Named {
  Key: string
  ParentKey?: string | null | undefined
  StructureTypeKey: string
}

/** Batches from this size on read the whole hierarchy at once where it is not much larger than the batch. */
const wholeFrom = 5_000

/** Reads the types, the items that exist, their parents and all ancestors of those that are not in the batch. */
export async function loadState(db: Db, tenant: TenantId, items: readonly Named[]): Promise<HierarchyState> {
  const types = await structureTypeStore(db, tenant).byKeys(items.map(item => item.StructureTypeKey))
  const entities = new Map<string, Known>()
  const rows = () => db('structural_entities').where({ tenant_id: tenant })
  const read = async (some: ReturnType<typeof rows>): Promise<KnownRow[]> => {
    const found: KnownRow[] = await some
      .select('entity_key', 'parent_key', 'depth', 'type_key')
      .options({ rowsAsArray: true })
    for (const [key, parentKey, depth, typeKey] of found) entities.set(key, { parentKey, depth, typeKey })
    return found
  }
  if (items.length >= wholeFrom) {
    const size = Number((await rows().count({ size: '*' }).first())?.size)
    if (size <= items.length * 3) {
      await read(rows())
      return { types, entities }
    }
  }
  const inBatch = new Set(items.map(item => item.Key))
  let wanted = new Set(inBatch)
  for (const item of items) if (item.ParentKey != null) wanted.add(item.ParentKey)
  while (wanted.size > 0) {
    const above = new Set<string>()
    for (const some of slices([...wanted], 2_000)) {
      for (const [key, parentKey] of await read(rows().whereIn('entity_key', some))) {
        if (parentKey !== null && !inBatch.has(key)) above.add(parentKey)
      }
    }
    wanted = new Set([...above].filter(key => !entities.has(key)))
  }
  return { types, entities }
}
