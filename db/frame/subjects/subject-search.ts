// Searches subjects by words, forgiving typos, and ranks the results.
import type { Knex } from 'knex'
import { countUpTo } from '../../bounded-counts.js'
import type { Db, TenantId } from '../../connect.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import type { EntitySet } from '../hierarchy/hierarchy-state.js'
import { sqlBytes, sqlId } from '../search/id-bytes.js'
import { type SearchedWord, withTypos } from '../search/known-words.js'
import { queryWords } from '../search/search-words.js'
import { leaveOutDeactivated } from './deactivation.js'
import { totalOfSubjects } from './subject-list.js'

export interface FoundSubject {
  id: string
  /** The sum over all words of the term: 0 for an equal word, 1 for a beginning, 2 for one typo, 3 for two. Lower is better. */
  rank: number
}

export interface SubjectSearch {
  term: string
  /** Only subjects that are directly assigned to one of these. */
  entities?: EntitySet | undefined
  /** Leaves out deactivated subjects. Set it only if the tenant has any, because it costs time. */
  activeOnly?: boolean | undefined
}

/** Limits on the rows of the narrowest condition of a search. */
export const searchBounds = {
  /** With more rows the search is refused: ranking takes some 8 µs for each. */
  maxRanked: 250_000,
  /** Up to this many subjects are looked up one by one in the other conditions. Each look-up may read a page from disk. */
  maxLookedUp: 1_000,
}

type SearchBounds = typeof searchBounds

/** A condition with at most this many times the rows of the narrowest one is read as a whole, because its rows lie side by side. */
const maxTimes = 5

/** The most conditions that are read as a whole. After these, few subjects are left to be looked up in the others. */
const maxJoined = 3

/** Thrown if every condition of a search has more than `maxRanked` rows. */
export class SearchTooWide extends Error {
  override readonly name = 'SearchTooWide'
}

/**
 * Finds the subjects that match every word of the term: with an equal word, a word that begins with it, or one that differs by as many
 * typos as `queryWords` allows. The term must have a letter or digit. Pages by `rank` (ascending: best first) or `id`. The database
 * ranks and counts, so that this process needs little memory.
 * @throws SearchTooWide
 */
export async function searchSubjects(
  db: Db,
  tenant: TenantId,
  { term, entities, activeOnly }: SubjectSearch,
  page: PageRequest,
  within = searchBounds,
): Promise<Page<FoundSubject>> {
  const words = await withTypos(db, tenant, queryWords(term))
  const conditions = words.map(word => wordCondition(db, tenant, word))
  if (entities) conditions.push(entityCondition(db, tenant, entities))
  const plan = await planOf(db, conditions, within)
  const found = () => matches(db, tenant, plan, activeOnly)
  // The total is remembered for the words that the query looks for. If the tenant gets new similar words, it counts as another search.
  const list = ['search', words, entities?.name, activeOnly]
  const count = async () => Number((await found().clearSelect().count({ total: '*' }).first())?.total)
  return readPage<FoundSubject>(found, 'id', page, {
    count: () => totalOfSubjects(db, tenant, list, count),
  })
}

type Rows = Knex.QueryBuilder

/** A condition that subjects must meet. It can either find the subjects, or check those that another condition finds. */
interface Condition {
  /** Returns a query of the index rows that meet the condition, for counting. */
  rows(): Rows
  /** Returns a query of the subjects that meet the condition, each once, with `id` (as bytes) and `rank`. */
  subjects(): Rows
  /**
   * How the condition is checked for the subject `base.id`: as the rank that its row of `words_by_subject` gives, null if the subject does
   * not match, or as a query that finds nothing then.
   */
  check: { rank: Knex.Raw } | { exists: Rows }
}

function wordCondition(db: Db, tenant: TenantId, { text, once, twice }: SearchedWord): Condition {
  // Words consist of letters and digits, so that a LIKE pattern needs no escaping.
  const rows = () =>
    db
      .from('subjects_by_word')
      .where({ tenant_id: tenant })
      .where(any => any.where('word', 'like', `${text}%`).orWhereIn('word', [...once, ...twice]))
  const rank = () =>
    db.raw(`MIN(CASE WHEN word = ? THEN 0 WHEN word LIKE ? THEN 1 WHEN word IN (${list(once)}) THEN 2 ELSE 3 END)`, [
      text,
      `${text}%`,
      ...once,
    ])
  const has = (words: readonly string[]) => words.map(() => 'FIND_IN_SET(?, words)').join(' OR ') || 'FALSE'
  const rankOfAll = () =>
    db.raw(
      `CASE WHEN ${has([text])} THEN 0 WHEN CONCAT(',', words) LIKE ? THEN 1 WHEN ${has(once)} THEN 2 WHEN ${has(twice)} THEN 3 END`,
      [text, `%,${text}%`, ...once, ...twice],
    )
  return {
    rows,
    subjects: () => rows().groupBy('subject_id').select({ id: 'subject_id', rank: rank() }),
    check: { rank: rankOfAll() },
  }
}

const list = (values: readonly unknown[]): string => values.map(() => '?').join(', ') || 'NULL'

function entityCondition(db: Db, tenant: TenantId, { keys }: EntitySet): Condition {
  const rows = (index: 'PRIMARY' | 'subject_locations_by_subject' = 'PRIMARY') =>
    db
      .from(db.raw('subject_locations AS l FORCE INDEX (??)', [index]))
      .where('l.tenant_id', tenant)
      .whereIn('l.entity_key', [...keys])
  return {
    rows,
    // With the table's name, because VTGate moves this expression into the query of another table that has such a column.
    subjects: () => rows().select(db.raw(`DISTINCT ${sqlBytes('l.subject_id')} AS id, 0 AS \`rank\``)),
    check: {
      exists: rows('subject_locations_by_subject')
        .whereRaw(`l.subject_id = ${sqlId('base.id')}`)
        .select(db.raw('1')),
    },
  }
}

interface Plan {
  /** The condition with the fewest rows. It finds the subjects. */
  lead: Condition
  /** Conditions that are read as a whole and joined with it. */
  joined: Condition[]
  /** Conditions that are looked up for each subject that it finds. */
  lookedUp: Condition[]
}

/** Plans a search by counting the rows of its conditions. @throws SearchTooWide */
async function planOf(db: Db, conditions: readonly Condition[], within: SearchBounds): Promise<Plan> {
  const { lead, size } = await narrowest(db, conditions, within.maxRanked)
  const others = conditions.filter(condition => condition !== lead)
  if (others.length === 0 || size <= within.maxLookedUp) return { lead, joined: [], lookedUp: others }
  const wide = size * maxTimes + 1
  const sizes = await sizesOf(db, others, wide)
  const byRows = others.map((condition, n) => ({ condition, size: sizes[n] ?? wide })).sort((a, b) => a.size - b.size)
  const narrow = byRows.filter(({ size }) => size < wide).slice(0, maxJoined)
  const joined = narrow.map(({ condition }) => condition)
  return { lead, joined, lookedUp: others.filter(condition => !joined.includes(condition)) }
}

/**
 * Finds the condition with the fewest rows, and their number. To count no more than necessary, first counts up to a thousand rows of
 * each condition, then up to ten thousand, and so on. A single condition is counted to the limit at once.
 * @throws SearchTooWide if each condition has more than `most` rows.
 */
async function narrowest(
  db: Db,
  conditions: readonly Condition[],
  max: number,
): Promise<{ lead: Condition; size: number }> {
  for (let enough = conditions.length === 1 ? max : 1_000; ; enough *= 10) {
    const bound = Math.min(enough, max) + 1
    const sizes = await sizesOf(db, conditions, bound)
    const size = Math.min(...sizes)
    const lead = conditions[sizes.indexOf(size)]
    if (lead && size < bound) return { lead, size }
    if (bound > max) throw new SearchTooWide(`Each condition has more than ${max} rows`)
  }
}

/** Counts the rows of each condition, up to a bound. */
const sizesOf = (db: Db, conditions: readonly Condition[], bound: number): Promise<number[]> =>
  countUpTo(
    db,
    bound,
    conditions.map(condition => condition.rows().select(db.raw('1 AS one'))),
  )

/**
 * Returns a query of the subjects that meet all conditions, with `id` and `rank`. All words that are looked up are in one row of a
 * subject, which is read once.
 */
function matches(
  db: Db,
  tenant: TenantId,
  { lead, joined, lookedUp }: Plan,
  activeOnly = false,
): Knex.QueryBuilder<FoundSubject, FoundSubject[]> {
  const inRow = lookedUp.flatMap(({ check }) => ('rank' in check ? [check.rank] : []))
  const row = db.from('words_by_subject').where({ tenant_id: tenant }).whereRaw('subject_id = base.id')
  const ofRow = inRow.length > 0 ? [row.select(db.raw(inRow.map(() => '?').join(' + '), inRow))] : []
  const ranks = ['base.rank', ...joined.map((_, n) => `joined${n}.rank`), ...ofRow.map(() => '(?)')]
  const id = db.raw(sqlId('base.id'))
  const ranked = db.from(lead.subjects().as('base')).select({ id, rank: db.raw(ranks.join(' + '), ofRow) })
  for (const [n, condition] of joined.entries()) {
    ranked.join(condition.subjects().as(`joined${n}`), `joined${n}.id`, 'base.id')
  }
  for (const { check } of lookedUp) if ('exists' in check) ranked.whereExists(check.exists)
  if (activeOnly) leaveOutDeactivated(db, tenant, ranked, id)
  return db.from<FoundSubject, FoundSubject[]>(ranked.as('matches')).whereNotNull('rank')
}
