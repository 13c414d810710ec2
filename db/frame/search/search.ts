// The search by parts of names and keys in lists.
import type { Knex } from 'knex'

/**
 * Keeps the rows in which every word of the term occurs in one of the columns. The name columns compare whatever the
 * case or accent, and a key is compared by the same rules here.
 */
export function likeWords<R extends object>(query: Knex.QueryBuilder<R, R[]>, columns: string[], term: string): void {
  for (const word of term.trim().split(/\s+/)) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`
    query.where(any => {
      for (const column of columns) any.orWhereRaw('?? COLLATE utf8mb4_unicode_520_ci LIKE ?', [column, pattern])
    })
  }
}
