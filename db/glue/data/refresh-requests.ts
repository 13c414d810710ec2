// Requests for data set refreshes, and the job that serves them.
import type { Knex } from 'knex'
import { workflowIdOf } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { createJob } from '../../jobs/create.js'
import { isOpenFor } from '../../jobs/jobs.js'
import { type LockedSet, lockDataSet } from './data-sets.js'

/** Input of a refresh's job. */
export interface Refresh {
  dataExtractKey: string
}

/** A request for a refresh. */
export interface RefreshRequest {
  id: string
  actor: string
  idempotency?: { key: string; hash: string } | undefined
}

/** The refresh of a data set that is under way, if any, and the data set; both stay as they are until the transaction ends. */
async function lockRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
): Promise<{ set: LockedSet; open: string | undefined }> {
  // First the job, then the data set: in the order in which the job's steps take them.
  const seen = await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).first('refresh_job')
  const isOpen = async (id: string | null | undefined) => id != null && (await isOpenFor(trx, tenant, id))
  const seenOpen = await isOpen(seen?.refresh_job)
  const set = await lockDataSet(trx, tenant, extractKey)
  const open = set.refresh_job === seen?.refresh_job ? seenOpen : await isOpen(set.refresh_job)
  return { set, open: open && set.refresh_job !== null ? set.refresh_job : undefined }
}

/**
 * Adds a request to the refresh under way. A round of it that has begun already does not serve the request: then there is one
 * more. Other requests that come before that one share it.
 * @returns the job; undefined where no refresh is under way, and nothing was written.
 */
export async function joinRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  request: RefreshRequest,
): Promise<string | undefined> {
  const { set, open } = await lockRefresh(trx, tenant, extractKey)
  if (open === undefined) return undefined
  const ticket = set.issued + 1
  await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).update({ issued: ticket })
  await noteRequest(trx, tenant, open, ticket, request)
  return open
}

/** Makes a job the refresh of a data set, inside the transaction that accepts the job. No other may be under way. */
export async function openRefresh(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  jobId: string,
  request: RefreshRequest,
): Promise<void> {
  const { issued } = await lockDataSet(trx, tenant, extractKey)
  const ticket = issued + 1
  await trx('data_sets').where({ tenant_id: tenant, extract_key: extractKey }).update({
    issued: ticket,
    refresh_job: jobId,
    staging: null,
    staging_cursor: null,
    staging_mark: null,
    staging_since: null,
  })
  await noteRequest(trx, tenant, jobId, ticket, request)
}

const noteRequest = (
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  ticket: number,
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

/** The result of a round for the requests that it serves. */
export interface ShownRound {
  refreshedAt: Date
  /** No row is older than this. */
  asOf: Date
  /** Visible ones. */
  rows: number
  unknownSubjects: number
}

/** Requests for refreshes of one tenant. */
export const refreshRequests = (db: Db, tenant: TenantId) => ({
  /** The id of a request, or of the earlier one with its `Idempotency-Key`. */
  async idOf({ id, actor, idempotency }: RefreshRequest): Promise<string> {
    const own = idempotency ? { actor, idempotency_key: idempotency.key } : { id }
    const row = await db('data_set_requests')
      .where({ tenant_id: tenant, ...own })
      .first('id')
    if (!row) throw new Error(`The request ${id} for a refresh is gone`)
    return row.id
  },

  /** Undefined until a round has served the request. */
  async shown(id: string): Promise<ShownRound | undefined> {
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

/** Answers the requests that a round was for. */
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

/** The requester of a job. */
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
  const { open } = await lockRefresh(trx, tenant, extractKey)
  if (open !== undefined) return { jobId: open, isNew: false }
  const id = newId()
  await openRefresh(trx, tenant, extractKey, id, { id, actor })
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
