// Finds the words of subjects that a mistyped search word may mean.
import type { Db, TenantId } from '../../connect.js'
import { groupedBy } from '../../rows.js'
import type { QueryWord } from './search-words.js'
import { remnantsOf, typosBetween } from './typos.js'

/** A search word, with the words of the tenant's subjects that it may be a mistyped form of. */
export interface SearchedWord extends QueryWord {
  /** Words that differ from it by one typo. Words that begin with it are left out here and in `twice`. */
  once: string[]
  /** Words that differ from it by two typos. */
  twice: string[]
}

/** Looks up, in one query for all search words, which words they may be mistyped forms of. */
export async function withTypos(db: Db, tenant: TenantId, words: readonly QueryWord[]): Promise<SearchedWord[]> {
  const remnants = words.map(({ text, typos }) => (typos === 0 ? [] : remnantsOf(text, typos)))
  const wanted = [...new Set(remnants.flat())]
  const found: { remnant: string; word: string }[] = await db('subject_word_typos')
    .where({ tenant_id: tenant })
    .whereIn('remnant', wanted)
    .select('remnant', 'word')
  const byRemnant = groupedBy(found, row => row.remnant)
  return words.map((searched, n) => {
    const near = (remnants[n] ?? []).flatMap(remnant => byRemnant.get(remnant) ?? []).map(({ word }) => word)
    return { ...searched, ...byTypos(searched, new Set(near)) }
  })
}

function byTypos({ text, typos }: QueryWord, near: Iterable<string>): { once: string[]; twice: string[] } {
  const once: string[] = []
  const twice: string[] = []
  for (const word of near) {
    if (word.startsWith(text)) continue
    const count = typosBetween(text, word, typos)
    if (count === 1) once.push(word)
    else if (count === 2 && typos === 2) twice.push(word)
  }
  return { once, twice }
}
