// Adds the search by parts of names and keys to queries of lists.
import type { Knex } from 'knex'

/**
 * Restricts a query to rows in which each word of the term occurs in at least one of the columns. Case and accents do not matter, even
 * in key columns, which are otherwise compared exactly.
 */
export function likeWords<R extends object>(query: Knex.QueryBuilder<R, R[]>, columns: string[], term: string): void {
  for (const word of term.trim().split(/\s+/)) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
    query.where(any => {
      for (const column of columns) any.orWhereRaw('?? COLLATE utf8mb4_unicode_520_ci LIKE ?', [column, pattern])
    })
  }
}
