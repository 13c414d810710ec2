// The subject search against a comparison of all words.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import type { TenantId } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { type EntitySet, entitySet } from '../../db/frame/hierarchy/hierarchy-state.js'
import { sqlId } from '../../db/frame/search/id-bytes.js'
import { isOfLetters, maxWords, type QueryWord, queryWords, wordsOf } from '../../db/frame/search/search-words.js'
import { indexWords, type WordsChange } from '../../db/frame/search/subject-words.js'
import { remnantsOf } from '../../db/frame/search/typos.js'
import { settleWords } from '../../db/frame/search/word-settling.js'
import {
  type FoundSubject,
  SearchTooWide,
  searchBounds,
  searchSubjects,
} from '../../db/frame/subjects/subject-search.js'
import type { PageRequest } from '../../db/paging.js'
import { newId } from '../../runtime/ids.js'
import { newTenant } from '../support/api.js'
import { openDatabase } from '../support/factories.js'
import { type Random, randomOf } from '../support/random.js'

interface SearchedSubject {
  id: string
  words: readonly string[]
}

/** Letters of one script, few enough that many of the names made of them are a typo apart. */
const alphabets = ['aeinmrst', 'aéiñmØßł', 'аеиноМРС', 'αεινοΜΡς', 'ابتسمنور', '山田太郎美羽王明', 'कमलनिरा']

const seed = 4
const random = randomOf(seed)
const subjects = population(random, 600)
const entityOf = ({ id }: SearchedSubject) => `ward-${Number(id.slice(0, 8)) % 40}`
const byRank: PageRequest = { column: 'rank', descending: false, first: 1_000 }

// Ten writers at once.
const db = openDatabase(10)
const tenant = await emptyTenant()
for (let n = 0; n < subjects.length; n += 500) await indexAll(tenant, subjects.slice(n, n + 500))
await db('subject_locations').insert(
  subjects.map(subject => ({ tenant_id: tenant, entity_key: entityOf(subject), subject_id: subject.id })),
)

/** The first thousand and the count, as the store has them and as they must be. */
async function expectFound(of: TenantId, all: readonly SearchedSubject[], term: string, entities?: EntitySet) {
  const wanted = searchAll(all, term)
  // As it is for few matches, and for many.
  for (const maxLookedUp of [searchBounds.maxLookedUp, 0]) {
    const within = { ...searchBounds, maxLookedUp }
    const { rows, totalCount } = await searchSubjects(db, of, { term, entities }, byRank, within)
    expect({ term, totalCount, rows }).toEqual({ term, totalCount: wanted.length, rows: wanted.slice(0, 1_000) })
  }
  return wanted.length
}

test('a search finds the same subjects in the same order as a comparison of all words', async () => {
  const found: number[] = []
  for (let n = 0; n < 40; n++) found.push(await expectFound(tenant, subjects, termFor(random, subjects)))
  // Among them searches that find nobody, one and many.
  expect(Math.min(...found)).toBe(0)
  expect(found).toContain(1)
  expect(Math.max(...found)).toBeGreaterThan(50)
})

test('a search is refused only if each of its conditions has more rows than can be ranked', async () => {
  const wanted = searchAll(subjects, 'a')
  const rows = subjects.flatMap(({ words }) => words.filter(word => word.startsWith('a'))).length
  const search = (max: number, entities?: EntitySet) =>
    searchSubjects(db, tenant, { term: 'a', entities }, byRank, { ...searchBounds, maxRanked: max })
  expect((await search(rows)).rows).toEqual(wanted)
  await expect(search(rows - 1)).rejects.toThrow(SearchTooWide)
  expect((await search(rows - 1, entitySet(['ward-1']))).totalCount).toBeGreaterThan(0)
})

test.each([1, 2, 30])('a search in %i entities keeps those who are assigned to one of them', async count => {
  const keys = Array.from({ length: count }, (_, n) => `ward-${n}`)
  const there = subjects.filter(subject => keys.includes(entityOf(subject)))
  for (let n = 0; n < 15; n++) await expectFound(tenant, there, termFor(random, subjects), entitySet(keys))
})

test('a search in no entity and in one that does not exist finds nobody', async () => {
  await expectFound(tenant, [], 'a', entitySet([]))
  await expectFound(tenant, [], 'a', entitySet(['nowhere']))
})

test.each(['%a%', 'a_', "a' OR '1'='1", '(a|e)', '[a-z]+', 'a*', '-a', '٣', 'İ', ':id'])(
  'the term %j is words, not a pattern',
  async term => {
    await expectFound(tenant, subjects, term)
  },
)

test('a term of 200 words finds the subject that has them all', async () => {
  const own = await emptyTenant()
  const words = Array.from({ length: 200 }, (_, n) => `word${n}`)
  const all = { id: '00000000-0000-7000-8000-000000000001', words }
  const half = { id: '00000000-0000-7000-8000-000000000002', words: words.slice(100) }
  await indexAll(own, [all, half])
  for (const maxLookedUp of [searchBounds.maxLookedUp, 0]) {
    const within = { ...searchBounds, maxLookedUp }
    expect(await searchSubjects(db, own, { term: words.join(' ') }, byRank, within)).toMatchObject({
      rows: [{ id: all.id, rank: 0 }],
      totalCount: 1,
    })
  }
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
      expect(wanted.length).toBeGreaterThan(100)
      const place = (row: { id: string; rank: number } | undefined) =>
        row && { sort: column === 'rank' ? row.rank : row.id, key: row.id }
      const forwards: typeof ascending = []
      for (let more = true; more; ) {
        const after = place(forwards.at(-1))
        const page = await searchSubjects(db, tenant, { term }, { column, descending, first: 47, after })
        expect(page).toMatchObject({ totalCount: wanted.length, hasPreviousPage: after !== undefined })
        forwards.push(...page.rows)
        more = page.hasNextPage
      }
      expect(forwards).toEqual(wanted)
      const backwards: typeof ascending = []
      for (let more = true; more; ) {
        const before = place(backwards[0])
        const page = await searchSubjects(db, tenant, { term }, { column, descending, last: 47, before })
        expect(page).toMatchObject({ totalCount: wanted.length, hasNextPage: before !== undefined })
        backwards.unshift(...page.rows)
        more = page.hasPreviousPage
      }
      expect(backwards).toEqual(wanted)
    },
  )
})

test('a tenant finds its own subjects, by its own words only', async () => {
  const [mine, theirs] = [await emptyTenant(), await emptyTenant()]
  const [anna, anne] = [population(random, 50), population(random, 50)]
  await indexAll(mine, anna)
  await indexAll(theirs, anne)
  for (let n = 0; n < 20; n++) {
    const term = termFor(random, n % 2 === 0 ? anna : anne)
    await expectFound(mine, anna, term)
    await expectFound(theirs, anne, term)
  }
})

test('a changed subject is found by its present words, and no longer by those it lost', async () => {
  const own = await emptyTenant()
  const before = population(random, 300)
  await indexAll(own, before)
  const words = random.shuffled(before.flatMap(subject => subject.words))
  const after = before.map(({ id, words: had }, n) => {
    if (n % 3 === 0) return { id, words: had }
    return { id, words: n % 10 === 1 ? [] : [...new Set([...had.slice(1), ...words.slice(n, n + 2)])] }
  })
  await changeWords(
    own,
    before.map(({ id, words }, n) => ({ id, before: words, after: after[n]?.words ?? [] })),
  )
  for (let n = 0; n < 30; n++) await expectFound(own, after, termFor(random, before))
})

test('writers of the same new words at the same time all succeed, and nothing is missing', async () => {
  const own = await emptyTenant()
  const all = population(random, 200)
  // Two thirds of the words of each are new to all of them, in an order of each writer's own.
  const shared = ['nordmann', 'johansen', 'kristoffersen', 'mohamed', 'søndergaard', 'иванов']
  const writers = Array.from({ length: 10 }, (_, n) =>
    all
      .slice(n * 20, n * 20 + 20)
      .map(({ id, words }) => ({ id, words: [...new Set([...words, ...random.shuffled(shared)])] })),
  )
  await Promise.all(writers.map(subjects => indexAll(own, subjects)))
  await expectOneIndex(own)
  for (const term of ['nordman', 'johansn kristofersen', 'mohammed', 'иваонв', 'sonder']) {
    await expectFound(own, writers.flat(), term)
  }
})

describe('words of a tenant', () => {
  const id = (n: number) => `0000000${n}-0000-7000-8000-000000000000`

  test('a new word and its mark are written in one transaction, so that no word stays unindexed', async () => {
    const own = await emptyTenant()
    const marked = await transaction(db, own, async trx => {
      await indexWords(trx, own, [{ id: id(1), before: [], after: ['kristoffersen', 'no', 'a1b2', 'anna'] }])
      return trx('subject_word_marks').where({ tenant_id: own }).orderBy('word').pluck('word')
    })
    expect(marked).toEqual(['anna', 'kristoffersen'])
    await learnt(own)
    expect(await remnantsRead(own)).toEqual(remnantsOfAll(['anna', 'kristoffersen']))
  })

  test('remnants go with the last subject that has the word', async () => {
    const own = await emptyTenant()
    await indexAll(own, [
      { id: id(1), words: ['anna', 'nordmann'] },
      { id: id(2), words: ['nordmann'] },
    ])
    await changeWords(own, [{ id: id(1), before: ['anna', 'nordmann'], after: [] }])
    expect(await remnantsRead(own)).toEqual(remnantsOfAll(['nordmann']))
    await changeWords(own, [{ id: id(2), before: ['nordmann'], after: ['anna'] }])
    expect(await remnantsRead(own)).toEqual(remnantsOfAll(['anna']))
  })

  test('a word that is used again while its remnants are being deleted keeps them', async () => {
    const own = await emptyTenant()
    const rows = remnantsOfAll(['nordmann']).map(each => each.split(' '))
    await db('subject_word_typos').insert(rows.map(([remnant, word]) => ({ tenant_id: own, remnant, word })))
    let sweep: Promise<unknown> | undefined
    await transaction(db, own, async trx => {
      await indexWords(trx, own, [{ id: id(1), before: [], after: ['nordmann'] }])
      // As of another subject that has just lost it.
      await db('subject_word_marks').insert({ tenant_id: own, id: newId(), word: 'nordmann' })
      sweep = settleWords(db)
      // A sweep that does not wait for this transaction ends here, and forgets the word.
      await Promise.race([sweep, sleep(200)])
    })
    await sweep
    await learnt(own)
    expect(await remnantsRead(own)).toEqual(remnantsOfAll(['nordmann']))
  })

  test('writers and settling at the same time leave the remnants of exactly the words in use', async () => {
    const own = await emptyTenant()
    const pool = ['nordmann', 'johansen', 'mohamed', 'иванов']
    const chance = randomOf(7)
    const words = new Map<number, string[]>(Array.from({ length: 5 }, (_, n) => [n, []]))
    await Promise.all(
      Array.from(words.keys(), async n => {
        for (let round = 0; round < 10; round++) {
          const before = words.get(n) ?? []
          const after = pool.filter(() => chance.between(0, 4) === 0)
          await transaction(db, own, trx => indexWords(trx, own, [{ id: id(n), before, after }]))
          words.set(n, after)
          await settleWords(db)
        }
      }),
    )
    await learnt(own)
    expect(await remnantsRead(own)).toEqual(remnantsOfAll([...words.values()].flat()))
  })

  test('a subject with 36 KB of words has no more rows than the greatest number of words', async () => {
    const own = await emptyTenant()
    const chance = randomOf(8)
    const text = Array.from({ length: 4_000 }, () => word(chance, [...'abcdefghijklmnop'], 8)).join(' ')
    const words = wordsOf({ name: ['String', 'Anna Nordmann'], notes: ['String', text] })
    await indexAll(own, [{ id: id(1), words }])
    const rows = () => db('subjects_by_word').where({ tenant_id: own }).count({ size: '*' }).first()
    expect(await rows()).toEqual({ size: maxWords })
    expect(await remnantsRead(own)).toEqual(remnantsOfAll(words))
    await changeWords(own, [{ id: id(1), before: words, after: ['anna'] }])
    expect(await rows()).toEqual({ size: 1 })
    expect(await remnantsRead(own)).toEqual(remnantsOfAll(['anna']))
  })
})

/** All remnants of a tenant: `remnant word`, sorted. */
async function remnantsRead(of: TenantId): Promise<string[]> {
  const rows: { remnant: string; word: string }[] = await db('subject_word_typos')
    .where({ tenant_id: of })
    .select('remnant', 'word')
  return rows.map(({ remnant, word }) => `${remnant} ${word}`).sort()
}

const remnantsOfAll = (words: readonly string[]): string[] =>
  [...new Set(words)]
    .flatMap(word => ['', ...remnantsOf(word, [...word].length < 6 ? 1 : 2)].map(remnant => `${remnant} ${word}`))
    .sort()

/** Waits until the words of a tenant have their remnants. The API settles marks too. */
async function learnt(of: TenantId): Promise<void> {
  while (await db('subject_word_marks').where({ tenant_id: of }).first('id')) await settleWords(db)
}

async function changeWords(of: TenantId, changes: readonly WordsChange[]): Promise<void> {
  await transaction(db, of, trx => indexWords(trx, of, changes))
  await learnt(of)
  await expectOneIndex(of)
}

/** The two tables of the index must say the same. */
async function expectOneIndex(of: TenantId): Promise<void> {
  const own = (table: string) =>
    db(table)
      .where({ tenant_id: of })
      .select({ id: db.raw(sqlId('subject_id')) })
  const rows: { id: string; word: string }[] = await own('subjects_by_word').select('word')
  const lists: { id: string; words: string }[] = await own('words_by_subject').select('words')
  const listed = lists.flatMap(({ id, words }) => words.split(',').map(word => `${id} ${word}`))
  expect(rows.map(({ id, word }) => `${id} ${word}`).sort()).toEqual(listed.sort())
}

/** The number of a new tenant, which has no subjects. */
async function emptyTenant(): Promise<TenantId> {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  return id
}

/** Writes subjects with these words, and nothing else. */
async function indexAll(tenant: TenantId, subjects: readonly SearchedSubject[]): Promise<void> {
  await transaction(db, tenant, async trx => {
    const [created_at, updated_at] = [new Date(), new Date()]
    await trx('subjects').insert(
      subjects.map(({ id }) => ({
        tenant_id: tenant,
        id,
        external_id: id,
        custom_values: '{}',
        created_at,
        updated_at,
      })),
    )
    await indexWords(
      trx,
      tenant,
      subjects.map(({ id, words }) => ({ id, before: [], after: words })),
    )
  })
  await learnt(tenant)
}

/** What a search must find, best first: every word of the term compared with every word there is. */
function searchAll(subjects: readonly SearchedSubject[], term: string): FoundSubject[] {
  const words = new Set(subjects.flatMap(subject => subject.words))
  const ranks = queryWords(term).map(
    searched => new Map([...words].map(word => [word, wordRank(searched, word)] as const)),
  )
  return subjects
    .map(({ id, words }) => ({
      id,
      rank: sum(ranks.map(rank => Math.min(...words.map(word => rank.get(word) ?? none)))),
    }))
    .filter(({ rank }) => rank !== none)
    .sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1))
}

const none = Number.POSITIVE_INFINITY
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

function wordRank({ text, typos }: QueryWord, word: string): number {
  if (word === text) return 0
  if (word.startsWith(text)) return 1
  if (!isOfLetters(word)) return none
  const [letters, others] = [[...text], [...word]]
  if (Math.abs(letters.length - others.length) > typos) return none
  const distance = distanceBetween(letters, others)
  return distance <= typos ? 1 + distance : none
}

/** Insertions, deletions, changes and swaps of neighbours between two words: the whole table, nothing left out. */
function distanceBetween(a: readonly string[], b: readonly string[]): number {
  const table: number[][] = []
  const at = (i: number, j: number): number => table[i]?.[j] ?? none
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = []
    table.push(row)
    for (let j = 0; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : none
      row.push(i === 0 || j === 0 ? i + j : Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, swapped))
    }
  }
  return at(a.length, b.length)
}

/** Subjects with names in several scripts, numbers, phones and blanks; the same for the same seed. */
function population(random: Random, count: number): SearchedSubject[] {
  return Array.from({ length: count }, (_, n) => {
    const letters = [...(alphabets[random.between(0, 2 * alphabets.length)] ?? alphabets[0] ?? '')]
    const name = () => word(random, letters, random.between(1, 12))
    const digits = (length: number) => word(random, [...'0123456789'], length)
    const words = wordsOf({
      name: ['String', `${name()} ${name()}`],
      number: ['String', digits(5)],
      ...(n % 3 === 0 ? { phone: ['String', `+47 ${digits(3)} ${digits(2)}`] } : {}),
      ...(n % 5 === 0
        ? {
            notes: [
              ['String', `${name()}-${digits(2)}%_`],
              ['String', `a1 ${name()}'s`],
            ],
          }
        : {}),
    })
    return { id: `${String(n).padStart(8, '0')}-0000-7000-8000-${random.between(1e6, 1e7)}00000`, words }
  })
}

function word(random: Random, letters: readonly string[], length: number): string {
  return Array.from({ length }, () => letters[random.between(0, letters.length)] ?? '').join('')
}

/** A term that somebody may look for one of the subjects with: some of its words, whole, begun or mistyped. */
function termFor(random: Random, subjects: readonly SearchedSubject[]): string {
  const { words } = subjects[random.between(0, subjects.length)] ?? { words: [] }
  const term = Array.from({ length: random.between(1, 4) }, () => {
    const letters = [...(words[random.between(0, words.length)] ?? '')]
    const way = random.between(0, 6)
    if (way === 0) return letters.join('').toUpperCase()
    if (way === 1) return letters.slice(0, random.between(1, letters.length + 1)).join('')
    const once = mistyped(random, letters)
    return (way < 4 ? once : mistyped(random, once)).join('')
  }).join(random.between(0, 2) === 0 ? ' ' : ', ')
  // Of a short word a typo may leave nothing.
  return queryWords(term).length > 0 ? term : termFor(random, subjects)
}

function mistyped(random: Random, letters: readonly string[]): string[] {
  const at = random.between(0, letters.length + 1)
  const other = letters[random.between(0, letters.length)] ?? 'e'
  switch (random.between(0, 4)) {
    case 0:
      return letters.toSpliced(at, 0, other)
    case 1:
      return letters.toSpliced(at, 1)
    case 2:
      return letters.toSpliced(at, 1, other)
    default:
      return letters.toSpliced(at, 2, ...letters.slice(at, at + 2).reverse())
  }
}
