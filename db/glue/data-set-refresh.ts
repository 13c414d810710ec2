import type { Knex } from 'knex'
import { conflict } from '../../runtime/problem.js'
import { type JobProgress, workflowIdOf } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { advance, type OpenJob, type Step } from '../jobs/advance.js'
import { createJob, JobUnderWay } from '../jobs/create.js'
import { type JobRow, jobStore } from '../jobs/jobs.js'
import { insertFrom } from '../rows.js'
import { type DataPoint, lockDataSet, writePoints } from './data-sets.js'

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
  const isOpen = async (id: string) => {
    const job = await trx('jobs').where({ tenant_id: tenant, id }).forShare().first('status')
    return job?.status === 'Accepted' || job?.status === 'Running'
  }
  // First the job, then the data set: in the order in which the job's steps take them.
  const seen = await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).first('refresh_job')
  if (seen?.refresh_job && (await isOpen(seen.refresh_job))) throw new JobUnderWay(seen.refresh_job)
  const set = await lockDataSet(trx, tenant, extractKey)
  if (set.refresh_job !== null && set.refresh_job !== seen?.refresh_job && (await isOpen(set.refresh_job))) {
    throw new JobUnderWay(set.refresh_job)
  }
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
    .first('staging_cursor', 'refresh_job')
  if (set?.refresh_job !== jobId) throw superseded
  return { place: job?.position ?? null, cursor: set.staging_cursor }
}

const superseded = conflict('refresh-superseded', 'A later refresh of the data set has taken over.')

/** A page as it came from the provider. */
export interface FetchedPage extends RefreshPlace {
  points: DataPoint[]
  /** Data points of subjects that we do not know: left out and counted. */
  unknownSubjects: number
  /** Cursor of the next page; undefined after the last one. */
  next: string | undefined
}

/**
 * Writes a page of a refresh as one step of its job. With the last one the snapshot becomes what readers see, whole.
 * @param again whether changes that came meanwhile need another round: their source answers for all subjects only.
 * @throws Problem as {@link advance}; 409 when another refresh has taken over.
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
    await writePoints(trx, tenant, extractKey, set.staging, page.points)
    const step = {
      done: job.done + page.points.length,
      counts: { rows: page.points.length, unknownSubjects: page.unknownSubjects },
      position: nextPlace(job),
    }
    if (page.next !== undefined) {
      await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).update({ staging_cursor: page.next })
      return { ...step, ended: false }
    }
    await show(trx, tenant, extractKey, set.snapshot, set.staging)
    const ended = !(again && (await changedSince(trx, tenant, extractKey, set.staging)))
    if (!ended) await begin(trx, tenant, extractKey, { ticket: set.issued + 1, jobId })
    return { ...step, ended }
  })

const nextPlace = ({ position }: OpenJob): string => String(Number(position ?? 0) + 1)

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
 * Gives up the changes that wait for a refresh: it has failed for good, and says why. Where a later one has begun, they are
 * in that.
 */
export const giveUpChanges = (db: Db, tenant: TenantId, extractKey: string, jobId: string): Promise<void> =>
  transaction(db, async trx => {
    const { refresh_job } = await lockDataSet(trx, tenant, extractKey)
    if (refresh_job !== jobId) return
    await trx('data_set_changes').where({ tenant_id: tenant, extract_key: extractKey }).delete()
  })

/** Rows deleted by one statement. */
const perStatement = 5_000

/**
 * Accepts a refresh that nobody asked for but its schedule.
 * @returns the job's id: where one is under way, its.
 */
export async function scheduleRefresh(
  db: Knex,
  tenant: TenantId,
  extractKey: string,
  { tenantKey, traceId, id }: { tenantKey: string; traceId: string; id: string },
): Promise<string> {
  try {
    await transaction(db, async trx => {
      await openRefresh(trx, tenant, extractKey, id)
      await createJob(trx, tenant, {
        id,
        kind: 'dataSetRefresh',
        queue: 'background',
        actor: 'schedule',
        traceId,
        workflowId: workflowIdOf('dataSetRefresh', { tenantKey, jobId: id }),
        total: await countPoints(trx, tenant, extractKey),
        input: { dataExtractKey: extractKey } satisfies Refresh,
      })
    })
    return id
  } catch (error) {
    if (error instanceof JobUnderWay) return error.jobId
    throw error
  }
}

/**
 * Deletes rows of snapshots that nobody sees or fetches any more, some thousand at a time.
 * @returns whether nothing is left.
 */
export async function dropOldPoints(db: Knex, tenant: TenantId, extractKey: string): Promise<boolean> {
  const set = await db('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).first('snapshot', 'staging')
  if (!set) return true
  // A later refresh may begin meanwhile: its snapshot has a higher number than any that was there before.
  const before = set.staging ?? set.snapshot
  const of = { tenant_id: tenant, extract_key: extractKey }
  await db('data_set_touched').where(of).where('snapshot', '<', before).delete()
  return dropPoints(db, tenant, extractKey, { before, but: set.snapshot })
}

/**
 * Deletes rows of snapshots: of those before a number but one, or of all.
 * @returns whether nothing is left.
 */
export async function dropPoints(
  db: Knex,
  tenant: TenantId,
  extractKey: string,
  which?: { before: number; but: number },
): Promise<boolean> {
  const old = db('data_points').where({ tenant_id: tenant, extract_key: extractKey })
  if (which) old.where('snapshot', '<', which.before).whereNot('snapshot', which.but)
  const deleted: number = await old.limit(perStatement).delete()
  return deleted < perStatement
}
