// Measures the subject search.
import type { Knex } from 'knex'
import { connect } from '../db/connect.js'
import type { StoredValues } from '../db/frame/fields/custom-fields.js'
import { wordsOf } from '../db/frame/search/search-words.js'
import { mulberry32 } from '../dev/shuffle.js'
import type { Page } from '../test/support/frame.js'
import type { SeededClient } from '../test/support/seeded-tenant.js'
import { percentile } from './measure.js'

export interface SearchFigures {
  /**
   * Milliseconds of a search with a typo in the last word, through HTTP with the total count. Searches run one at a
   * time.
   */
  p50: number
  p95: number
  /** Median ms of the same search by reading all values, the best that is possible without an index. */
  scan: number
}

/** Measures searches with a typo in a seeded tenant, for the family name alone or after the given name. */
export async function measureSearch(databaseUrl: string, tenant: SeededClient, calls: number): Promise<SearchFigures> {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    const { times, terms } = await timeSearches(db, tenant, calls)
    const scans: number[] = []
    for (const { patterns } of terms.slice(0, 5)) {
      const scan = db('subjects').where({ tenant_id: tenant.tenantId }).count('*')
      for (const pattern of patterns) scan.where('custom_values', 'regexp', pattern)
      scans.push(await timed(async () => scan))
    }
    return { p50: percentile(times, 50), p95: percentile(times, 95), scan: percentile(scans, 50) }
  } finally {
    await db.destroy()
  }
}

/** Times searches with a typo. @returns ms of each search, and its term. */
export async function timeSearches(
  db: Knex,
  tenant: SeededClient,
  calls: number,
): Promise<{ times: number[]; terms: Term[] }> {
  // The first ids serve as a random sample: they follow the order of writing, and the seed picks names at random.
  const rows: { custom_values: string }[] = await db('subjects')
    .where({ tenant_id: tenant.tenantId })
    .orderBy('id')
    .limit(calls * 2)
    .select('custom_values')
  const terms = rows.flatMap((row, n) => mistyped(JSON.parse(row.custom_values), n)).slice(0, calls)
  const warm = Math.ceil(terms.length / 10)
  for (const { term } of terms.slice(0, warm)) await search(tenant, term)
  const times: number[] = []
  for (const { term } of terms) times.push(await timed(() => search(tenant, term)))
  return { times, terms }
}

interface Term {
  term: string
  /**
   * A regular expression for each word; that of the misspelled word matches it with any one letter changed, left out or
   * doubled.
   */
  patterns: string[]
}

const chance = mulberry32(20261121)

/** Returns a search term with a typo, or none if the family name is not a single word of at least four letters. */
function mistyped(values: StoredValues, n: number): Term[] {
  const [given] = wordsOf({ given: values.givenName ?? [] })
  const [family = ''] = wordsOf({ family: values.familyName ?? [] })
  if (!/^\p{L}{4,}$/u.test(family) || given === undefined) return []
  const at = 1 + Math.floor(chance() * (family.length - 1))
  const wrong = `${family.slice(0, at)}${'etaoin'[Math.floor(chance() * 6)]}${family.slice(at + 1)}`
  const near = Array.from(wrong, (_, i) => `${wrong.slice(0, i)}.{0,2}${wrong.slice(i + 1)}`).join('|')
  const patterns = [`(?i)"(${near})`]
  return n % 2 === 0
    ? [{ term: wrong, patterns }]
    : [{ term: `${given} ${wrong}`, patterns: [`(?i)${given}`, ...patterns] }]
}

async function search({ token, baseUrl }: SeededClient, term: string): Promise<void> {
  const path = `/api/v2/subject?${new URLSearchParams({ SearchTerm: term, First: '20' })}`
  const answer = await fetch(new URL(path, baseUrl), { headers: { authorization: `Bearer ${token}` } })
  const page: Page<unknown> = JSON.parse(await answer.text())
  if (!page.Edges?.length) throw new Error(`${answer.status} for ${term}: ${JSON.stringify(page).slice(0, 500)}`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
