// Writes the chunks of a large bulk of structural entities.
import type { Knex } from 'knex'
import { namingKeys } from '../../../runtime/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type StepAhead, stepAhead } from '../../jobs/advance.js'
import { type Chunk, outcomesOf, rewriteChunk } from '../../jobs/chunks.js'
import { givenOf } from '../subjects/custom-fields.js'
import { lockHierarchy, setHierarchyVersion } from './hierarchy.js'
import { isMove, noteEntities, writeEntities, writeEntityRows } from './structural-entities.js'
import { type EntityRules, type PlannedEntity, planEntities } from './structural-entity-plan.js'

const plannedOf = ({ items }: Chunk) => items as PlannedEntity[]

/**
 * Writes a chunk of a bulk as one step of its job. A chunk that is not the job's next is left alone. Where the hierarchy
 * has changed since the plan, the chunk is planned again.
 * @param asPlanned called where the hierarchy has not changed, before the chunk is written.
 * @throws Problem as {@link advance} and {@link planEntities}.
 */
export const writeEntityChunk = (
  db: Db,
  tenant: TenantId,
  jobId: string,
  chunk: Chunk,
  rules: EntityRules,
  asPlanned: () => void,
): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job) => {
    const { first } = chunk
    if (job.done !== first) return undefined
    const planned = plannedOf(chunk)
    const version = await lockHierarchy(trx, tenant)
    const isAsPlanned = version === Number(job.plan_version)
    if (isAsPlanned) asPlanned()
    const exact = isAsPlanned ? planned : await planAgain(trx, tenant, planned, rules)
    await writeEntities(trx, tenant, exact)
    await setHierarchyVersion(trx, tenant, version + 1)
    if (!isAsPlanned) await rewriteChunk(trx, tenant, jobId, { first, items: exact })
    const done = first + exact.length
    // A plan that was overtaken once stays so: the chunks to come were planned on the same old state.
    const planVersion = isAsPlanned ? version + 1 : Number(job.plan_version)
    return { done, ended: done === job.total, counts: outcomesOf(exact), planVersion }
  })

/**
 * Begins to write the rows of a chunk before its turn, as planned. In its turn it locks the hierarchy. Where that has changed
 * since the plan, or the chunk is not the job's next, nothing is written, and the job stays where it is.
 */
export const beginEntityChunk = (db: Db, tenant: TenantId, jobId: string, chunk: Chunk): StepAhead =>
  stepAhead(db, tenant, jobId, async trx => {
    const { first, items } = chunk
    const planned = plannedOf(chunk)
    const changes = await writeEntityRows(trx, tenant, planned, new Date())
    return async job => {
      if (job.done !== first) return undefined
      const version = await lockHierarchy(trx, tenant)
      if (version !== Number(job.plan_version)) return undefined
      // Not sooner: parents have their events before their children, and an order is made by writers that hold the hierarchy.
      await noteEntities(trx, tenant, planned, changes)
      await setHierarchyVersion(trx, tenant, version + 1)
      const done = first + items.length
      return { done, ended: done === job.total, counts: outcomesOf(items), planVersion: version + 1 }
    }
  })

/**
 * Whether a chunk may be written while the one before it is. A move settles depths in rows of any chunk. An upsert that
 * finds a row keeps others from inserting rows beside it, and the chunk before would wait for this one.
 */
export function mayBeginBeside(chunk: Chunk, before: Chunk): boolean {
  if (plannedOf(chunk).some(isMove) || plannedOf(before).some(isMove)) return false
  return !has('updated', chunk) || !has('created', before)
}

const has = (wanted: 'created' | 'updated', { items }: Chunk): boolean =>
  items.some(([, , , outcome]) => outcome === wanted)

/**
 * Plans a chunk again because the hierarchy changed since the job was planned: parents may be gone, items may have
 * appeared. The pointers of what it finds are the items' places in the request.
 */
async function planAgain(
  trx: Knex.Transaction,
  tenant: TenantId,
  items: readonly PlannedEntity[],
  rules: EntityRules,
): Promise<PlannedEntity[]> {
  const inputs = items.map(([, Key, , , DisplayName, ParentKey, StructureTypeKey, values]) => ({
    Key,
    DisplayName,
    ParentKey,
    StructureTypeKey,
    CustomFieldValues: values === null ? [] : givenOf(JSON.parse(values)),
  }))
  const indexes = items.map(([index]) => index)
  const keys = new Map(items.map(([index, key]) => [index, key]))
  return namingKeys(planEntities(trx, tenant, inputs, rules, indexes), index => keys.get(index))
}
