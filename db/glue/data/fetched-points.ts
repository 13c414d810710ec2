// Adds fetched rows to the snapshot of a refresh.
import type { Knex } from 'knex'
import { fault, Problem } from '../../../runtime/problem.js'
import type { TenantId } from '../../connect.js'
import { isDuplicate } from '../../errors.js'
import { insertRows, slices } from '../../rows.js'
import { cellsOf, type DataPoint, type PointRow, pointColumns, rowOf, type Snapshot } from './data-sets.js'

/**
 * Adds fetched rows to a snapshot. A row that it has already, from an earlier page or from this one, is left as it is.
 * @throws Problem 502 that names the Ids, where a subject's row of the same Id says something else: one of them would be lost.
 */
export async function addPoints(
  trx: Knex.Transaction,
  tenant: TenantId,
  extractKey: string,
  snapshot: number,
  points: readonly DataPoint[],
): Promise<void> {
  const set = { tenant, extractKey, snapshot }
  const add = (rows: PointRow[]) =>
    insertRows(
      trx,
      'data_points',
      pointColumns,
      rows.map(row => cellsOf(set, row)),
    )
  const rows = newRows(extractKey, [], points.map(rowOf))
  await add(rows).catch(async (error: unknown) => {
    if (!isDuplicate(error)) throw error
    await add(newRows(extractKey, await rowsOfSubjects(trx, set, rows), rows))
  })
}

/** Those of `rows` that are not among `known`, each once. @throws Problem 502 as {@link addPoints}. */
function newRows(extractKey: string, known: readonly PointRow[], rows: readonly PointRow[]): PointRow[] {
  const keyOf = ({ subject_id, point_id }: PointRow) => `${subject_id}/${point_id}`
  const contents = new Map(known.map(row => [keyOf(row), row]))
  const twice = new Set<string>()
  const fresh = rows.filter(row => {
    const before = contents.get(keyOf(row))
    if (!before) contents.set(keyOf(row), row)
    else if (before.items !== row.items || before.subject_identifier !== row.subject_identifier) twice.add(row.point_id)
    return !before
  })
  if (twice.size > 0) throw sameId(extractKey, [...twice])
  return fresh
}

/** The rows that a snapshot has of the subjects of these. */
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

/** Ids that are named; more of them say nothing new. */
const namedIds = 20

function sameId(extractKey: string, ids: readonly string[]): Problem {
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
