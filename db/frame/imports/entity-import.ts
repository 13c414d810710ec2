// How far an import of structural entities is: it stages their rows, orders them, and writes them.
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import type { RowPlace } from '../../../runtime/text-rows.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type Counts, type JobRun, type OpenJob, type Step } from '../../jobs/advance.js'
import type { JobRow } from '../../jobs/jobs.js'
import type { EntityRules } from '../hierarchy/structural-entity-plan.js'
import { type OrderPlace, orderNext } from './entity-places.js'
import { countsOf, outcomesOf, type WritePlace } from './entity-staging.js'
import { type Import, type ImportIds, importOf, refusedOf, refusedPosition, refuseRefused } from './imports.js'
import type { RowFormat } from './rows.js'

/** How far an import of entities is: kept as the job's position. */
export type EntityImportPlace = ({ pass: 'stage' } & RowPlace) | OrderPlace | ({ pass: 'write' } & WritePlace)

export const entityPlaceOf = ({ input, position }: Pick<JobRow, 'input' | 'position'>): EntityImportPlace =>
  position === null ? { pass: 'stage', ...importOf({ input }).begin } : JSON.parse(position)

/**
 * A step of an import from a place. Where the job is at another one, it is left alone.
 * @throws Problem 400 where too many rows are refused; as {@link advance}.
 */
export const stepFrom = (
  db: Db,
  tenant: TenantId,
  run: JobRun,
  from: EntityImportPlace,
  step: (trx: Knex.Transaction, job: OpenJob) => Promise<Step>,
): Promise<JobProgress> =>
  advance(db, tenant, run, async (trx, job): Promise<Step | undefined> => {
    refuseRefused(job, run.jobId)
    return isDeepStrictEqual(entityPlaceOf(job), from) ? step(trx, job) : undefined
  })

/** Before all rows are checked, an import of all or none has written none, and counts the refused ones alone. */
export function countedIn({ mode, dryRun }: Import, counts: Counts): Step['counts'] {
  if (mode !== 'all' || dryRun) return counts
  return before => {
    const refused = (before.refused ?? 0) + (counts.refused ?? 0)
    return refused > 0 ? { refused } : {}
  }
}

const columnOfParent = ({ format, columns = [] }: RowFormat): string =>
  format === 'ndjson' ? '/ParentKey' : (columns.find(({ field }) => field === 'ParentKey')?.column ?? '')

/**
 * Orders the next staged rows, as one step of their job.
 * @throws Problem 400 where rows are refused; as {@link stepFrom}.
 */
export const orderStep = (
  db: Db,
  tenant: TenantId,
  ids: ImportIds,
  from: OrderPlace,
  format: Import,
  { maxDepth }: Pick<EntityRules, 'maxDepth'>,
): Promise<JobProgress> =>
  stepFrom(db, tenant, ids, from, async (trx, job) => {
    const { jobId, fileId } = ids
    const isCheck = format.dryRun || format.mode === 'all'
    const { next, refused } = await orderNext(trx, { tenant, fileId }, from, {
      ...{ jobId, maxDepth, isCheck },
      column: columnOfParent(format),
    })
    const counts = countsOf(refused.map(() => 'refused'))
    // A dry run has counted them by what they would have done.
    if (format.dryRun)
      for (const outcome of refused.flatMap(state => outcomesOf[state])) counts[outcome] = (counts[outcome] ?? 0) - 1
    const step = { done: job.done, counts: countedIn(format, counts) }
    if (next) return { ...step, end: undefined, position: JSON.stringify(next) }
    if (format.dryRun) return { ...step, end: 'all' }
    const isRefused = format.mode === 'all' && refusedOf(job) + refused.length > 0
    const write: EntityImportPlace = { pass: 'write', depth: 1, after: '' }
    return { ...step, end: undefined, position: isRefused ? refusedPosition : JSON.stringify(write) }
  })
