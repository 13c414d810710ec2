// Pages and rounds of data set refreshes.
import type { Knex } from 'knex'
import { conflict } from '../../../runtime/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { advance, type Counts, type JobRun, type OpenJob, type Step } from '../../jobs/advance.js'
import { isOpen, isOpenFor, type JobRow, jobStore } from '../../jobs/jobs.js'
import { insertFrom } from '../../rows.js'
import { type DataPoint, lockDataSet } from './data-sets.js'
import { addPoints } from './fetched-points.js'
import { serveRequests } from './refresh-requests.js'

/** Rows of a snapshot; of the present one they are what a refresh may expect. */
export async function countPoints(
  db: Db,
  tenant: TenantId,
  extractKey: string,
  snapshot: number | Knex.QueryBuilder = db('data_sets')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .select('snapshot'),
): Promise<number> {
  const row = await db('data_points')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .where('snapshot', snapshot)
    .count({ size: '*' })
    .first()
  return Number(row?.size ?? 0)
}

/** A refresh as its steps know it. */
export interface RefreshJob extends JobRun {
  extractKey: string
  /** Its source answers for all subjects only: changes that come meanwhile need another round. */
  whole: boolean
}

/** Where a refresh goes on: `place` is the job's position, which counts its pages. */
export interface RefreshPlace {
  place: string | null
  /** The provider's; null for the first page. */
  cursor: string | null
  /** A cursor of an earlier page, by which one that comes again is known. */
  mark: string | null
}

/**
 * Where a refresh goes on behind a page. Brent's cycle detection: the mark moves on to the present cursor each time that the
 * number of pages has doubled. Cursors that repeat themselves come back to it soon, however many they are.
 * @returns undefined where the cursor is the mark, or the page's own: the provider would be asked for ever.
 */
export function nextPlace({ place, cursor, mark }: RefreshPlace, next: string): RefreshPlace | undefined {
  if (next === cursor || next === mark) return undefined
  const pages = Number(place ?? 0) + 1
  return { place: String(pages), cursor: next, mark: mark === null || Number.isInteger(Math.log2(pages)) ? next : mark }
}

/**
 * Where the next page of a refresh is. Its round begins with this where it has not, so that a round is never younger than
 * what it fetches.
 * @throws Problem 409 when another refresh has taken over.
 */
export async function placeOfRefresh(
  db: Db,
  tenant: TenantId,
  { extractKey, jobId }: RefreshJob,
): Promise<RefreshPlace> {
  const job: JobRow | undefined = await jobStore(db, tenant).byId(jobId)
  const set = await db('data_sets')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .first('staging', 'staging_cursor', 'staging_mark', 'refresh_job')
  if (set?.refresh_job !== jobId) throw superseded
  if (set.staging === null) await beginRound(db, tenant, extractKey, jobId)
  return { place: job?.position ?? null, cursor: set.staging_cursor, mark: set.staging_mark }
}

/** Begins a round from nothing: from here on changes are noted for it, and requests are for the next one. */
const beginRound = (db: Db, tenant: TenantId, extractKey: string, jobId: string): Promise<void> =>
  transaction(db, tenant, async trx => {
    const set = await lockDataSet(trx, tenant, extractKey)
    if (set.refresh_job !== jobId) throw superseded
    if (set.staging !== null) return
    const round = set.issued + 1
    await trx('data_sets')
      .where({ tenant_id: tenant, extract_key: extractKey })
      .update({ staging: round, issued: round, staging_since: trx.fn.now(3) })
  })

const superseded = conflict('refresh-superseded', 'A later refresh of the data set has taken over.')

/** A page as it came from the provider. */
export interface FetchedPage extends RefreshPlace {
  points: DataPoint[]
  /** Data points of subjects that we do not know: left out and counted. */
  unknownSubjects: number
  /** Of the next page; undefined after the last one. */
  next: RefreshPlace | undefined
}

/**
 * Writes a page of a refresh as one step of its job. With the last one of a round the snapshot becomes what readers see, whole.
 * @throws Problem as {@link advance} and {@link addPoints}; 409 when another refresh has taken over.
 */
export const writePage = (db: Db, tenant: TenantId, refresh: RefreshJob, page: FetchedPage): Promise<JobProgress> =>
  advance(db, tenant, refresh, async (trx, job): Promise<Step | undefined> => {
    const { jobId, extractKey, whole } = refresh
    if (job.position !== page.place) return undefined
    const set = await lockDataSet(trx, tenant, extractKey)
    if (set.refresh_job !== jobId || set.staging === null) throw superseded
    await addPoints(trx, tenant, extractKey, set.staging, page.points)
    const { rows = 0, unknownSubjects = 0 }: Counts = page.cursor === null ? {} : JSON.parse(job.counts)
    const counts = { rows: rows + page.points.length, unknownSubjects: unknownSubjects + page.unknownSubjects }
    const step = { done: job.done + page.points.length, position: nextPosition(job) }
    if (page.next !== undefined) {
      await trx('data_sets')
        .where({ tenant_id: tenant, extract_key: extractKey })
        .update({ staging_cursor: page.next.cursor, staging_mark: page.next.mark })
      return { ...step, end: undefined, counts: () => counts }
    }
    const staging = set.staging
    const expected = await show(trx, tenant, extractKey, set.snapshot, staging)
    const shown = { ...counts, rows: expected }
    await serveRequests(trx, tenant, extractKey, jobId, staging, shown)
    const isAskedAgain = await askedSince(trx, tenant, extractKey, jobId, staging, whole)
    return { ...step, end: isAskedAgain ? undefined : 'all', expected, counts: () => shown }
  })

/**
 * Gives up a round that has failed for good if a request or a change needs a later one, which then serves all.
 * @returns undefined where the failure is that of the job.
 */
export const startOver = (
  db: Db,
  tenant: TenantId,
  { jobId: id, runId, extractKey, whole }: RefreshJob,
): Promise<JobProgress | undefined> =>
  transaction(db, tenant, async trx => {
    const job: JobRow | undefined = await trx('jobs').where({ tenant_id: tenant, id }).forUpdate().first()
    if (!job || !isOpen(job) || job.run_id !== runId) return undefined
    const set = await lockDataSet(trx, tenant, extractKey)
    if (set.refresh_job !== id || set.staging === null) return undefined
    if (!(await askedSince(trx, tenant, extractKey, id, set.staging, whole))) return undefined
    await trx('data_sets')
      .where({ tenant_id: tenant, extract_key: extractKey })
      .update({ staging: null, staging_cursor: null, staging_mark: null })
    // A new position: a page that was fetched for this round no longer fits and is not written.
    const total = Math.max(job.total, job.done + 1)
    await trx('jobs')
      .where({ tenant_id: tenant, id })
      .update({ position: nextPosition(job), total })
    return { state: 'open', done: job.done, total }
  })

const nextPosition = ({ position }: Pick<OpenJob, 'position'>): string => String(Number(position ?? 0) + 1)

/**
 * Makes the fetched snapshot the visible one. Rows that changed since it was begun are newer, and are taken over.
 * @returns its size.
 */
async function show(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  snapshot: number,
  staging: number,
): Promise<number> {
  const set = { tenant_id: tenant, extract_key: extractKey }
  const touched = trx('data_set_touched').where({ ...set, snapshot: staging })
  const ofTouched = (of: number) =>
    trx('data_points')
      .where({ ...set, snapshot: of })
      .whereIn('subject_id', touched.clone().select('subject_id'))
  if (await touched.clone().first('subject_id')) {
    await ofTouched(staging).delete()
    const kept = ['subject_id', 'point_id', 'subject_identifier', 'items']
    const rows = ofTouched(snapshot).select('tenant_id', 'extract_key', trx.raw('?', [staging]), ...kept)
    await insertFrom(trx, 'data_points', ['tenant_id', 'extract_key', 'snapshot', ...kept], rows)
    await touched.clone().delete()
  }
  // A change before the refresh began is part of the fetched rows.
  await trx('data_set_changes').where(set).where('ticket', '<', staging).delete()
  await trx('data_set_changes').where(set).where('since', '<', staging).update({ since: staging })
  await trx('data_sets')
    .where(set)
    .update({
      snapshot: staging,
      as_of: trx.ref('staging_since'),
      staging: null,
      staging_cursor: null,
      staging_mark: null,
    })
  return countPoints(trx, tenant, extractKey, staging)
}

/**
 * Whether requests or changes came after the begin of a round, which does not serve them. Each is accepted under a shared lock
 * of the job's row, which the caller holds alone.
 */
async function askedSince(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  jobId: string,
  round: number,
  whole: boolean,
): Promise<boolean> {
  const later = (table: 'data_set_requests' | 'data_set_changes', of: object) =>
    trx(table)
      .where({ tenant_id: tenant, ...of })
      .where('ticket', '>', round)
      .first('ticket')
  if (await later('data_set_requests', { job_id: jobId })) return true
  return whole && (await later('data_set_changes', { extract_key: extractKey })) !== undefined
}

/**
 * Gives up the changes that wait for a refresh: it has failed for good, and says why. Where a later one has begun, or somebody
 * has retried it, they are in that.
 */
export const giveUpChanges = (db: Db, tenant: TenantId, { extractKey, jobId }: RefreshJob): Promise<void> =>
  transaction(db, tenant, async trx => {
    if (await isOpenFor(trx, tenant, jobId)) return
    const { refresh_job } = await lockDataSet(trx, tenant, extractKey)
    if (refresh_job !== jobId) return
    await trx('data_set_changes').where({ tenant_id: tenant, extract_key: extractKey }).delete()
  })
