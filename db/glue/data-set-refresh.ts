import type { Knex } from 'knex'
import { conflict } from '../../runtime/problem.js'
import { type JobProgress, workflowIdOf } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { advance, type Step } from '../jobs/advance.js'
import { createJob, JobUnderWay } from '../jobs/create.js'
import { isOpenFor, type JobRow, jobStore } from '../jobs/jobs.js'
import { insertFrom } from '../rows.js'
import { type DataPoint, lockDataSet } from './data-sets.js'
import { addPoints } from './fetched-points.js'

/** What a refresh is to do. */
export interface Refresh {
  dataExtractKey: string
}

/**
 * Begins a refresh inside the transaction that accepts its job: from here on changes are noted for it.
 * @throws JobUnderWay when there is one.
 */
export async function openRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  jobId: string,
): Promise<void> {
  // First the job, then the data set: in the order in which the job's steps take them.
  const seen = await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).first('refresh_job')
  const refuseOpen = async (id: string | null | undefined) => {
    if (id && (await isOpenFor(trx, tenant, id))) throw new JobUnderWay(id)
  }
  await refuseOpen(seen?.refresh_job)
  const set = await lockDataSet(trx, tenant, extractKey)
  if (set.refresh_job !== seen?.refresh_job) await refuseOpen(set.refresh_job)
  await begin(trx, tenant, extractKey, { ticket: set.issued + 1, jobId })
}

/** Starts a snapshot from nothing. */
async function begin(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  { ticket, jobId }: { ticket: number; jobId: string },
): Promise<void> {
  await trx('data_sets')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .update({
      staging: ticket,
      issued: ticket,
      refresh_job: jobId,
      staging_cursor: null,
      staging_mark: null,
      staging_since: trx.fn.now(3),
    })
}

/** Rows of the present snapshot: what a refresh may expect. */
export async function countPoints(db: Db, tenant: TenantId, extractKey: string): Promise<number> {
  const snapshot = db('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).select('snapshot')
  const row = await db('data_points')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .where('snapshot', snapshot)
    .count({ size: '*' })
    .first()
  return Number(row?.size ?? 0)
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

/** @throws Problem 409 when another refresh has taken over. */
export async function placeOfRefresh(
  db: Db,
  tenant: TenantId,
  extractKey: string,
  jobId: string,
): Promise<RefreshPlace> {
  const job: JobRow | undefined = await jobStore(db, tenant).byId(jobId)
  const set = await db('data_sets')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .first('staging_cursor', 'staging_mark', 'refresh_job')
  if (set?.refresh_job !== jobId) throw superseded
  return { place: job?.position ?? null, cursor: set.staging_cursor, mark: set.staging_mark }
}

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
 * Writes a page of a refresh as one step of its job. With the last one the snapshot becomes what readers see, whole.
 * @param again whether changes that came meanwhile need another round: their source answers for all subjects only.
 * @throws Problem as {@link advance} and {@link addPoints}; 409 when another refresh has taken over.
 */
export const writePage = (
  db: Db,
  tenant: TenantId,
  jobId: string,
  extractKey: string,
  page: FetchedPage,
  again: boolean,
): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job): Promise<Step | undefined> => {
    if (job.position !== page.place) return undefined
    const set = await lockDataSet(trx, tenant, extractKey)
    if (set.refresh_job !== jobId || set.staging === null) throw superseded
    await addPoints(trx, tenant, extractKey, set.staging, page.points)
    const step = {
      done: job.done + page.points.length,
      counts: { rows: page.points.length, unknownSubjects: page.unknownSubjects },
      position: String(Number(job.position ?? 0) + 1),
    }
    if (page.next !== undefined) {
      await trx('data_sets')
        .where({ tenant_id: tenant, extract_key: extractKey })
        .update({ staging_cursor: page.next.cursor, staging_mark: page.next.mark })
      return { ...step, ended: false }
    }
    await show(trx, tenant, extractKey, set.snapshot, set.staging)
    const ended = !(again && (await changedSince(trx, tenant, extractKey, set.staging)))
    if (!ended) await begin(trx, tenant, extractKey, { ticket: set.issued + 1, jobId })
    return { ...step, ended }
  })

/** Makes the fetched snapshot the visible one. Rows that changed since it was begun are newer, and are taken over. */
async function show(
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
  // Who changed before the refresh began was fetched after that change.
  await trx('data_set_changes').where(set).where('ticket', '<', staging).delete()
  await trx('data_set_changes').where(set).where('since', '<', staging).update({ since: staging })
  await trx('data_sets')
    .where(set)
    .update({ snapshot: staging, as_of: trx.ref('staging_since'), staging: null, staging_cursor: null })
}

const changedSince = async (trx: Knex.Transaction, tenant: TenantId, extractKey: string, ticket: number) =>
  (await trx('data_set_changes')
    .where({ tenant_id: tenant, extract_key: extractKey })
    .where('ticket', '>', ticket)
    .first('ticket')) !== undefined

/**
 * Gives up the changes that wait for a refresh: it has failed for good, and says why. Where a later one has begun, or somebody
 * has retried it, they are in that.
 */
export const giveUpChanges = (db: Db, tenant: TenantId, extractKey: string, jobId: string): Promise<void> =>
  transaction(db, async trx => {
    if (await isOpenFor(trx, tenant, jobId)) return
    const { refresh_job } = await lockDataSet(trx, tenant, extractKey)
    if (refresh_job !== jobId) return
    await trx('data_set_changes').where({ tenant_id: tenant, extract_key: extractKey }).delete()
  })

/** Who asks for a job. */
export interface Origin {
  tenantKey: string
  actor: string
  traceId: string
  newId(): string
}

/**
 * Accepts a refresh that no request asked for: its time has come, or data changed.
 * @param total rows that it may expect, for its progress. @returns its job; where one is under way, that.
 */
export async function acceptRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  { tenantKey, actor, traceId, newId }: Origin,
  total = 0,
): Promise<{ jobId: string; isNew: boolean }> {
  const id = newId()
  try {
    await openRefresh(trx, tenant, extractKey, id)
  } catch (error) {
    if (error instanceof JobUnderWay) return { jobId: error.jobId, isNew: false }
    throw error
  }
  const input: Refresh = { dataExtractKey: extractKey }
  await createJob(trx, tenant, {
    id,
    kind: 'dataSetRefresh',
    queue: 'background',
    actor,
    traceId,
    workflowId: workflowIdOf('dataSetRefresh', { tenantKey, jobId: id }),
    total,
    input,
  })
  return { jobId: id, isNew: true }
}
