// Requests for data set refreshes, and the job that serves them.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import { workflowIdOf } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { createJob } from '../../jobs/create.js'
import { isOpenFor } from '../../jobs/jobs.js'
import { type LockedSet, lockDataSet, noRound } from './data-sets.js'

/** The input of a refresh's job. */
export interface Refresh {
  dataExtractKey: string
  /** Replaces the data extract's `mostVanished`, because the caller has decided so. */
  mostVanished?: number | undefined
}

/** A caller's request that a data set be refreshed. Several requests can be served by one job. */
export interface RefreshRequest {
  id: string
  actor: string
  idempotency?: { key: string; hash: string } | undefined
  /** As in {@link Refresh}. */
  mostVanished?: number | undefined
}

/** Locks a data set together with its open refresh job, if it has one. Neither changes until the transaction ends. */
async function lockRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
): Promise<{ set: LockedSet; open: string | undefined }> {
  // The job is locked before the data set, in the same order as by the job's steps, so that the two cannot deadlock.
  const seen = await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).first('refresh_job')
  const isOpen = async (id: string | null | undefined) => id != null && (await isOpenFor(trx, tenant, id))
  const seenOpen = await isOpen(seen?.refresh_job)
  const set = await lockDataSet(trx, tenant, extractKey)
  const open = set.refresh_job === seen?.refresh_job ? seenOpen : await isOpen(set.refresh_job)
  return { set, open: open && set.refresh_job !== null ? set.refresh_job : undefined }
}

/**
 * Adds a request to the refresh job that is under way. If the job's present round of fetching has already begun, it
 * cannot serve the request, and the job does one more round, shared with all requests that arrive before that round
 * begins.
 * @returns the job's id; undefined if no refresh is under way, in which case nothing was written.
 */
export async function joinRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  request: RefreshRequest,
): Promise<string | undefined> {
  const { set, open } = await lockRefresh(trx, tenant, extractKey)
  if (open === undefined) return undefined
  if (request.mostVanished !== undefined) {
    const input: Refresh = { dataExtractKey: extractKey, mostVanished: request.mostVanished }
    await trx('jobs')
      .where({ tenant_id: tenant, id: open })
      .update({ input: JSON.stringify(input) })
  }
  const ticket = set.issued + 1
  await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).update({ issued: ticket })
  await insertRequest(trx, tenant, open, ticket, request)
  return open
}

/**
 * Makes a new job the refresh of a data set. Call it in the transaction that creates the job and has found, with the data
 * set locked, that no other refresh is under way.
 */
export async function setRefreshJob(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  jobId: string,
  request: RefreshRequest,
): Promise<void> {
  const set = trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey })
  await set.clone().update({ issued: trx.raw('issued + 1'), refresh_job: jobId, ...noRound })
  await insertRequest(trx, tenant, jobId, set.select('issued'), request)
}

const insertRequest = (
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  ticket: number | Knex.QueryBuilder,
  { id, actor, idempotency }: RefreshRequest,
): Promise<unknown> =>
  trx('data_set_requests').insert({
    tenant_id: tenant,
    id,
    job_id: jobId,
    ticket,
    actor,
    idempotency_key: idempotency?.key ?? null,
    request_hash: idempotency?.hash ?? null,
  })

/** The outcome of the round that served a request. */
export interface RoundResult {
  refreshedAt: Date
  /** When the round began: every row shows the provider's state at this time or later. */
  asOf: Date
  /** Rows that readers can see. */
  rows: number
  unknownSubjects: number
}

/** Looks up the refresh requests of one tenant. */
export const refreshRequests = (db: Db, tenant: TenantId) => ({
  /** Returns the id of the stored request: that of an earlier one if the caller repeats an `Idempotency-Key`. */
  async idOf({ id, actor, idempotency }: RefreshRequest): Promise<string> {
    if (!idempotency) return id
    const row = await db('data_set_requests')
      .where({ tenant_id: tenant, actor, idempotency_key: idempotency.key })
      .first('id')
    if (!row) throw new Error(`The request ${id} for a refresh is gone`)
    return row.id
  },

  /** Returns the outcome of a request, or undefined until a round has served it. */
  async shown(id: string): Promise<RoundResult | undefined> {
    const row = await db('data_set_requests')
      .where({ tenant_id: tenant, id })
      .first('refreshed_at', 'as_of', 'row_count', 'unknown_subjects')
    if (!row?.refreshed_at) return undefined
    return {
      refreshedAt: row.refreshed_at,
      asOf: row.as_of,
      rows: row.row_count,
      unknownSubjects: row.unknown_subjects,
    }
  },
})

/** Records the outcome of a round on all requests that it serves. */
export async function serveRequests(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  jobId: string,
  round: number,
  { rows, unknownSubjects }: { rows: number; unknownSubjects: number },
): Promise<void> {
  const asOf = trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).select('as_of')
  await trx('data_set_requests')
    .where({ tenant_id: tenant, job_id: jobId, refreshed_at: null })
    .where('ticket', '<=', round)
    .update({ refreshed_at: trx.fn.now(3), as_of: asOf, row_count: rows, unknown_subjects: unknownSubjects })
}

/** Who or what caused a job. */
export interface JobOrigin {
  tenantKey: string
  actor: string
  traceId: string
}

/**
 * Starts a refresh that no caller asked for, because it is scheduled or because data changed. If a refresh is already
 * under way, returns that one's job.
 */
export async function acceptRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  { tenantKey, actor, traceId }: JobOrigin,
): Promise<{ jobId: string; isNew: boolean }> {
  const { open } = await lockRefresh(trx, tenant, extractKey)
  if (open !== undefined) return { jobId: open, isNew: false }
  const id = newId()
  await setRefreshJob(trx, tenant, extractKey, id, { id, actor })
  const input: Refresh = { dataExtractKey: extractKey }
  await createJob(trx, tenant, {
    id,
    kind: 'dataSetRefresh',
    queue: 'background',
    actor,
    traceId,
    workflowId: workflowIdOf('dataSetRefresh', { tenantKey, jobId: id }),
    dataSet: extractKey,
    total: 0,
    input,
  })
  return { jobId: id, isNew: true }
}
