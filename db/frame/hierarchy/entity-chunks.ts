// Writes the chunks of a large bulk of structural entities.
import type { Knex } from 'knex'
import { namingKeys } from '../../../runtime/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun } from '../../jobs/advance.js'
import { type Chunk, outcomesOf, rewriteChunk } from '../../jobs/chunks.js'
import { givenOf } from '../subjects/custom-fields.js'
import { lockHierarchy, setHierarchyVersion } from './hierarchy.js'
import { writeEntities } from './structural-entities.js'
import { type EntityInput, type EntityRules, type PlannedEntity, planEntities } from './structural-entity-plan.js'

/** The entities of a chunk. */
export const plannedOf = ({ items }: Chunk) => items as PlannedEntity[]

/**
 * Writes a chunk of a bulk as one step of its job. A chunk that is not the job's next is left alone. Where the hierarchy
 * has changed since the plan, the chunk is planned again.
 * @param onWriting called before the chunk is written: from here on the database has more to do than this process.
 * @throws Problem as {@link advance} and {@link planEntities}.
 */
export const writeEntityChunk = (
  db: Db,
  tenant: TenantId,
  run: JobRun,
  chunk: Chunk,
  rules: EntityRules,
  onWriting: () => void,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job) => {
    const { first } = chunk
    if (job.done !== first) return undefined
    const planned = plannedOf(chunk)
    const version = await lockHierarchy(trx, tenant)
    const isAsPlanned = version === Number(job.plan_version)
    const exact = isAsPlanned ? planned : await planAgain(trx, tenant, planned, rules)
    onWriting()
    await writeEntities(trx, tenant, exact)
    await setHierarchyVersion(trx, tenant, version + 1)
    if (!isAsPlanned) await rewriteChunk(trx, tenant, run.jobId, { first, items: exact })
    const done = first + exact.length
    // A plan that was overtaken once stays so: the chunks to come were planned on the same old state.
    const planVersion = isAsPlanned ? version + 1 : Number(job.plan_version)
    return { done, end: done === job.total ? 'all' : undefined, counts: outcomesOf(exact), planVersion }
  })

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
  const inputs = items.map(inputOf)
  const indexes = items.map(([index]) => index)
  const keys = new Map(items.map(([index, key]) => [index, key]))
  return namingKeys(planEntities(trx, tenant, inputs, rules, indexes), index => keys.get(index))
}

/** A planned entity as a client would give it. */
export const inputOf = ([, Key, , , DisplayName, ParentKey, StructureTypeKey, values]: PlannedEntity): EntityInput => ({
  Key,
  DisplayName,
  ParentKey,
  StructureTypeKey,
  CustomFieldValues: values === null ? [] : givenOf(JSON.parse(values)),
})
