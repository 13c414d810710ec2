// Writes the chunks of a bulk of structural entities.
import type { Knex } from 'knex'
import { namingKeys } from '../../../runtime/problems/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun } from '../../jobs/advance.js'
import { type Chunk, outcomesOf, rewriteChunk } from '../../jobs/chunks.js'
import { givenOf } from '../fields/custom-fields.js'
import { lockHierarchy, setHierarchyVersion } from './hierarchy.js'
import { writeEntities } from './structural-entities.js'
import { type EntityInput, type EntityRules, type PlannedEntity, planEntities } from './structural-entity-plan.js'

/**
 * Writes a chunk of a bulk, as one step of its job. Does nothing if the chunk is not the job's next. If the hierarchy has changed since
 * the plan was made, or subjects may have been assigned to an entity that is to accept none, plans the chunk again.
 * @param onWriting called just before the chunk is written. From then on the database has more to do than this process, which may use
 *   the time to fetch the next chunk.
 * @throws Problem as {@link advance} and {@link planEntities}.
 */
export const writeEntityChunk = (
  db: Db,
  tenant: TenantId,
  run: JobRun,
  chunk: Chunk<PlannedEntity>,
  rules: EntityRules,
  onWriting: () => void,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job) => {
    const { first, items: planned } = chunk
    if (job.done !== first) return undefined
    const { version, orders } = await lockHierarchy(trx, tenant)
    const isAsPlanned = version === Number(job.plan_version)
    const isExact = isAsPlanned && !planned.some(({ isClosed }) => isClosed)
    const exact = isExact ? planned : await planAgain(trx, tenant, planned, rules)
    onWriting()
    await writeEntities(trx, tenant, exact, orders)
    await setHierarchyVersion(trx, tenant, version + 1)
    if (!isAsPlanned) await rewriteChunk(trx, tenant, run.jobId, { first, items: exact })
    const done = first + exact.length
    // Once a plan is out of date it stays so, because all later chunks were planned for the same old state.
    const planVersion = isAsPlanned ? version + 1 : Number(job.plan_version)
    return { done, end: done === job.total ? 'all' : undefined, counts: outcomesOf(exact), planVersion }
  })

/**
 * Plans a chunk again, by the current hierarchy and assignments. Pointers of faults contain the items' indexes in the request.
 */
async function planAgain(
  trx: Knex.Transaction,
  tenant: TenantId,
  items: readonly PlannedEntity[],
  rules: EntityRules,
): Promise<PlannedEntity[]> {
  const inputs = items.map(inputOf)
  const indexes = items.map(({ index }) => index)
  const keys = new Map(items.map(({ index, key }) => [index, key]))
  return namingKeys(planEntities(trx, tenant, inputs, rules, indexes), index => keys.get(index))
}

/** Converts a planned entity back to the form in which a client sends it. */
export const inputOf = ({ key, displayName, parentKey, typeKey, customValues }: PlannedEntity): EntityInput => ({
  Key: key,
  DisplayName: displayName,
  ParentKey: parentKey,
  StructureTypeKey: typeKey,
  CustomFieldValues: customValues === null ? [] : givenOf(JSON.parse(customValues)),
})
