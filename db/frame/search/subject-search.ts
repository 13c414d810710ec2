// The subject search with typos, ranked.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { leaveOutDeactivated } from '../subjects/deactivation.js'
import { totalOfSubjects } from '../subjects/subject-list.js'
import { type SearchedWord, withTypos } from './known-words.js'
import { queryWords } from './search-words.js'

export interface FoundSubject {
  id: string
  /** The sum over the words of the term: 0 for an equal word, 1 for a beginning, 2 for one typo, 3 for two. */
  rank: number
}

export interface SubjectSearch {
  term: string
  /** Keeps the subjects that are directly assigned to one of these. */
  entityKeys?: readonly string[] | undefined
  /** Leaves out deactivated subjects, of which there are some. */
  activeOnly?: boolean | undefined
}

/** Rows of the narrowest condition that a search ranks: it takes some 8 µs for each. */
export const mostRanked = 250_000

/** Every condition of a search has more than {@link mostRanked} rows. */
export class SearchTooWide extends Error {
  override readonly name = 'SearchTooWide'
}

/**
 * Finds the subjects that match every word of the term: equal, as a beginning, or mistyped by the rules of
 * `queryWords`. The term has a letter or digit. Pages by `rank` (ascending: best first) or `id`. The database ranks and
 * counts, so memory stays flat.
 * @throws SearchTooWide
 */
export async function searchSubjects(
  db: Db,
  tenant: TenantId,
  { term, entityKeys, activeOnly }: SubjectSearch,
  page: PageRequest,
  most = mostRanked,
): Promise<Page<FoundSubject>> {
  const words = await withTypos(db, tenant, queryWords(term))
  const conditions = words.map(word => wordCondition(db, tenant, word))
  if (entityKeys) conditions.push(entityCondition(db, tenant, entityKeys))
  const lead = await narrowest(db, conditions, most)
  const found = () => {
    const query = matches(db, conditions, lead)
    if (activeOnly) leaveOutDeactivated(db, tenant, query, 'matches.id')
    return query
  }
  // By the words that it looks for: those that the tenant learns meanwhile make it another search.
  const list = ['search', words, entityKeys, activeOnly]
  const count = async () => Number((await found().clearSelect().count({ total: '*' }).first())?.total)
  return readPage<FoundSubject>(found, 'id', page, {
    count: () => totalOfSubjects(db, tenant, list, count),
  })
}

type Rows = Knex.QueryBuilder

/** One of the conditions that a subject must meet. Each can be the one that finds the subjects, or check what another found. */
interface Condition {
  /** The rows of an index that meet it, to be counted. */
  rows(): Rows
  /** The subjects that meet it, each once: `id` and `rank`. */
  subjects(): Rows
  /** The rank that it adds to the subject `lead.id`: one number, null where the subject does not match. */
  rankOfLead(): Rows
}

function wordCondition(db: Db, tenant: TenantId, { text, once, twice }: SearchedWord): Condition {
  // Words are letters and digits: nothing in a pattern has to be escaped.
  const beginning = `${text}%`
  // Told which index to use, because the servers guess wrong when they group: the one's order looks inviting.
  const rows = (index: 'PRIMARY' | 'subject_words_by_word') =>
    db
      .from(db.raw('subject_words FORCE INDEX (??)', [index]))
      .where({ tenant_id: tenant })
      .where(any => any.where('word', 'like', beginning).orWhereIn('word', [...once, ...twice]))
  const rank = () =>
    db.raw(`MIN(CASE WHEN word = ? THEN 0 WHEN word LIKE ? THEN 1 WHEN word IN (${list(once)}) THEN 2 ELSE 3 END)`, [
      text,
      beginning,
      ...once,
    ])
  return {
    rows: () => rows('subject_words_by_word'),
    subjects: () => rows('subject_words_by_word').groupBy('subject_id').select({ id: 'subject_id', rank: rank() }),
    rankOfLead: () => rows('PRIMARY').whereRaw('subject_id = lead.id').select(rank()),
  }
}

const list = (values: readonly unknown[]): string => values.map(() => '?').join(', ') || 'NULL'

function entityCondition(db: Db, tenant: TenantId, entityKeys: readonly string[]): Condition {
  const rows = (index: 'PRIMARY' | 'subject_locations_by_subject' = 'PRIMARY') =>
    db
      .from(db.raw('subject_locations FORCE INDEX (??)', [index]))
      .where({ tenant_id: tenant })
      .whereIn('entity_key', [...entityKeys])
  return {
    rows,
    subjects: () => rows().distinct('subject_id as id').select(db.raw('0 AS `rank`')),
    rankOfLead: () =>
      rows('subject_locations_by_subject').whereRaw('subject_id = lead.id').select(db.raw('0')).limit(1),
  }
}

/**
 * The condition that the fewest rows meet, for it to find what the others check. Counts no further than it must: a
 * thousand rows of each, or else ten thousand…
 * @throws SearchTooWide where each has more than `most`.
 */
async function narrowest(db: Db, conditions: readonly Condition[], most: number): Promise<Condition> {
  for (let enough = 1_000; ; enough *= 10) {
    const bound = Math.min(enough, most) + 1
    const some = (condition: Condition) => condition.rows().select(db.raw('1 AS one')).limit(bound).as('some')
    const counts = conditions.map((condition, n) => db.count('*').from(some(condition)).as(`count${n}`))
    const row: Record<string, number> = await db.first(counts)
    const sizes = conditions.map((_, n) => Number(row[`count${n}`]))
    const fewest = Math.min(...sizes)
    const lead = conditions[sizes.indexOf(fewest)]
    if (lead && fewest < bound) return lead
    if (bound > most) throw new SearchTooWide(`Each condition has more than ${most} rows`)
  }
}

/** The subjects that meet all conditions: `id` and `rank`. */
function matches(
  db: Db,
  conditions: readonly Condition[],
  lead: Condition,
): Knex.QueryBuilder<FoundSubject, FoundSubject[]> {
  const others = conditions.filter(condition => condition !== lead)
  const rank = db.raw(
    ['lead.rank', ...others.map(() => '(?)')].join(' + '),
    others.map(other => other.rankOfLead()),
  )
  const ranked = db.from(lead.subjects().as('lead')).select({ id: 'lead.id', rank })
  return db.from<FoundSubject, FoundSubject[]>(ranked.as('matches')).whereNotNull('rank')
}
