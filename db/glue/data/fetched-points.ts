// Adds fetched rows to the snapshot of a refresh.
import type { Knex } from 'knex'
import { fault, Problem } from '../../../runtime/problems/problem.js'
import type { TenantId } from '../../connect.js'
import { isDuplicate } from '../../errors.js'
import { insertRows, slices } from '../../rows.js'
import { cellsOf, type DataPoint, type PointRow, pointColumns, rowOf, type Snapshot } from './data-sets.js'
import { erasedAmong } from './erased-subjects.js'

/**
 * Adds fetched rows to a snapshot. A row that the snapshot already has, from this page or an earlier one, is skipped. Rows of
 * subjects that are erased by now are left out.
 * @returns how many rows were left out because their subjects are erased.
 * @throws Problem 502 that names the Ids, if two rows of one subject have the same Id and differ: one of them would be
 * lost.
 */
export async function addPoints(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  snapshot: number,
  points: readonly DataPoint[],
): Promise<number> {
  const erased = await erasedAmong(
    trx,
    tenant,
    points.map(({ subjectId }) => subjectId),
  )
  const living = points.filter(({ subjectId }) => !erased.has(subjectId))
  const set = { tenant, extractKey, snapshot }
  const add = (rows: PointRow[]) =>
    insertRows(
      trx,
      'data_points',
      pointColumns,
      rows.map(row => cellsOf(set, row)),
    )
  const rows = newRows(extractKey, [], living.map(rowOf))
  await add(rows).catch(async (error: unknown) => {
    if (!isDuplicate(error)) throw error
    await add(newRows(extractKey, await rowsOfSubjects(trx, set, rows), rows))
  })
  return points.length - living.length
}

/**
 * Returns the rows that are not among `known`, each once.
 * @throws Problem 502 as {@link addPoints}.
 */
function newRows(extractKey: string, known: readonly PointRow[], rows: readonly PointRow[]): PointRow[] {
  const keyOf = ({ subject_id, point_id }: PointRow) => `${subject_id}/${point_id}`
  const contents = new Map(known.map(row => [keyOf(row), row]))
  const conflicting = new Set<string>()
  const fresh = rows.filter(row => {
    const before = contents.get(keyOf(row))
    if (!before) contents.set(keyOf(row), row)
    else if (before.items !== row.items || before.subject_identifier !== row.subject_identifier)
      conflicting.add(row.point_id)
    return !before
  })
  if (conflicting.size > 0) throw conflictingIds(extractKey, [...conflicting])
  return fresh
}

/** Reads the rows that a snapshot already has of these rows' subjects. */
async function rowsOfSubjects(
  trx: Knex.Transaction,
  { tenant, extractKey, snapshot }: Snapshot,
  rows: readonly PointRow[],
): Promise<PointRow[]> {
  const found: PointRow[] = []
  for (const some of slices([...new Set(rows.map(({ subject_id }) => subject_id))])) {
    const stored: PointRow[] = await trx('data_points')
      .where({ tenant_id: tenant, extract_key: extractKey, snapshot })
      .whereIn('subject_id', some)
      .forShare()
      .select('subject_id', 'point_id', 'subject_identifier', 'items')
    found.push(...stored)
  }
  return found
}

/** How many of the Ids an error names. */
const namedIds = 20

function conflictingIds(extractKey: string, ids: readonly string[]): Problem {
  const named = ids.slice(0, namedIds)
  const faults = named.map(id => {
    const detail = `The Id '${id}' is given to rows of one subject that differ.`
    return fault('/dataPoints', 'duplicate-key', detail)
  })
  return new Problem(
    'duplicate-row',
    `The data set '${extractKey}' was sent two different rows of one subject with the Id '${named[0]}'. What was known before ` +
      'stays readable. Refresh it again once the provider gives each row an Id of its own.',
    faults,
  )
}
