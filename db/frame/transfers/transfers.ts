// Transfers subjects from one entity to another, or undoes a transfer, page by page.
import type { Knex } from 'knex'
import { conflict } from '../../../runtime/problems/problem.js'
import { type JobEnd, type JobProgress, transferPage } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import {
  advance,
  type Counts,
  countsAfter,
  type JobRun,
  type OpenJob,
  type Step,
  withTotal,
} from '../../jobs/advance.js'
import { insertFrom } from '../../rows.js'
import { noteMoves } from '../fields/subject-changes.js'
import { placesOf } from '../subjects/locations.js'

/** The input of a transfer's job (spec frame "Structural entities", transfer). */
export interface Transfer {
  sourceKey: string
  destinationKey: string
  mode: 'Copy' | 'Move'
}

/** The input of the job that undoes a transfer. */
export interface TransferUndo extends Transfer {
  transferId: string
}

/**
 * Does the next page of a transfer, or of undoing one, as one step of the job.
 * @throws Problem 409 if the entity to which subjects are assigned is gone or no longer accepts subjects; and as {@link advance}.
 */
export async function nextPage(db: Db, tenant: TenantId, run: JobRun): Promise<JobProgress> {
  const progress = await advance(db, tenant, run, async (trx, job): Promise<Step> => {
    const { size, ...page } = await pageOf(trx, tenant, run.jobId, job)
    const made = { ...page, done: job.done + size }
    if (job.kind !== 'subjectTransferUndo' || !page.end) return made
    const { undone = 0 } = countsAfter(JSON.parse(job.counts), page.counts)
    const leftAlone = (await transferred(trx, tenant, undoOf(job))) - undone
    return { ...made, counts: { ...page.counts, leftAlone: Math.max(0, leftAlone) } }
  })
  return withTotal(db, tenant, run, progress, async job => {
    const rest: { size: number } | undefined = await restOf(db, tenant, job).count({ size: '*' }).first()
    return job.done + Number(rest?.size ?? 0)
  })
}

/** The result of a page. */
interface PageDone extends Pick<Step, 'end' | 'position'> {
  /** How many subjects the page had. */
  size: number
  counts: Counts
}

type Page = (trx: Knex.Transaction, tenant: TenantId, jobId: string, job: OpenJob) => Promise<PageDone>

const pageOf: Page = (trx, tenant, jobId, job) =>
  (job.kind === 'subjectTransferUndo' ? undoPage : assignPage)(trx, tenant, jobId, job)

/**
 * Transfers the next page of subjects, in the order of their ids. Only subjects that were at the source when the job was accepted are
 * transferred. Those that are at the destination already count as skipped, but a Move removes them from the source as well.
 */
const assignPage: Page = async (trx, tenant, jobId, job) => {
  const transfer: Transfer = JSON.parse(job.input ?? '{}')
  const { destinationKey, mode } = transfer
  const outcome = mode === 'Move' ? 'moved' : 'copied'
  await lockPlaces(trx, tenant, transfer, destinationKey)
  const rest = () => restOf(trx, tenant, job)
  const end = await endOf(trx, rest())
  if (!end) return { size: 0, end: 'all', counts: { [outcome]: 0, skipped: 0 } }
  const page = () => rest().where(`${table}.subject_id`, '<=', end.id)
  const inserted = await assign(trx, tenant, destinationKey, jobId, page())
  const brought = () =>
    behind(trx, tenant, destinationKey, job)
      .where(`${table}.subject_id`, '<=', end.id)
      .where(`${table}.transfer_id`, jobId)
  await noteMoves(trx, tenant, mode === 'Move' ? page() : brought())
  if (mode === 'Move') {
    if (inserted < end.size) await noteSkips(trx, tenant, destinationKey, jobId, page())
    await page().delete()
  }
  const counts = { [outcome]: inserted, skipped: end.size - inserted }
  return { size: end.size, end: endOfLast(end), counts, position: end.id }
}

/**
 * Undoes a page of a transfer: removes the subjects that it assigned to the destination, and after a Move assigns them to the source
 * again. Leaves alone subjects that have been assigned or removed since, at the destination or, after a Move, at the source.
 */
const undoPage: Page = async (trx, tenant, jobId, job) => {
  const undo = undoOf(job)
  const { sourceKey, transferId, mode } = undo
  await lockPlaces(trx, tenant, undo, mode === 'Move' ? sourceKey : undefined)
  const rest = () => restOf(trx, tenant, job)
  const end = await endOf(trx, rest())
  if (!end) return { size: 0, end: 'all', counts: { undone: 0 } }
  const page = () => rest().where(`${table}.subject_id`, '<=', end.id)
  const brought = () => page().where(`${table}.transfer_id`, transferId)
  let undone = 0
  if (mode === 'Move') {
    // Those that were at the source again already are left alone, and nobody is told of them.
    const putBack = (rows: Knex.QueryBuilder) => joined(rows, 'back', sourceKey).where('back.transfer_id', jobId)
    const skipped = () => skippedBy(transferId, page())
    await assign(trx, tenant, sourceKey, jobId, brought())
    await noteMoves(trx, tenant, putBack(brought()))
    undone += await putBack(brought()).delete()
    undone += await assign(trx, tenant, sourceKey, jobId, skipped())
    await noteMoves(trx, tenant, putBack(skipped()))
  } else {
    await noteMoves(trx, tenant, brought())
    undone = await brought().delete()
  }
  return { size: end.size, end: endOfLast(end), counts: { undone }, position: end.id }
}

const undoOf = ({ input }: OpenJob): TransferUndo => JSON.parse(input ?? '{}')

/** Returns how many subjects there are to undo: after a Move those that it took from the source, after a Copy those that it assigned. */
async function transferred(trx: Knex.Transaction, tenant: TenantId, { transferId, mode }: TransferUndo) {
  const job = await trx('jobs').where({ tenant_id: tenant, id: transferId }).first('counts')
  const { moved = 0, copied = 0, skipped = 0 }: Counts = JSON.parse(job?.counts ?? '{}')
  return mode === 'Move' ? moved + skipped : copied
}

const table = 'subject_locations'

/** Returns a query of the assignments that a transfer, or the undoing of one, has yet to look at. */
function restOf(db: Db, tenant: TenantId, job: OpenJob): Knex.QueryBuilder {
  const { sourceKey, destinationKey }: Transfer = JSON.parse(job.input ?? '{}')
  if (job.kind === 'subjectTransferUndo') return behind(db, tenant, destinationKey, job)
  return behind(db, tenant, sourceKey, job).where(`${table}.assigned_at`, '<=', job.accepted_at)
}

/** Returns a query of the assignments to an entity, after the last subject of the previous page. */
const behind = (db: Db, tenant: TenantId, entityKey: string, { position }: OpenJob): Knex.QueryBuilder => {
  const rows = db(table).where({ [`${table}.tenant_id`]: tenant, [`${table}.entity_key`]: entityKey })
  return position === null ? rows : rows.where(`${table}.subject_id`, '>', position)
}

/** Joins assignments with those of the same subjects to another entity. */
const joined = (rows: Knex.QueryBuilder, name: string, entityKey: string): Knex.QueryBuilder =>
  rows.join({ [name]: table }, join =>
    join
      .on(`${name}.tenant_id`, `${table}.tenant_id`)
      .onVal(`${name}.entity_key`, entityKey)
      .on(`${name}.subject_id`, `${table}.subject_id`),
  )

/** Locks the rows of a page, and returns its last subject and its size. Returns undefined if there are no rows. */
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

/** Returns 'all' after the last page: the one that is not full. */
const endOfLast = ({ size }: { size: number }): JobEnd | undefined => (size < transferPage ? 'all' : undefined)

/** Assigns the subjects of these rows to an entity. @returns how many were not assigned to it before. */
const assign = (
  trx: Knex.Transaction,
  tenant: TenantId,
  entityKey: string,
  jobId: string,
  rows: Knex.QueryBuilder,
): Promise<number> =>
  insertFrom(
    trx,
    table,
    ['tenant_id', 'entity_key', 'subject_id', 'transfer_id'],
    rows.select(trx.raw('?, ?, ??, ?', [tenant, entityKey, `${table}.subject_id`, jobId])),
  )

/**
 * Records which subjects of a page were at the destination already, and since when. From that an undo knows which of these subjects the
 * Move has removed from the source, and which have been assigned to the destination anew since.
 */
const noteSkips = (
  trx: Knex.Transaction,
  tenant: TenantId,
  destinationKey: string,
  jobId: string,
  page: Knex.QueryBuilder,
): Promise<number> =>
  insertFrom(
    trx,
    'subject_transfer_skips',
    ['tenant_id', 'job_id', 'subject_id', 'assigned_at'],
    joined(page, 'there', destinationKey)
      .whereRaw('NOT there.transfer_id <=> ?', [jobId])
      .select(trx.raw('?, ?, ??, there.assigned_at', [tenant, jobId, `${table}.subject_id`])),
  )

/** Restricts rows to subjects that a Move has skipped, and whose assignment nobody has changed since. */
const skippedBy = (transferId: string, rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.join('subject_transfer_skips as skip', join =>
    join
      .on('skip.tenant_id', `${table}.tenant_id`)
      .onVal('skip.job_id', transferId)
      .on('skip.subject_id', `${table}.subject_id`)
      .on('skip.assigned_at', `${table}.assigned_at`),
  )

/**
 * Locks both entities. All transfers lock in the same order, so that transfers between the same places alternate page by page instead of
 * deadlocking.
 * @param takes the entity to which subjects will be assigned, if any.
 * @throws Problem 409 if that entity is gone or no longer accepts subjects.
 */
async function lockPlaces(
  trx: Knex.Transaction,
  tenant: TenantId,
  { sourceKey, destinationKey }: Transfer,
  takes: string | undefined,
): Promise<void> {
  // Locks each by its complete key. For a list of keys the server may choose a scan, which would lock every entity of the tenant.
  for (const entity_key of [sourceKey, destinationKey].sort()) {
    await trx('structural_entities').where({ tenant_id: tenant, entity_key }).forUpdate().first('entity_key')
  }
  if (takes !== undefined) await requireAssignable(trx, tenant, takes)
}

/** Checks that subjects can be assigned to an entity. @throws Problem 409 if it is gone or no longer accepts subjects. */
export async function requireAssignable(db: Db, tenant: TenantId, takes: string): Promise<void> {
  const place = (await placesOf(db, tenant, [takes])).get(takes)
  if (place?.assignable) return
  const why = place ? 'its type takes no subjects any more' : 'it does not exist any more'
  throw conflict('transfer-not-possible', `No subjects can be assigned to '${takes}': ${why}.`)
}
