import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { type Page, type PageRequest, readPage } from '../paging.js'
import { groupedBy } from '../rows.js'
import { type QueryWord, queryWords } from './search-words.js'
import { remnantsOf, typosBetween } from './typos.js'

export interface FoundSubject {
  id: string
  /** 0 for each word of the term found as it is, 1 as the beginning of a word, 2 with a typo, 3 with two; summed. */
  rank: number
}

export interface SubjectSearch {
  term: string
  /** Keeps the subjects that are directly assigned to one of these. */
  entityKeys?: readonly string[] | undefined
}

/**
 * Finds the subjects in which every word of the term is found (see `queryWords`), best first: pages by `rank` or `id`.
 * All the ranking and counting is the database's; what this process holds does not grow with the number of subjects.
 */
export async function searchSubjects(
  db: Db,
  tenant: TenantId,
  { term, entityKeys }: SubjectSearch,
  page: PageRequest,
): Promise<Page<FoundSubject>> {
  const words = await withTypos(db, tenant, queryWords(term))
  const conditions: Condition[] = words.map(word => wordCondition(db, tenant, word))
  if (entityKeys) conditions.push(entityCondition(db, tenant, entityKeys))
  const lead = await narrowest(db, conditions)
  return readPage<FoundSubject>(() => found(db, tenant, conditions, lead), 'id', page)
}

/** A condition in two forms: the subjects that meet it, from an index; and a check of subjects that something else found. */
interface Condition {
  /** Rows of an index, for counting. */
  rows(): Knex.QueryBuilder
  /** Subjects and their ranks, each once: `id`, `rank`. */
  subjects(): Knex.QueryBuilder
  /** Adds the check to a query over `lead` and `texts`. */
  check(query: Knex.QueryBuilder): void
  /** What a checked subject adds to its rank. */
  rank?: Knex.Raw
}

interface SearchedWord extends QueryWord {
  /** Known words that this one may be a typo of, by the number of typos; not those that it begins. */
  once: string[]
  twice: string[]
}

/** Looks up, for all words together, which known words they may be a typo of. */
async function withTypos(db: Db, tenant: TenantId, words: readonly QueryWord[]): Promise<SearchedWord[]> {
  const remnants = new Map(words.filter(word => word.typos > 0).map(word => [word, remnantsOf(word.text, word.typos)]))
  const wanted = [...new Set([...remnants.values()].flat())]
  const rows: { remnant: string; word: string }[] =
    wanted.length === 0
      ? []
      : await db('subject_word_typos').where({ tenant_id: tenant }).whereIn('remnant', wanted).select('remnant', 'word')
  const byRemnant = groupedBy(rows, row => row.remnant)
  return words.map(word => {
    const near = new Set((remnants.get(word) ?? []).flatMap(each => byRemnant.get(each) ?? []).map(row => row.word))
    const typos = [...near]
      .filter(each => !each.startsWith(word.text))
      .map(each => ({ each, typos: typosBetween(word.text, each, word.typos) }))
    const with_ = (count: number) =>
      typos.filter(typo => typo.typos === count && count <= word.typos).map(typo => typo.each)
    return { ...word, once: with_(1), twice: with_(2) }
  })
}

function wordCondition(db: Db, tenant: TenantId, { text, once, twice }: SearchedWord): Condition {
  const typos = [...once, ...twice]
  // Words are letters and digits, so nothing in a pattern has to be escaped.
  const rows = () =>
    db('subject_words')
      .where({ tenant_id: tenant })
      .where(any => any.where('word', 'like', `${text}%`).orWhereIn('word', typos))
  const inText = (word: string) => `% ${word} %`
  const beginning = `% ${text}%`
  const oneOf = (words: readonly string[]) => ` (${words.join('|')}) `
  return {
    rows,
    subjects: () =>
      rows()
        .groupBy('subject_id')
        .select(
          'subject_id as id',
          db.raw(
            `MIN(CASE WHEN word = ? THEN 0 WHEN word LIKE ? THEN 1 WHEN word IN (${marks(twice)}) THEN 3 ELSE 2 END) AS \`rank\``,
            [text, `${text}%`, ...twice],
          ),
        ),
    check: query =>
      query.where(any => {
        any.where('texts.words', 'like', beginning)
        // One expression, because forty LIKEs take five times as long.
        if (typos.length > 0) any.orWhere('texts.words', 'regexp', oneOf(typos))
      }),
    rank: db.raw(
      `CASE WHEN texts.words LIKE ? THEN 0 WHEN texts.words LIKE ? THEN 1 ${twice.length > 0 && once.length > 0 ? 'WHEN texts.words REGEXP ? THEN 2 ELSE 3' : `ELSE ${twice.length > 0 ? 3 : 2}`} END`,
      [inText(text), beginning, ...(twice.length > 0 && once.length > 0 ? [oneOf(once)] : [])],
    ),
  }
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(',') || 'NULL'

function entityCondition(db: Db, tenant: TenantId, entityKeys: readonly string[]): Condition {
  const rows = () =>
    db('subject_locations')
      .where({ tenant_id: tenant })
      .whereIn('entity_key', [...entityKeys])
  return {
    rows,
    subjects: () => rows().distinct('subject_id as id', db.raw('0 AS `rank`')),
    check: query => query.whereExists(rows().select(db.raw('1')).whereRaw('subject_locations.subject_id = lead.id')),
  }
}

/** The condition that the fewest rows meet. Counts no further than it must: a thousand of each, then ten thousand… */
async function narrowest(db: Db, conditions: readonly Condition[]): Promise<Condition | undefined> {
  if (conditions.length < 2) return conditions[0]
  for (let most = 1_000; ; most *= 10) {
    const counts = conditions.map((condition, n) =>
      db
        .count('*')
        .from(condition.rows().select(db.raw('1 AS one')).limit(most).as('some'))
        .as(`n${n}`),
    )
    const row: Record<string, number> = await db.first(counts)
    const sizes = conditions.map((_, n) => Number(row[`n${n}`]))
    const smallest = Math.min(...sizes)
    if (smallest < most || most >= 1_000_000) return conditions[sizes.indexOf(smallest)]
  }
}

/** The subjects that meet all conditions, with their ranks: those of the lead, each checked against the others. */
function found(
  db: Db,
  tenant: TenantId,
  conditions: readonly Condition[],
  lead: Condition | undefined,
): Knex.QueryBuilder<FoundSubject, FoundSubject[]> {
  if (!lead)
    return db.from(db('subjects').where({ tenant_id: tenant }).select('id', db.raw('0 AS `rank`')).as('matches'))
  const others = conditions.filter(condition => condition !== lead)
  const ranks = others.flatMap(({ rank }) => rank ?? [])
  const query = db.from(lead.subjects().as('lead'))
  if (ranks.length > 0) {
    query.join('subject_texts as texts', join => {
      join.on('texts.subject_id', 'lead.id').andOnVal('texts.tenant_id', tenant)
    })
  }
  for (const { check } of others) check(query)
  query.select('lead.id', db.raw(`${['lead.rank', ...ranks.map(() => '?')].join(' + ')} AS \`rank\``, ranks))
  return db.from(query.as('matches'))
}
