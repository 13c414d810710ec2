// Rows of an import of structural entities beside the entities as they are.
import { isDeepStrictEqual } from 'node:util'
import type { Db, TenantId } from '../../connect.js'
import { slices } from '../../rows.js'
import type { Known } from '../hierarchy/hierarchy-state.js'
import type { EntityInput } from '../hierarchy/structural-entity-plan.js'
import type { StructureType } from '../hierarchy/structure-types.js'
import { dataTypesByTypeKey } from '../subjects/custom-field.js'
import { givenOf, listOf, type StoredValues } from '../subjects/custom-fields.js'
import { fieldsWithColumn } from './entity-rows.js'
import type { StagedState } from './entity-staging.js'
import type { ReadRow, RowFormat } from './rows.js'

export type Types = ReadonlyMap<string, StructureType>

/** An entity as it is now. */
export interface Existing extends Known {
  displayName: string
  values: string | null
}

/** Entities by their keys. */
export async function existingEntities(
  db: Db,
  tenant: TenantId,
  keys: readonly string[],
): Promise<Map<string, Existing>> {
  const found = new Map<string, Existing>()
  for (const some of slices([...new Set(keys)], 2_000)) {
    const rows: ({ key: string } & Existing)[] = await db('structural_entities')
      .where({ tenant_id: tenant })
      .whereIn('entity_key', some)
      .select({
        ...{ key: 'entity_key', displayName: 'display_name', parentKey: 'parent_key' },
        ...{ depth: 'depth', typeKey: 'type_key', values: 'custom_values' },
      })
    for (const { key, ...entity } of rows) found.set(key, entity)
  }
  return found
}

/** A row that can be judged, and its item. */
export interface RowItem {
  row: ReadRow<EntityInput>
  item: EntityInput
}

/** The items of rows. A field of a CSV without a column keeps its value, where the type of the row has that field. */
export function withKept(
  rows: readonly ReadRow<EntityInput>[],
  existing: ReadonlyMap<string, Existing>,
  types: Types,
  { format, columns = [] }: RowFormat,
): RowItem[] {
  const given = fieldsWithColumn(columns)
  return rows.flatMap((row): RowItem[] => {
    const { input } = row
    if (!input) return []
    const before = format === 'csv' ? existing.get(input.Key)?.values : null
    const fields = types.get(input.StructureTypeKey)?.customFields.filter(({ key }) => !given.has(key)) ?? []
    if (before == null || fields.length === 0) return [{ row, item: input }]
    const values: StoredValues = JSON.parse(before)
    const kept = Object.entries(values).filter(([key, value]) => {
      const field = fields.find(each => each.key === key)
      const allowed: readonly string[] = field ? dataTypesByTypeKey[field.typeKey] : []
      return listOf(value).every(([dataType]) => allowed.includes(dataType))
    })
    const CustomFieldValues = [...(input.CustomFieldValues ?? []), ...givenOf(Object.fromEntries(kept))]
    return [{ row, item: { ...input, CustomFieldValues } }]
  })
}

/** The outcome of a sound row. */
export function stateOf(item: EntityInput, values: string | null, before: Existing | undefined): StagedState {
  if (!before) return 'created'
  if (before.parentKey !== (item.ParentKey ?? null)) return 'moved'
  const isSame =
    before.displayName === item.DisplayName &&
    before.typeKey === item.StructureTypeKey &&
    (before.values === values || isDeepStrictEqual(parsed(before.values), parsed(values)))
  return isSame ? 'unchanged' : 'updated'
}

const parsed = (values: string | null): unknown => JSON.parse(values ?? 'null')
