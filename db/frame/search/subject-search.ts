// The subject search with typos, ranked.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import type { EntitySet } from '../hierarchy/hierarchy-state.js'
import { leaveOutDeactivated } from '../subjects/deactivation.js'
import { totalOfSubjects } from '../subjects/subject-list.js'
import { sqlBytes, sqlId } from './id-bytes.js'
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
  entities?: EntitySet | undefined
  /** Leaves out deactivated subjects, of which there are some. */
  activeOnly?: boolean | undefined
}

/** Bounds of the rows of a search's narrowest condition. */
export const searchBounds = {
  /** More are not ranked, at some 8 µs each: the search is refused. */
  mostRanked: 250_000,
  /** So many subjects are looked up in the other conditions. Each look may read a page of the disk. */
  mostLookedUp: 1_000,
}

type SearchBounds = typeof searchBounds

/** A condition with at most so many times the rows of the narrowest one is read as a whole: its rows lie side by side. */
const mostTimes = 5

/** Conditions that are read as a whole: the narrowest ones leave few subjects to be looked up in the others. */
const mostJoined = 3

/** Every condition of a search has more than `mostRanked` rows. */
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
  { term, entities, activeOnly }: SubjectSearch,
  page: PageRequest,
  within = searchBounds,
): Promise<Page<FoundSubject>> {
  const words = await withTypos(db, tenant, queryWords(term))
  const conditions = words.map(word => wordCondition(db, tenant, word))
  if (entities) conditions.push(entityCondition(db, tenant, entities))
  const plan = await planOf(db, conditions, within)
  const found = () => {
    const query = matches(db, plan)
    if (activeOnly) leaveOutDeactivated(db, tenant, query, 'matches.id')
    return query
  }
  // By the words that it looks for: those that the tenant learns meanwhile make it another search.
  const list = ['search', words, entities?.name, activeOnly]
  const count = async () => Number((await found().clearSelect().count({ total: '*' }).first())?.total)
  return readPage<FoundSubject>(found, 'id', page, {
    count: () => totalOfSubjects(db, tenant, list, count),
  })
}

type Rows = Knex.QueryBuilder

/** One of the conditions that a subject must meet. Each can find the subjects, or check the subjects that another finds. */
interface Condition {
  /** The rows of an index that meet it, to be counted. */
  rows(): Rows
  /** The subjects that meet it, each once: `id`, as bytes, and `rank`. */
  subjects(): Rows
  /** The rank that it adds to the subject `lead.id`: one number, null where the subject does not match. */
  rankOfLead(): Rows
}

function wordCondition(db: Db, tenant: TenantId, { text, once, twice }: SearchedWord): Condition {
  // Words are letters and digits: nothing in a pattern has to be escaped.
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
    rankOfLead: () =>
      db.from('words_by_subject').where({ tenant_id: tenant }).whereRaw('subject_id = lead.id').select(rankOfAll()),
  }
}

const list = (values: readonly unknown[]): string => values.map(() => '?').join(', ') || 'NULL'

function entityCondition(db: Db, tenant: TenantId, { keys }: EntitySet): Condition {
  const rows = (index: 'PRIMARY' | 'subject_locations_by_subject' = 'PRIMARY') =>
    db
      .from(db.raw('subject_locations FORCE INDEX (??)', [index]))
      .where({ tenant_id: tenant })
      .whereIn('entity_key', [...keys])
  return {
    rows,
    subjects: () => rows().select(db.raw(`DISTINCT ${sqlBytes('subject_id')} AS id, 0 AS \`rank\``)),
    rankOfLead: () =>
      rows('subject_locations_by_subject')
        .whereRaw(`subject_id = ${sqlId('lead.id')}`)
        .select(db.raw('0'))
        .limit(1),
  }
}

interface Plan {
  /** The condition that the fewest rows meet: it finds the subjects. */
  lead: Condition
  /** Conditions that are read as a whole beside it. */
  joined: Condition[]
  /** Conditions that are looked up for each of its subjects. */
  lookedUp: Condition[]
}

/** Plans a search by the rows of its conditions. @throws SearchTooWide */
async function planOf(db: Db, conditions: readonly Condition[], within: SearchBounds): Promise<Plan> {
  const { lead, size } = await narrowest(db, conditions, within.mostRanked)
  const others = conditions.filter(condition => condition !== lead)
  if (others.length === 0 || size <= within.mostLookedUp) return { lead, joined: [], lookedUp: others }
  const wide = size * mostTimes + 1
  const sizes = await sizesOf(db, others, wide)
  const byRows = others.map((condition, n) => ({ condition, size: sizes[n] ?? wide })).sort((a, b) => a.size - b.size)
  const narrow = byRows.filter(({ size }) => size < wide).slice(0, mostJoined)
  const joined = narrow.map(({ condition }) => condition)
  return { lead, joined, lookedUp: others.filter(condition => !joined.includes(condition)) }
}

/**
 * The condition that the fewest rows meet, and how many. Counts no further than it must: a thousand rows of each, or else ten
 * thousand… One condition alone is counted once.
 * @throws SearchTooWide where each has more than `most`.
 */
async function narrowest(
  db: Db,
  conditions: readonly Condition[],
  most: number,
): Promise<{ lead: Condition; size: number }> {
  for (let enough = conditions.length === 1 ? most : 1_000; ; enough *= 10) {
    const bound = Math.min(enough, most) + 1
    const sizes = await sizesOf(db, conditions, bound)
    const size = Math.min(...sizes)
    const lead = conditions[sizes.indexOf(size)]
    if (lead && size < bound) return { lead, size }
    if (bound > most) throw new SearchTooWide(`Each condition has more than ${most} rows`)
  }
}

/** How many rows meet each condition, counted to a bound. */
async function sizesOf(db: Db, conditions: readonly Condition[], bound: number): Promise<number[]> {
  const some = (condition: Condition) => condition.rows().select(db.raw('1 AS one')).limit(bound).as('some')
  const counts = conditions.map((condition, n) => db.count('*').from(some(condition)).as(`count${n}`))
  const row: Record<string, number> = await db.first(counts)
  return conditions.map((_, n) => Number(row[`count${n}`]))
}

/** The subjects that meet all conditions: `id` and `rank`. */
function matches(db: Db, { lead, joined, lookedUp }: Plan): Knex.QueryBuilder<FoundSubject, FoundSubject[]> {
  const ranks = ['lead.rank', ...joined.map((_, n) => `joined${n}.rank`), ...lookedUp.map(() => '(?)')]
  const rank = db.raw(
    ranks.join(' + '),
    lookedUp.map(condition => condition.rankOfLead()),
  )
  const ranked = db.from(lead.subjects().as('lead')).select({ id: db.raw(sqlId('lead.id')), rank })
  for (const [n, condition] of joined.entries()) {
    ranked.join(condition.subjects().as(`joined${n}`), `joined${n}.id`, 'lead.id')
  }
  return db.from<FoundSubject, FoundSubject[]>(ranked.as('matches')).whereNotNull('rank')
}
