import type { Knex } from 'knex'
import { conflict } from '../../runtime/problem.js'
import { type JobProgress, transferPage } from '../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../connect.js'
import { advance, type Counts, type Step } from '../jobs/advance.js'
import { insertFrom } from '../rows.js'
import { placesOf } from './locations.js'

/** What a transfer is to do (spec frame "Structural entities", transfer). */
export interface Transfer {
  sourceKey: string
  destinationKey: string
  mode: 'Copy' | 'Move'
}

/** What the undo of a transfer is to do. */
export interface TransferUndo extends Transfer {
  transferId: string
  /** Subjects that the transfer took or brought. */
  transferred: number
}

/** Subjects directly assigned to an entity. */
export async function countLocations(db: Db, tenant: TenantId, entityKey: string): Promise<number> {
  const row = await db('subject_locations')
    .where({ tenant_id: tenant, entity_key: entityKey })
    .count({ size: '*' })
    .first()
  return Number(row?.size ?? 0)
}

/**
 * Transfers the next page of a job: assignments as they were when it was accepted, in the order of the subjects' ids.
 * Who is at the destination already is skipped there; a Move takes everybody from the source.
 * @throws Problem 409 when the destination is gone or takes no subjects any more; 410 as {@link advance}.
 */
export const transferNextPage = (db: Db, tenant: TenantId, jobId: string): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job): Promise<Step> => {
    const transfer: Transfer = JSON.parse(job.input ?? '{}')
    const { sourceKey, destinationKey, mode } = transfer
    await lockPlaces(trx, tenant, transfer, destinationKey)
    const rest = () => beyond(trx, tenant, sourceKey, job.position).where('assigned_at', '<=', job.accepted_at)
    const end = await endOf(trx, rest())
    if (!end) return { done: job.done, ended: true, counts: {} }
    const page = () => rest().where('subject_id', '<=', end.id)
    const inserted = await assign(trx, tenant, destinationKey, jobId, page())
    if (mode === 'Move') {
      if (inserted < end.size) await noteSkips(trx, tenant, transfer, jobId, end.id, job.position)
      await page().delete()
    }
    const counts = { [mode === 'Move' ? 'moved' : 'copied']: inserted, skipped: end.size - inserted }
    return { done: job.done + end.size, ended: end.size < transferPage, counts, position: end.id }
  })

/**
 * Undoes the next page of a transfer: takes back what it assigned and puts back what it took. A subject that has left the
 * destination since, or was assigned there again, is left alone.
 */
export const undoNextPage = (db: Db, tenant: TenantId, jobId: string): Promise<JobProgress> =>
  advance(db, tenant, jobId, async (trx, job): Promise<Step> => {
    const undo: TransferUndo = JSON.parse(job.input ?? '{}')
    const { sourceKey, destinationKey, transferId, mode } = undo
    await lockPlaces(trx, tenant, undo, mode === 'Move' ? sourceKey : undefined)
    const rest = () => beyond(trx, tenant, destinationKey, job.position)
    const end = await endOf(trx, rest())
    if (!end) return { done: job.done, ended: true, counts: leftAlone(undo, JSON.parse(job.counts)) }
    const page = () => rest().where('subject_id', '<=', end.id)
    const brought = () => page().where('transfer_id', transferId)
    const skips = trx('subject_transfer_skips').where({ tenant_id: tenant, job_id: transferId }).select('subject_id')
    let undone = 0
    if (mode === 'Move') {
      await assign(trx, tenant, sourceKey, jobId, brought())
      undone += await assign(trx, tenant, sourceKey, jobId, page().whereIn('subject_id', skips))
    }
    undone += await brought().delete()
    const ended = end.size < transferPage
    const sofar = { ...JSON.parse(job.counts), undone: (JSON.parse(job.counts).undone ?? 0) + undone }
    const counts = { undone, ...(ended ? leftAlone(undo, sofar) : {}) }
    return { done: job.done + end.size, ended, counts, position: end.id }
  })

const leftAlone = ({ transferred }: TransferUndo, { undone = 0 }: Counts): Counts => ({
  leftAlone: Math.max(0, transferred - undone),
})

/** Rows of an entity beyond a position, by subject. */
const beyond = (trx: Knex.Transaction, tenant: TenantId, entityKey: string, position: string | null) => {
  const rows = trx('subject_locations').where({ tenant_id: tenant, entity_key: entityKey })
  return position === null ? rows : rows.where('subject_id', '>', position)
}

/** The last subject of a page of these rows and the page's size; nobody changes them from here on. Undefined when there are none. */
async function endOf(
  trx: Knex.Transaction,
  rows: Knex.QueryBuilder,
): Promise<{ id: string; size: number } | undefined> {
  const page = rows.orderBy('subject_id').limit(transferPage).forUpdate().select('subject_id').as('page')
  const end: { id: string | null; size: number } | undefined = await trx
    .from(page)
    .max({ id: 'subject_id' })
    .count({ size: '*' })
    .first()
  return end?.id ? { id: end.id, size: Number(end.size) } : undefined
}

/** Assigns the subjects of these rows to an entity. @returns how many were not there. */
const assign = (
  trx: Knex.Transaction,
  tenant: TenantId,
  entityKey: string,
  jobId: string,
  rows: Knex.QueryBuilder,
): Promise<number> =>
  insertFrom(
    trx,
    'subject_locations',
    ['tenant_id', 'entity_key', 'subject_id', 'assigned_at', 'transfer_id'],
    rows.select(trx.raw('?, ?, subject_id, ?, ?', [tenant, entityKey, new Date(), jobId])),
  )

/** Notes who was at the destination already, so that an undo knows whom the Move took from the source. */
async function noteSkips(
  trx: Knex.Transaction,
  tenant: TenantId,
  { sourceKey, destinationKey }: Transfer,
  jobId: string,
  last: string,
  position: string | null,
): Promise<void> {
  const inSource = beyond(trx, tenant, sourceKey, position).where('subject_id', '<=', last).select('subject_id')
  const skipped = beyond(trx, tenant, destinationKey, position)
    .where('subject_id', '<=', last)
    .whereIn('subject_id', inSource)
    .whereRaw('NOT transfer_id <=> ?', [jobId])
  const columns = ['tenant_id', 'job_id', 'subject_id']
  await insertFrom(trx, 'subject_transfer_skips', columns, skipped.select(trx.raw('?, ?, subject_id', [tenant, jobId])))
}

/**
 * Transfers between the same entities come one page after another: each takes both entities for itself, in an order that all
 * keep. Whoever assigns a subject to one of them waits for a page at most.
 * @param takes the entity that must take subjects.
 */
async function lockPlaces(
  trx: Knex.Transaction,
  tenant: TenantId,
  { sourceKey, destinationKey }: Transfer,
  takes: string | undefined,
): Promise<void> {
  const keys = [sourceKey, destinationKey].sort()
  await trx('structural_entities')
    .where({ tenant_id: tenant })
    .whereIn('entity_key', keys)
    .forUpdate()
    .select('entity_key')
  const place = takes === undefined ? { assignable: true } : (await placesOf(trx, tenant, [takes])).get(takes)
  if (place?.assignable) return
  const why = place ? 'its type takes no subjects any more' : 'it does not exist any more'
  throw conflict('transfer-not-possible', `No subjects can be assigned to '${takes}': ${why}.`)
}
