// Remembers which places an import took from subjects or gave them, and gives the earlier places back.
import type { Knex } from 'knex'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun, type OpenJob, type Step, withTotal } from '../../jobs/advance.js'
import { deleteRows, groupedBy, upsertRows } from '../../rows.js'
import { noteChanges } from '../fields/subject-changes.js'
import { assignmentsOf, placesOf, replaceLocations } from '../subjects/locations.js'
import { subjectsById } from '../subjects/subjects-by-id.js'

const table = 'subject_import_moves'

/** The places of a subject before and after an import, as keys of entities. */
export interface Move {
  id: string
  before: readonly string[]
  after: readonly string[]
}

/** The input of the job that undoes an import. */
export interface ImportUndo {
  importId: string
}

/** Remembers moves, in the transaction that makes them. If a subject is moved twice, its first places are the ones before. */
export async function saveMoves(
  trx: Knex.Transaction,
  tenant: TenantId,
  jobId: string,
  moves: readonly Move[],
): Promise<void> {
  const rows = moves.map(({ id, before, after }) => [tenant, jobId, id, JSON.stringify(before), JSON.stringify(after)])
  const columns = ['tenant_id', 'job_id', 'subject_id', 'places_before', 'places_after']
  await upsertRows(trx, table, columns, rows, ['places_after'])
}

/** Forgets what imports did with these subjects, so that no undo writes them again. */
export async function forgetMoves(trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<void> {
  // Deletes by whole keys, because the table has no index by subject.
  const imports: { job_id: string }[] = await trx(table).where({ tenant_id: tenant }).distinct('job_id')
  const keys = imports.flatMap(({ job_id }) => ids.map(id => [tenant, job_id, id]))
  await deleteRows(trx, table, ['tenant_id', 'job_id', 'subject_id'], keys)
}

/** How many subjects one transaction puts back. */
const atOnce = 1_000

/**
 * Gives the next subjects the places back that they had before an import, as one step of the job that undoes it. Leaves alone subjects
 * whose places are not as the import left them, that were merged or erased since, or one of whose earlier places is gone or takes no
 * subjects any more.
 * @throws as {@link advance}.
 */
export async function undoMoves(db: Db, tenant: TenantId, run: JobRun): Promise<JobProgress> {
  const progress = await advance(db, tenant, run, async (trx, job): Promise<Step> => {
    const rows: { subject_id: string; places_before: string; places_after: string }[] = await restOf(trx, tenant, job)
      .orderBy('subject_id')
      .limit(atOnce)
      .select('subject_id', 'places_before', 'places_after')
    const moves = rows.map(
      (row): Move => ({
        id: row.subject_id,
        before: JSON.parse(row.places_before),
        after: JSON.parse(row.places_after),
      }),
    )
    const ids = moves.map(({ id }) => id)
    const subjects = await subjectsById(trx, tenant, ids)
    const places = await placesOf(
      trx,
      tenant,
      moves.flatMap(({ before }) => before),
    )
    const present = groupedBy(await assignmentsOf(trx, tenant, ids), row => row.subject_id)
    const back = moves.filter(({ id, before, after }) => {
      const now = (present.get(id) ?? []).map(row => row.entity_key)
      return (
        subjects.has(id) &&
        JSON.stringify(now.sort()) === JSON.stringify(after.toSorted()) &&
        before.every(key => places.get(key)?.assignable)
      )
    })
    const changed = await replaceLocations(
      trx,
      tenant,
      back.map(({ id, before }) => ({ id, entityKeys: before })),
    )
    await noteChanges(
      trx,
      tenant,
      [...changed].map(id => ({ id, kind: 'moved' })),
    )
    return {
      done: job.done + moves.length,
      end: moves.length < atOnce ? 'all' : undefined,
      counts: { undone: back.length, leftAlone: moves.length - back.length },
      position: ids.at(-1) ?? job.position ?? '',
    }
  })
  return withTotal(db, tenant, run, progress, job => restOf(db, tenant, job))
}

/** Returns a query of the moves that an undo has yet to look at. */
function restOf(db: Db, tenant: TenantId, { input, position }: OpenJob): Knex.QueryBuilder {
  const { importId }: ImportUndo = JSON.parse(input ?? '{}')
  return db(table)
    .where({ tenant_id: tenant, job_id: importId })
    .where('subject_id', '>', position ?? '')
}
