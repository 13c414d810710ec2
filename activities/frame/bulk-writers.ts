import type { Knex } from 'knex'
import { type InputValue, listOf, type StoredValues } from '../../db/frame/custom-fields.js'
import { type Group, planGroups, writeGroups } from '../../db/frame/groups.js'
import { lockHierarchy, setHierarchyVersion } from '../../db/frame/hierarchy.js'
import { writeEntities } from '../../db/frame/structural-entities.js'
import { type PlannedEntity, planEntities } from '../../db/frame/structural-entity-plan.js'
import { planStructureTypes, type StructureType, writeStructureTypes } from '../../db/frame/structure-types.js'
import { planSubjects, type SubjectInput } from '../../db/frame/subject-plan.js'
import { writeSubjects } from '../../db/frame/subjects.js'
import type { Allows } from '../../db/frame/upsert-permission.js'
import type { ChunkWriter } from '../../db/jobs/bulk.js'
import type { PlannedItem } from '../../db/jobs/chunks.js'
import type { BulkKind } from '../../workflows/jobs/contracts.js'

/** How the chunks of each kind of bulk job are written. */
export const bulkWriters: Record<BulkKind, ChunkWriter> = {
  async structuralEntityBulkUpsert(trx, tenant, { items, planVersion, allows }) {
    const version = await lockHierarchy(trx, tenant)
    const exact = version === planVersion ? items : await planAgain(trx, tenant, items as PlannedEntity[], allows)
    await writeEntities(trx, tenant, exact as PlannedEntity[])
    await setHierarchyVersion(trx, tenant, version + 1)
    // A plan that was overtaken once stays so: the chunks to come were planned on the same old state.
    return { items: exact, version: exact === items ? version + 1 : planVersion }
  },

  async structureTypeBulkUpsert(trx, tenant, { items, allows }) {
    const version = await lockHierarchy(trx, tenant)
    const types = items.map(([, , , , type]) => type as StructureType)
    const planned = await planStructureTypes(trx, tenant, types, allows)
    await writeStructureTypes(trx, tenant, planned)
    await setHierarchyVersion(trx, tenant, version + 1)
    return { items: planned, version: version + 1 }
  },

  async groupBulkUpsert(trx, tenant, { items, allows }) {
    const version = await lockHierarchy(trx, tenant)
    const groups = items.map(([, , , , group]) => group as Group)
    const planned = await planGroups(trx, tenant, groups, allows)
    await writeGroups(trx, tenant, planned)
    return { items: planned, version }
  },

  async subjectBulkUpsert(trx, tenant, { items, allows }) {
    const inputs = items.map(([, , , , input]) => input as SubjectInput)
    // Whoever was found when the job was planned may have other matching values by now: then the item is of somebody new.
    const ids = items.map(([, id, , outcome]) => (outcome === 'created' ? id : undefined))
    const { planned } = await planSubjects(trx, tenant, inputs, allows, ids)
    await writeSubjects(trx, tenant, planned)
    // What people are called need not stay with the job.
    return { items: planned.map(({ id, outcome }, n) => [items[n]?.[0] ?? n, id, 1, outcome]), version: 0 }
  },
}

/**
 * Plans a chunk again because the hierarchy changed since the job was planned: parents may be gone, items may have
 * appeared. The pointers of what it finds are the items' places in the request.
 */
async function planAgain(
  trx: Knex.Transaction,
  tenant: number,
  items: readonly PlannedEntity[],
  allows: Allows,
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
    allows,
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
