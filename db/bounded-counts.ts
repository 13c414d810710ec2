// Counts the rows of several queries, each up to a bound, to find the narrowest.
import type { Knex } from 'knex'
import type { Db } from './connect.js'

/**
 * Counts the rows of each query, up to a bound, by one statement.
 * @param queries each selects one column.
 * @returns the counts in the order of the queries.
 */
export async function countUpTo(db: Db, bound: number, queries: readonly Knex.QueryBuilder[]): Promise<number[]> {
  const counts = queries.map((query, n) =>
    db
      .count({ size: '*' })
      .select(db.raw('? as n', [n]))
      .from(query.limit(bound).as('some')),
  )
  const rows: { n: number; size: number }[] = await db.queryBuilder().unionAll(counts, true)
  const sizes = new Map(rows.map(({ n, size }) => [Number(n), Number(size)]))
  return queries.map((_, n) => sizes.get(n) ?? 0)
}
