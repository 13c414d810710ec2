import type { Knex } from 'knex'
import { lockHierarchy, setHierarchyVersion } from '../../db/frame/hierarchy/hierarchy.js'
import { writeEntities } from '../../db/frame/hierarchy/structural-entities.js'
import { type EntityRules, type PlannedEntity, planEntities } from '../../db/frame/hierarchy/structural-entity-plan.js'
import type { InputValue } from '../../db/frame/subjects/custom-field.js'
import { listOf, type StoredValues } from '../../db/frame/subjects/custom-fields.js'
import type { ChunkWriter } from '../../db/jobs/bulk.js'
import type { PlannedItem } from '../../db/jobs/chunks.js'

/** Writes chunks of large bulks of structural entities. @param maxDepth see {@link EntityRules}. */
export const entityChunkWriter =
  (maxDepth: number): ChunkWriter =>
  async (trx, tenant, { items, planVersion, allows }) => {
    const version = await lockHierarchy(trx, tenant)
    const exact =
      version === planVersion ? items : await planAgain(trx, tenant, items as PlannedEntity[], { allows, maxDepth })
    await writeEntities(trx, tenant, exact as PlannedEntity[])
    await setHierarchyVersion(trx, tenant, version + 1)
    // A plan that was overtaken once stays so: the chunks to come were planned on the same old state.
    return { items: exact, version: exact === items ? version + 1 : planVersion }
  }

/**
 * Plans a chunk again because the hierarchy changed since the job was planned: parents may be gone, items may have
 * appeared. The pointers of what it finds are the items' places in the request.
 */
async function planAgain(
  trx: Knex.Transaction,
  tenant: number,
  items: readonly PlannedEntity[],
  rules: EntityRules,
): Promise<PlannedItem[]> {
  const inputs = items.map(([, Key, , , DisplayName, ParentKey, StructureTypeKey, values]) => ({
    Key,
    DisplayName,
    ParentKey,
    StructureTypeKey,
    CustomFieldValues: values === null ? [] : given(JSON.parse(values)),
  }))
  return planEntities(
    trx,
    tenant,
    inputs,
    rules,
    items.map(([index]) => index),
  )
}

const given = (values: StoredValues) =>
  Object.entries(values).flatMap(([Key, value]) =>
    listOf(value).map(([dataType, text]): { Key: string; Value: InputValue } => ({
      Key,
      Value: { [dataType]: { Value: text } },
    })),
  )
