import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect, type TenantId } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { searchSubjects } from '../../db/frame/subject-search.js'
import { indexWords } from '../../db/frame/subject-words.js'
import type { PageRequest } from '../../db/paging.js'
import { randomOf } from '../support/random.js'
import { type SearchedSubject, searchAll } from '../support/search-oracle.js'
import { population, termFor } from '../support/search-population.js'
import { emptyTenant, indexAll } from '../support/searched-tenant.js'

const seed = 4
const random = randomOf(seed)
const subjects = population(random, 1_200)
const entityOf = ({ id }: SearchedSubject) => `ward-${Number(id.slice(0, 8)) % 40}`
const byRank: PageRequest = { column: 'rank', descending: false, first: 1_000 }

const db = connect(inject('databaseUrl'), { poolSize: 10 })
let tenant: TenantId
beforeAll(async () => {
  tenant = await emptyTenant(db, inject('baseUrl'))
  for (let n = 0; n < subjects.length; n += 500) await indexAll(db, tenant, subjects.slice(n, n + 500))
  await db('subject_locations').insert(
    subjects.map(subject => ({ tenant_id: tenant, entity_key: entityOf(subject), subject_id: subject.id })),
  )
})
afterAll(() => db.destroy())

/** The first thousand and the count, as the store has them and as they must be. */
async function expectFound(of: TenantId, all: readonly SearchedSubject[], term: string, entityKeys?: string[]) {
  const wanted = searchAll(all, term)
  const { rows, totalCount } = await searchSubjects(db, of, { term, entityKeys }, byRank)
  expect({ term, totalCount, rows }).toEqual({ term, totalCount: wanted.length, rows: wanted.slice(0, 1_000) })
  return wanted.length
}

test('a search finds what comparing everything with everything finds, in the same order', async () => {
  const found: number[] = []
  for (let n = 0; n < 80; n++) found.push(await expectFound(tenant, subjects, termFor(random, subjects)))
  // Among them searches that find nobody, one and many.
  expect(Math.min(...found)).toBe(0)
  expect(found).toContain(1)
  expect(Math.max(...found)).toBeGreaterThan(50)
})

test.each([1, 2, 30])('a search in %i entities keeps those who are assigned to one of them', async count => {
  const keys = Array.from({ length: count }, (_, n) => `ward-${n}`)
  const there = subjects.filter(subject => keys.includes(entityOf(subject)))
  for (let n = 0; n < 30; n++) await expectFound(tenant, there, termFor(random, subjects), keys)
})

test('a search in no entity and in one that does not exist finds nobody', async () => {
  await expectFound(tenant, [], 'a', [])
  await expectFound(tenant, [], 'a', ['nowhere'])
})

test.each(['%a%', 'a_', "a' OR '1'='1", '(a|e)', '[a-z]+', 'a*', '-a', '٣', 'İ', ':id'])(
  'the term %j is words, not a pattern',
  async term => {
    await expectFound(tenant, subjects, term)
  },
)

test('a term of 200 words finds who has them all', async () => {
  const own = await emptyTenant(db, inject('baseUrl'))
  const words = Array.from({ length: 200 }, (_, n) => `word${n}`)
  const all = { id: '00000000-0000-7000-8000-000000000001', words }
  const half = { id: '00000000-0000-7000-8000-000000000002', words: words.slice(100) }
  await indexAll(db, own, [all, half])
  expect(await searchSubjects(db, own, { term: words.join(' ') }, byRank)).toMatchObject({
    rows: [{ id: all.id, rank: 0 }],
    totalCount: 1,
  })
})

describe('pages', () => {
  const term = 'm'
  const ascending = searchAll(subjects, term)
  const byId = [...ascending].sort((a, b) => (a.id < b.id ? -1 : 1))
  test.each([
    ['rank', false, ascending],
    ['rank', true, ascending.toReversed()],
    ['id', false, byId],
    ['id', true, byId.toReversed()],
  ] as const)(
    'by %s, descending: %s, join to the whole, forwards and backwards',
    async (column, descending, wanted) => {
      expect(wanted.length).toBeGreaterThan(200)
      const place = (row: { id: string; rank: number } | undefined) =>
        row && { sort: column === 'rank' ? row.rank : row.id, key: row.id }
      const forwards: typeof ascending = []
      for (let more = true; more; ) {
        const after = place(forwards.at(-1))
        const page = await searchSubjects(db, tenant, { term }, { column, descending, first: 97, after })
        expect(page).toMatchObject({ totalCount: wanted.length, hasPreviousPage: after !== undefined })
        forwards.push(...page.rows)
        more = page.hasNextPage
      }
      expect(forwards).toEqual(wanted)
      const backwards: typeof ascending = []
      for (let more = true; more; ) {
        const before = place(backwards[0])
        const page = await searchSubjects(db, tenant, { term }, { column, descending, last: 97, before })
        expect(page).toMatchObject({ totalCount: wanted.length, hasNextPage: before !== undefined })
        backwards.unshift(...page.rows)
        more = page.hasPreviousPage
      }
      expect(backwards).toEqual(wanted)
    },
  )
})

test('a tenant finds its own subjects, by its own words only', async () => {
  const [mine, theirs] = [await emptyTenant(db, inject('baseUrl')), await emptyTenant(db, inject('baseUrl'))]
  const [anna, anne] = [population(random, 50), population(random, 50)]
  await indexAll(db, mine, anna)
  await indexAll(db, theirs, anne)
  for (let n = 0; n < 40; n++) {
    const term = termFor(random, n % 2 === 0 ? anna : anne)
    await expectFound(mine, anna, term)
    await expectFound(theirs, anne, term)
  }
})

test('a changed subject is found by its words of now and no longer by those it lost', async () => {
  const own = await emptyTenant(db, inject('baseUrl'))
  const before = population(random, 300)
  await indexAll(db, own, before)
  const words = random.shuffled(before.flatMap(subject => subject.words))
  const after = before.map(({ id, words: had }, n) => {
    if (n % 3 === 0) return { id, words: had }
    return { id, words: n % 10 === 1 ? [] : [...new Set([...had.slice(1), ...words.slice(n, n + 2)])] }
  })
  await transaction(db, trx =>
    indexWords(
      trx,
      own,
      before.map(({ id, words }, n) => ({ id, before: words, after: after[n]?.words ?? [] })),
    ),
  )
  for (let n = 0; n < 60; n++) await expectFound(own, after, termFor(random, before))
})

test('writers of the same new words at the same time all succeed, and nothing is missing', async () => {
  const own = await emptyTenant(db, inject('baseUrl'))
  const all = population(random, 400)
  // Two thirds of the words of each are new to all of them, in an order of each writer's own.
  const shared = ['nordmann', 'johansen', 'kristoffersen', 'mohamed', 'søndergaard', 'иванов']
  const writers = Array.from({ length: 10 }, (_, n) =>
    all
      .slice(n * 40, n * 40 + 40)
      .map(({ id, words }) => ({ id, words: [...new Set([...words, ...random.shuffled(shared)])] })),
  )
  await Promise.all(writers.map(subjects => indexAll(db, own, subjects)))
  for (const term of ['nordman', 'johansn kristofersen', 'mohammed', 'иваонв', 'sonder']) {
    await expectFound(own, writers.flat(), term)
  }
})
