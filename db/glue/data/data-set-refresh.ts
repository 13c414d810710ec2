// Writes the pages of a data set refresh. One pass over the provider's pages is a round; a refresh does another one if
// it was asked for during the last.
import type { Knex } from 'knex'
import { conflict, Problem } from '../../../runtime/problems/problem.js'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { inTurn, transaction } from '../../errors.js'
import { advance, type Counts, type JobRun, type Step, withTotal } from '../../jobs/advance.js'
import { isOpen, type JobRow } from '../../jobs/job-row.js'
import { insertFrom } from '../../rows.js'
import { type DataPoint, isFetchedBy, isWaiting, lockDataSet, markFailed, noRound, notFailed } from './data-sets.js'
import { addPoints } from './fetched-points.js'
import { driftOf } from './page-totals.js'
import { type Refresh, serveRequests } from './refresh-requests.js'

/** Counts the rows of snapshots. Those without rows are left out. */
async function sizesOf(
  db: Db,
  tenant: TenantId,
  extractKey: string,
  ...snapshots: number[]
): Promise<Map<number, number>> {
  const rows: { snapshot: number; size: number }[] = await db('data_points')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .whereIn('snapshot', snapshots)
    .groupBy('snapshot')
    .select('snapshot', db.raw('COUNT(*) AS size'))
  return new Map(rows.map(({ snapshot, size }) => [Number(snapshot), Number(size)]))
}

/** A refresh job, as its steps use it. */
export interface RefreshJob extends JobRun {
  extractKey: string
  /** The source answers for all subjects at once only, so that a change during a round requires another round. */
  whole: boolean
  /** How many per cent of the visible rows may vanish, unless the job's input says otherwise. */
  mostVanished: number
}

/** Where a refresh continues. */
export interface RefreshPlace {
  /** The number of the round, or 0 for pages of one subject. A page that was fetched for another round is not written. */
  round: number
  /** The job's position, which counts the pages of the round; null for the first page. */
  place: string | null
  /** The provider's cursor; null for the first page. */
  cursor: string | null
  /** An earlier page's cursor, kept to detect cursors that repeat. */
  mark: string | null
}

/**
 * Returns where a refresh continues after a page, or undefined if the provider's cursors go round in a circle, which
 * would never end. This is Brent's cycle detection: the mark becomes the present cursor each time the number of pages
 * has doubled, so that a circle of any length soon arrives at the mark.
 */
export function nextPlace({ round, place, cursor, mark }: RefreshPlace, next: string): RefreshPlace | undefined {
  if (next === cursor || next === mark) return undefined
  const pages = Number(place ?? 0) + 1
  return { round, place: String(pages), cursor: next, mark: Number.isInteger(Math.log2(pages)) ? next : mark }
}

/**
 * Returns where a refresh continues, and begins a round if none has begun. The round begins before its first page is
 * fetched, so that its rows are never older than its beginning.
 * @throws Problem 409 when another refresh has taken over.
 */
export async function placeOfRefresh(
  db: Db,
  tenant: TenantId,
  { extractKey, jobId }: RefreshJob,
): Promise<RefreshPlace> {
  await beginRound(db, tenant, extractKey, jobId)
  const found = await db('data_sets as s')
    .join('jobs as j', join => join.on('j.tenant_id', 's.tenant_id').on('j.id', 's.refresh_job'))
    .where({ 's.tenant_id': tenant, 's.extract_key': extractKey, 's.refresh_job': jobId })
    .first('s.staging', 's.staging_cursor', 's.staging_mark', 'j.position')
  if (!found) throw superseded
  return { round: found.staging, place: found.position, cursor: found.staging_cursor, mark: found.staging_mark }
}

/**
 * Begins a round, unless one has begun or another refresh has taken over. From now on, changes are recorded for it, and new
 * requests count for the next round.
 */
const beginRound = (db: Db, tenant: TenantId, extractKey: string, jobId: string): Promise<unknown> =>
  inTurn(db, tenant, async () =>
    // The server assigns from left to right.
    db.raw(
      `UPDATE data_sets SET staging = issued + 1, issued = issued + 1, staging_since = CURRENT_TIMESTAMP(3)
       WHERE tenant_id = ? AND extract_key = ? AND refresh_job = ? AND staging IS NULL`,
      [tenant, extractKey, jobId],
    ),
  )

const superseded = conflict('refresh-superseded', 'A later refresh of the data set has taken over.')

/** A page as the provider answered it. */
export interface FetchedPage extends RefreshPlace {
  points: DataPoint[]
  /** Data points of subjects that we do not know. They are left out and counted. */
  unknownSubjects: number
  /** Where the next page is; undefined after the last page. */
  next: RefreshPlace | undefined
  /** The number of rows on all pages, if the provider declares it. */
  total: number | undefined
}

/**
 * Writes a page of a refresh as one step of its job. With a round's last page, its snapshot becomes visible to readers
 * as a whole, unless too many rows would vanish, or the pages do not belong together. Then the round is dropped, so that a
 * retry fetches all pages again.
 * @returns the job's progress, and where the round goes on, unless it has ended or the page was not written.
 * @throws Problem as {@link advance} and {@link addPoints}; 409 when another refresh has taken over; 502 if the round is
 *   dropped and no later one is needed.
 */
export async function writePage(
  db: Db,
  tenant: TenantId,
  refresh: RefreshJob,
  page: FetchedPage,
): Promise<{ progress: JobProgress; next: RefreshPlace | undefined }> {
  let refused: Problem | undefined
  let next: RefreshPlace | undefined
  let visible = 0
  const progress = await advance(db, tenant, refresh, async (trx, job): Promise<Step | undefined> => {
    refused = undefined
    next = undefined
    const { jobId, extractKey, whole } = refresh
    if (job.position !== page.place) return undefined
    const set = await lockDataSet(trx, tenant, extractKey)
    if (set.refresh_job !== jobId) throw superseded
    const staging = page.round
    if (set.staging !== staging) return undefined
    visible = set.snapshot
    const erased = await addPoints(trx, tenant, extractKey, staging, page.points)
    const before: Counts = page.cursor === null ? {} : JSON.parse(job.counts)
    const { rows = 0, unknownSubjects = 0 } = before
    const counts = {
      rows: rows + page.points.length - erased,
      unknownSubjects: unknownSubjects + page.unknownSubjects + erased,
      ...(page.total === undefined ? {} : { total: page.total }),
    }
    // The next round begins at its first page.
    const step = { done: job.done + page.points.length, position: null }
    const dropRound = async (problem: Problem, isAskedAgain: boolean, counts: Counts): Promise<Step> => {
      await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).update(noRound)
      if (!isAskedAgain) refused = problem
      return { ...step, end: undefined, counts: () => counts }
    }
    const isAskedAgain = () => needsLaterRound(trx, tenant, extractKey, jobId, staging, whole)
    const fetched = counts.rows + counts.unknownSubjects
    const drifted = driftOf({ first: before.total, now: page.total, fetched, isLast: !page.next })
    if (drifted) return dropRound(drifted, await isAskedAgain(), counts)
    if (page.next !== undefined) {
      await trx('data_sets')
        .where({ tenant_id: tenant, extract_key: extractKey })
        .update({ staging_cursor: page.next.cursor, staging_mark: page.next.mark })
      next = page.next
      return { ...step, position: next.place, end: undefined, counts: () => counts }
    }
    await adoptTouched(trx, tenant, extractKey, set.snapshot, staging)
    const sizes = await sizesOf(trx, tenant, extractKey, staging, visible)
    const [expected, known] = [sizes.get(staging) ?? 0, sizes.get(visible) ?? 0]
    const { mostVanished = refresh.mostVanished }: Partial<Refresh> = JSON.parse(job.input ?? '{}')
    if (hasLostTooMany(known, expected, mostVanished)) {
      const lost = { ...counts, rows: expected, vanished: known - expected }
      return dropRound(tooManyVanished(known, expected, mostVanished), await isAskedAgain(), lost)
    }
    await publishSnapshot(trx, tenant, extractKey, staging)
    const shown = { rows: expected, unknownSubjects: counts.unknownSubjects }
    await serveRequests(trx, tenant, extractKey, jobId, staging, shown)
    return { ...step, end: (await isAskedAgain()) ? undefined : 'all', expected, counts: () => shown }
  })
  if (refused) throw refused
  if (page.cursor !== null) return { progress, next }
  const totalOf = async ({ done }: { done: number }) => {
    // A provider that declares no total is expected to send as many rows as are visible.
    const rows = page.total ?? (await sizesOf(db, tenant, refresh.extractKey, visible)).get(visible) ?? 0
    return done - page.points.length + rows
  }
  return { progress: await withTotal(db, tenant, refresh, progress, totalOf), next }
}

/** With fewer visible rows than this, all of them may vanish. */
const fewRows = 20

const hasLostTooMany = (before: number, after: number, mostVanished: number): boolean =>
  before >= fewRows && (before - after) * 100 > before * mostVanished

const tooManyVanished = (before: number, after: number, mostVanished: number): Problem =>
  new Problem(
    'too-many-vanished',
    `The provider has sent ${after} rows where ${before} are visible, so ${before - after} would vanish: more than ` +
      `${mostVanished} % (mostVanished). What was known before stays readable. If the provider is right, retry the job or ` +
      'refresh again, with MostVanished=100.',
  )

/**
 * Begins anew after a round has failed for good, if a request or a change needs a later round anyway: that one then
 * serves all of them.
 * @returns undefined if there is no such need, so that the whole job has failed.
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
    if (!(await needsLaterRound(trx, tenant, extractKey, id, set.staging, whole))) return undefined
    await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).update(noRound)
    const total = Math.max(job.total, job.done + 1)
    await trx('jobs').where({ tenant_id: tenant, id }).update({ position: null, total })
    return { state: 'open', done: job.done, total }
  })

/**
 * Replaces fetched rows that changed after the round had begun by those of the visible snapshot, which are newer.
 */
async function adoptTouched(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  snapshot: number,
  staging: number,
): Promise<void> {
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
}

/** Makes the fetched snapshot the visible one. */
async function publishSnapshot(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  staging: number,
): Promise<void> {
  const set = { tenant_id: tenant, extract_key: extractKey }
  const changes = () => trx('data_set_changes').where(set)
  if (await changes().first('ticket')) {
    // A change from before the round is contained in the fetched rows.
    await changes().where('ticket', '<', staging).delete()
    await changes().where('since', '<', staging).update({ since: staging })
    await changes().where('failed_last', '<', staging).update(notFailed)
  }
  await trx('data_sets')
    .where(set)
    .update({
      snapshot: staging,
      as_of: trx.ref('staging_since'),
      ...noRound,
    })
}

/**
 * Tells whether a request or change came after a round had begun, so that the round does not serve it. Those who add
 * one hold a shared lock on the job's row; the caller holds the exclusive lock, so none can arrive while it decides.
 */
async function needsLaterRound(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  jobId: string,
  round: number,
  whole: boolean,
): Promise<boolean> {
  const later = (table: 'data_set_requests' | 'data_set_changes') =>
    trx(table).where({ tenant_id: tenant }).where('ticket', '>', round).first('ticket')
  if (await later('data_set_requests').where({ job_id: jobId })) return true
  const change = later('data_set_changes').where({ extract_key: extractKey }).where(isFetchedBy(jobId))
  return whole && (await change) !== undefined
}

/**
 * Marks the changes that wait for a refresh as failed, because its job fails for good. Does nothing if a later refresh
 * has begun, since that one deals with the changes.
 */
export async function giveUpChanges(
  trx: Knex.Transaction,
  tenant: TenantId,
  { extractKey, jobId }: RefreshJob,
): Promise<void> {
  const { refresh_job } = await lockDataSet(trx, tenant, extractKey)
  if (refresh_job !== jobId) return
  const changes = trx('data_set_changes').where({ tenant_id: tenant, extract_key: extractKey })
  await markFailed(trx, changes.where(isWaiting), jobId)
}
