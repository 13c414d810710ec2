// A model of a tenant's hierarchy, compared with the database.
import type { Knex } from 'knex'

/** A structural entity as a bulk request carries it. */
export interface Place {
  Key: string
  DisplayName: string
  ParentKey?: string
  StructureTypeKey: string
  CustomFieldValues?: { Key: string; Value: { Integer: { Value: number } } }[]
}

interface Row {
  name: string
  parent: string | null
  depth: number
  type: string
  values: string | null
}

export const placeType = {
  Key: 'place',
  Name: 'Place',
  SubjectAssignable: true,
  CustomFields: [{ Key: 'beds', Name: 'Beds', TypeKey: 'Number', Required: false }],
}

export const place = (Key: string, ParentKey?: string, beds = 1, DisplayName = `Place ${Key}`): Place => ({
  Key,
  DisplayName,
  ...(ParentKey === undefined ? {} : { ParentKey }),
  StructureTypeKey: placeType.Key,
  CustomFieldValues: [{ Key: 'beds', Value: { Integer: { Value: beds } } }],
})

export type HierarchyModel = ReturnType<typeof hierarchyModel>

/** Models a tenant's hierarchy with a plain map. It applies batches as the specification says, and shares no code with the product. */
export function hierarchyModel() {
  const places = new Map<string, Place>()

  function depthOf(key: string): number {
    let depth = 0
    for (let at: string | undefined = key; at !== undefined; at = places.get(at)?.ParentKey) depth++
    return depth
  }

  return {
    places: places as ReadonlyMap<string, Place>,

    /** Applies a batch. @returns how many of its places are new, and how many existed. */
    apply(batch: readonly Place[]): { created: number; updated: number } {
      const before = places.size
      for (const item of batch) places.set(item.Key, item)
      const created = places.size - before
      return { created, updated: batch.length - created }
    },

    /**
     * Compares every row of the tenant in the database with the model.
     * @returns descriptions of the first ten differences.
     */
    async differences(db: Knex, tenantKey: string): Promise<string[]> {
      const rows = await db('structural_entities as e')
        .join('tenants as t', 't.id', 'e.tenant_id')
        .where('t.tenant_key', tenantKey)
        .select('e.entity_key', 'e.display_name', 'e.parent_key', 'e.depth', 'e.type_key', 'e.custom_values')
      const seen = new Set<string>()
      const wrong: string[] = []
      for (const row of rows) {
        const item = places.get(row.entity_key)
        if (seen.has(row.entity_key)) wrong.push(`${row.entity_key} is there twice`)
        seen.add(row.entity_key)
        const stored: Row = {
          name: row.display_name,
          parent: row.parent_key,
          depth: row.depth,
          type: row.type_key,
          values: row.custom_values,
        }
        const wanted = item && JSON.stringify(rowOf(item, depthOf(item.Key)))
        if (JSON.stringify(stored) !== wanted) {
          wrong.push(`${row.entity_key} is ${JSON.stringify(stored)} and should be ${wanted ?? 'absent'}`)
        }
      }
      for (const key of places.keys()) if (!seen.has(key)) wrong.push(`${key} is missing`)
      return wrong.length > 10 ? [...wrong.slice(0, 10), `and ${wrong.length - 10} more`] : wrong
    },
  }
}

function rowOf(item: Place, depth: number): Row {
  const values = item.CustomFieldValues?.map(({ Key, Value }) => [Key, ['Integer', String(Value.Integer.Value)]])
  return {
    name: item.DisplayName,
    parent: item.ParentKey ?? null,
    depth,
    type: item.StructureTypeKey,
    values: values ? JSON.stringify(Object.fromEntries(values)) : null,
  }
}
