// Data sets, their snapshots and their rows, which the spec calls data points.
import type { Knex } from 'knex'
import { parseExactJson, stringifyExactJson } from '../../../runtime/json/exact-json.js'
import { now } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type JobStatus, openStatuses } from '../../jobs/job-row.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { type Cell, upsertRows } from '../../rows.js'

/** One column of a data point (spec frame "Data point"). */
export interface DataPointItem {
  Key: string
  Value: { DataType: string; Value: unknown }
}

/** A row of a data set. */
export interface DataPoint {
  id: string
  subjectId: string
  /** The subject's identifier at the provider. */
  subjectIdentifier: string
  items: DataPointItem[]
}

/** What readers see of a data set: the complete rows of one snapshot. */
export interface DataSetState {
  snapshot: number
  /** Every row shows the provider's state at this time or later; undefined before the first refresh. */
  asOf: Date | undefined
  /**
   * Every refresh and change with a number up to this one is done: its outcome is in the rows, or it has failed, as
   * {@link FailedChanges} tell.
   */
  generation: number
  /** The highest number given to a refresh or change so far. */
  issued: number
  /** The job that is refreshing the data set at present. */
  refreshJob: string | undefined
  /** Since when its schedule is paused; undefined if it is not. */
  pausedAt: Date | undefined
}

/** Changes of a subject that could not be fetched, and that no later change or refresh has fetched since. */
export interface FailedChanges {
  subjectId: string
  /** The numbers of the first and the last of them. Numbers in between may be of other subjects. */
  first: number
  last: number
  /** The job that says why. */
  jobId: string | undefined
}

/** How many failed changes readers are told. */
const namedFailures = 100

/** The condition that a change is yet to be fetched, and has not failed. */
export const isWaiting = (change: Knex.QueryBuilder) =>
  change.whereNull('failed_last').orWhereRaw('failed_last < ticket')

/** The condition that a change is to be fetched by a job: it has not failed, or it has failed in this job before. */
export const isFetchedBy = (jobId: string) => (change: Knex.QueryBuilder) =>
  isWaiting(change).orWhere('failed_job', jobId)

/** Marks changes as failed. Readers no longer wait for them. */
export const markFailed = (trx: Knex.Transaction, changes: Knex.QueryBuilder, jobId: string): Promise<unknown> =>
  changes.update({
    failed_job: jobId,
    failed_first: trx.raw('COALESCE(failed_first, since)'),
    failed_last: trx.ref('ticket'),
  })

/** The columns of a change that has not failed. */
export const notFailed = { failed_job: null, failed_first: null, failed_last: null }

const unknown: DataSetState = {
  snapshot: 0,
  asOf: undefined,
  generation: 0,
  issued: 0,
  refreshJob: undefined,
  pausedAt: undefined,
}

/** Reads the data sets of one tenant. */
export const dataSetStore = (db: Db, tenant: TenantId) => {
  /** Selects the open jobs for the subject of the change `c` of the outer query. */
  const openJobOfSubject = () =>
    db('data_change_jobs as s')
      .join('jobs as o', join => join.on('o.tenant_id', 's.tenant_id').on('o.id', 's.job_id'))
      .where({ 's.tenant_id': tenant, 's.subject_id': db.ref('c.subject_id') })
      .whereIn('o.status', openStatuses)

  /** The condition that an open job fetches the change `c` of the data set `d`, whose refresh is `j`. */
  const hasOpenJob = (change: Knex.QueryBuilder) =>
    change
      .where(refresh => refresh.whereNotNull('j.status').whereIn('j.status', openStatuses))
      .orWhereExists(openJobOfSubject())

  return {
    /**
     * Returns the state of each data set, in the order of the keys. A data set that was never refreshed or changed has
     * an empty state.
     */
    async states(extractKeys: readonly string[]): Promise<DataSetState[]> {
      const rows: StateRow[] = await db('data_sets as d')
        .leftJoin('jobs as j', join => join.on('j.tenant_id', 'd.tenant_id').on('j.id', 'd.refresh_job'))
        .where('d.tenant_id', tenant)
        .whereIn('d.extract_key', [...extractKeys])
        .select('d.extract_key', 'd.snapshot', 'd.issued', 'd.as_of', 'd.refresh_job', 'd.paused_at', 'j.status')
        .select({
          // The first request that no round has served yet.
          requested: db('data_set_requests as r')
            .where({ 'r.tenant_id': tenant, 'r.job_id': db.ref('d.refresh_job'), 'r.refreshed_at': null })
            .min('r.ticket'),
          pending: db('data_set_changes as c')
            .where({ 'c.tenant_id': tenant, 'c.extract_key': db.ref('d.extract_key') })
            .where(isWaiting)
            // A change without an open job keeps no reader waiting: the next change or refresh fetches it too.
            .where(hasOpenJob)
            .orderBy('c.since')
            .limit(1)
            .select('c.since'),
        })
      const byKey = new Map(rows.map(row => [row.extract_key, stateOf(row)]))
      return extractKeys.map(key => byKey.get(key) ?? unknown)
    },

    /** Pauses or resumes the schedule of a data set. To repeat it changes nothing. */
    setPaused(extractKey: string, isPaused: boolean): Promise<void> {
      return transaction(db, tenant, async trx => {
        const row = { tenant_id: tenant, extract_key: extractKey }
        if (!isPaused) await trx('data_sets').where(row).update({ paused_at: null })
        else
          await trx('data_sets')
            .insert({ ...row, paused_at: now(trx) })
            .onConflict(['tenant_id', 'extract_key'])
            .merge({ paused_at: trx.raw('COALESCE(data_sets.paused_at, CURRENT_TIMESTAMP(3))') })
      })
    },

    /** Returns the newest refresh of each data set that has ended, keyed by data set. Those that had none are left out. */
    async lastOutcomes(extractKeys: readonly string[]): Promise<Map<string, RefreshOutcome>> {
      const newest = db('jobs as n')
        .where({ 'n.tenant_id': tenant, 'n.data_set': db.ref('d.extract_key') })
        .whereNotIn('n.status', openStatuses)
        .orderBy('n.id', 'desc')
        .limit(1)
        .select('n.id')
      const sets: { newest: string | null }[] = await db('data_sets as d')
        .where('d.tenant_id', tenant)
        .whereIn('d.extract_key', [...extractKeys])
        .select({ newest })
      const rows: (RefreshOutcome & { data_set: string })[] = await db('jobs')
        .where({ tenant_id: tenant })
        .whereIn(
          'id',
          sets.flatMap(set => set.newest ?? []),
        )
        .select('id', 'data_set', 'status', 'finished_at', 'problem')
      return new Map(rows.map(row => [row.data_set, row]))
    },

    async state(extractKey: string): Promise<DataSetState> {
      const [state = unknown] = await this.states([extractKey])
      return state
    },

    /**
     * Returns the latest changes that have failed, or whose job was cancelled or ended from outside, the newest first.
     * @param subjectIds the subjects whose changes are wanted; undefined for all subjects.
     */
    async failedChanges(extractKey: string, subjectIds: readonly string[] | undefined): Promise<FailedChanges[]> {
      const changes = db('data_set_changes as c')
        .join('data_sets as d', join => join.on('d.tenant_id', 'c.tenant_id').on('d.extract_key', 'c.extract_key'))
        .leftJoin('jobs as j', join => join.on('j.tenant_id', 'd.tenant_id').on('j.id', 'd.refresh_job'))
        .leftJoin('data_change_jobs as f', join =>
          join.on('f.tenant_id', 'c.tenant_id').on('f.subject_id', 'c.subject_id'),
        )
        .where({ 'c.tenant_id': tenant, 'c.extract_key': extractKey })
        .where(looked => looked.whereNotNull('c.failed_last').orWhereNot(hasOpenJob))
      if (subjectIds) changes.whereIn('c.subject_id', [...subjectIds])
      const rows: FailedRow[] = await changes
        .orderBy('c.ticket', 'desc')
        .limit(namedFailures)
        .select('c.subject_id', 'c.since', 'c.ticket', 'c.failed_first', 'c.failed_last', 'c.failed_job')
        .select({
          subject_job: 'f.job_id',
          refresh_job: 'd.refresh_job',
          is_open: db.raw('? OR ?', [
            db.raw("COALESCE(j.status, '') IN (?, ?)", [...openStatuses]),
            db.raw('EXISTS ?', [openJobOfSubject().select('o.id')]),
          ]),
        })
      return rows.map(row => {
        // Without an open job, later changes than those that were marked are not fetched either: theirs was cancelled.
        const isMarked = row.failed_last !== null && (row.is_open || row.failed_last >= row.ticket)
        return {
          subjectId: row.subject_id,
          first: row.failed_first ?? row.since,
          last: (isMarked ? row.failed_last : undefined) ?? row.ticket,
          jobId: (isMarked ? row.failed_job : undefined) ?? row.subject_job ?? row.refresh_job ?? undefined,
        }
      })
    },

    /**
     * Returns a page of a snapshot's rows, ordered by subject and id.
     * @param subjectIds the subjects whose rows are wanted; undefined for all subjects.
     */
    rows(
      extractKey: string,
      snapshot: number,
      subjectIds: readonly string[] | undefined,
      page: PageRequest,
    ): Promise<Page<PointRow>> {
      return readPage<PointRow>(
        () => {
          const rows = db('data_points').where({ tenant_id: tenant, extract_key: extractKey, snapshot })
          if (subjectIds) rows.whereIn('subject_id', [...subjectIds])
          return rows.select([...pointKey, 'subject_identifier', 'bytes'])
        },
        'point_id',
        page,
        undefined,
        { db, table: 'data_points', key: pointKey, columns: ['items'] },
      )
    },
  }
}

/** How a refresh has ended, as columns of its job. */
export interface RefreshOutcome {
  id: string
  status: Exclude<JobStatus, 'Accepted' | 'Running'>
  finished_at: Date
  problem: string | null
}

interface FailedRow {
  subject_id: string
  since: number
  ticket: number
  failed_first: number | null
  failed_last: number | null
  failed_job: string | null
  subject_job: string | null
  refresh_job: string | null
  /** 1 if an open job fetches the change. */
  is_open: number
}

interface StateRow {
  extract_key: string
  snapshot: number
  issued: number
  as_of: Date | null
  refresh_job: string | null
  paused_at: Date | null
  status: JobStatus | null
  requested: number | null
  pending: number | null
}

function stateOf(row: StateRow): DataSetState {
  const { snapshot, issued, as_of, refresh_job, paused_at, status, requested, pending } = row
  const refreshing = status !== null && openStatuses.includes(status)
  const outstanding = [pending, refreshing ? requested : null].filter(ticket => ticket !== null)
  return {
    snapshot,
    asOf: as_of ?? undefined,
    generation: outstanding.length > 0 ? Math.min(...outstanding) - 1 : issued,
    issued,
    refreshJob: refreshing ? (refresh_job ?? undefined) : undefined,
    pausedAt: paused_at ?? undefined,
  }
}

/** A row of the table `data_points`. */
export interface PointRow {
  subject_id: string
  point_id: string
  subject_identifier: string
  items: string
}

export const pointOf = ({ subject_id, point_id, subject_identifier, items }: PointRow): DataPoint => ({
  id: point_id,
  subjectId: subject_id,
  subjectIdentifier: subject_identifier,
  items: Object(parseExactJson(items)),
})

const pointKey = ['tenant_id', 'extract_key', 'snapshot', 'subject_id', 'point_id']
export const pointColumns = [...pointKey, 'subject_identifier', 'items']

/** Writes rows of a snapshot and replaces those that it already has. */
export async function writePoints(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  snapshot: number,
  points: readonly DataPoint[],
): Promise<void> {
  const rows = points.map(point => cellsOf({ tenant, extractKey, snapshot }, rowOf(point)))
  await upsertRows(trx, 'data_points', pointColumns, rows, ['subject_identifier', 'items'])
}

export interface Snapshot {
  tenant: TenantId
  extractKey: string
  snapshot: number
}

export const rowOf = ({ id, subjectId, subjectIdentifier, items }: DataPoint): PointRow => ({
  subject_id: subjectId,
  point_id: id,
  subject_identifier: subjectIdentifier,
  items: stringifyExactJson(items),
})

export const cellsOf = ({ tenant, extractKey, snapshot }: Snapshot, row: PointRow): Cell[] => [
  tenant,
  extractKey,
  snapshot,
  row.subject_id,
  row.point_id,
  row.subject_identifier,
  row.items,
]

export interface LockedSet {
  snapshot: number
  staging: number | null
  issued: number
  refresh_job: string | null
}

/** The columns of a data set that describe its round, for a data set without one. The job's position is then null. */
export const noRound = { staging: null, staging_cursor: null, staging_mark: null }

/**
 * Locks the row of a data set, and creates it if it is missing. What readers see of the data set cannot change until
 * the transaction ends.
 */
export async function lockDataSet(trx: Knex.Transaction, tenant: TenantId, extractKey: string): Promise<LockedSet> {
  const locked = () =>
    trx('data_sets')
      .where({ tenant_id: tenant, extract_key: extractKey })
      .forUpdate()
      .first('snapshot', 'staging', 'issued', 'refresh_job')
  const row = await locked()
  if (row) return row
  await upsertRows(trx, 'data_sets', ['tenant_id', 'extract_key'], [[tenant, extractKey]], [])
  return locked()
}

/**
 * Records that a subject's visible rows changed while a refresh is under way. When its snapshot becomes visible, it
 * takes over these rows instead of the fetched ones.
 */
export async function touch(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  { staging }: LockedSet,
  subjectId: string,
): Promise<void> {
  if (staging === null) return
  const columns = ['tenant_id', 'extract_key', 'snapshot', 'subject_id']
  await upsertRows(trx, 'data_set_touched', columns, [[tenant, extractKey, staging, subjectId]], [])
}
