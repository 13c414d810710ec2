// Adds the search by parts of names and keys to queries of lists.
import type { Knex } from 'knex'
import { visibleText } from './frame/fields/comparable-text.js'

/**
 * Restricts a query to rows in which each word of the term occurs in at least one of the columns, as it is or without the characters
 * that nobody sees. Case and accents do not matter, even in key columns, which are otherwise compared exactly.
 */
export function likeWords<R extends object>(query: Knex.QueryBuilder<R, R[]>, columns: string[], term: string): void {
  for (const word of term.trim().split(/\s+/)) {
    const patterns = new Set(
      [word, visibleText(word)].filter(Boolean).map(text => `%${text.replace(/[\\%_]/g, '\\$&')}%`),
    )
    query.where(any => {
      for (const column of columns) {
        for (const pattern of patterns) any.orWhereRaw('?? COLLATE utf8mb4_unicode_520_ci LIKE ?', [column, pattern])
      }
    })
  }
}
