// Ranges of large transfers of subjects, and of their undoing.
import { type JobProgress, mostRanges, splitTransferFrom } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type OpenJob } from '../../jobs/advance.js'
import { jobStore } from '../../jobs/jobs.js'
import { advanceRange, openRanges, othersHaveRanges, writeRanges } from '../../jobs/ranges.js'
import { lockPlaces, pageOf, type Transfer } from './transfers.js'

/** Position of a job that was split: behind every subject, so that a page of the whole job finds nothing. */
const behindAll = '~'

/**
 * Splits a large transfer into ranges of about as many subjects each. Of the transfers of a tenant one at a time is split: pages of two
 * would wait for one another's rows.
 * @returns the progress with the open ranges; undefined where pages come one after the other, or all ranges are done.
 * @throws Problem as {@link advance}.
 */
export async function splitTransfer(db: Db, tenant: TenantId, jobId: string): Promise<JobProgress | undefined> {
  const job = await jobStore(db, tenant).byId(jobId)
  if (!job) return undefined
  if (job.position === null && job.total >= splitTransferFrom) {
    const transfer: Transfer = JSON.parse(job.input ?? '{}')
    const lasts = await lastsOf(db, tenant, splitEntity(job, transfer), Math.ceil(job.total / mostRanges))
    await advance(db, tenant, jobId, async (trx, now) => {
      if (now.position !== null) return undefined
      await lockPlaces(trx, tenant, transfer, undefined, 'alone')
      if (await othersHaveRanges(trx, tenant, jobId)) return undefined
      await writeRanges(trx, tenant, jobId, lasts)
      return { done: now.done, ended: false, counts: {}, position: behindAll }
    })
  }
  const ranges = await openRanges(db, tenant, jobId)
  // A range whose last page was a full one is open, though nothing may be left of the job.
  return ranges.length > 0 ? { done: job.done, total: Math.max(job.total, job.done + 1), ranges } : undefined
}

/** The entity whose subjects the pages go through. */
const splitEntity = ({ kind }: Pick<OpenJob, 'kind'>, { sourceKey, destinationKey }: Transfer): string =>
  kind === 'subjectTransferUndo' ? destinationKey : sourceKey

/** The last subjects of all ranges but the last one. @param size subjects of a range. */
async function lastsOf(db: Db, tenant: TenantId, entityKey: string, size: number): Promise<string[]> {
  const lasts: string[] = []
  while (lasts.length < mostRanges - 1) {
    const rows = db('subject_locations').where({ tenant_id: tenant, entity_key: entityKey })
    const before = lasts.at(-1)
    if (before !== undefined) rows.where('subject_id', '>', before)
    const last: { subject_id: string } | undefined = await rows
      .orderBy('subject_id')
      .offset(size - 1)
      .first('subject_id')
    if (!last) break
    lasts.push(last.subject_id)
  }
  return lasts
}

/**
 * Does the next page of a range.
 * @throws Problem 409 as that of a whole job, and as {@link advanceRange}.
 */
export const nextPageOfRange = (db: Db, tenant: TenantId, jobId: string, number: number): Promise<JobProgress> =>
  advanceRange(db, tenant, jobId, number, (trx, job, range) => pageOf(trx, tenant, jobId, job, range, 'beside others'))
