import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { type Cell, slices, upsertRows } from '../rows.js'
import { isOfLetters } from './search-words.js'
import { remnantsOf } from './typos.js'

/** The words of a subject (see `wordsOf`) before and after a change; none before for a new one. */
export interface WordsChange {
  id: string
  before: readonly string[]
  after: readonly string[]
}

/**
 * Makes the subjects found by their words of now, inside the transaction that changes them. Writes a row for each word that
 * came or went, and one for the subject. Call it last: it may wait for whoever writes the same new word at the moment.
 */
export async function indexWords(
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly WordsChange[],
): Promise<void> {
  const gone = changes.flatMap(({ id, before, after }) => missingFrom(after, before).map(word => ({ id, word })))
  const come = changes.flatMap(({ id, before, after }) => missingFrom(before, after).map(word => ({ id, word })))
  await forget(trx, tenant, gone)
  const words = come.map(({ id, word }) => [tenant, word, id])
  await upsertRows(trx, 'subject_words', ['tenant_id', 'word', 'subject_id'], sorted(words), [])
  const changed = new Set([...gone, ...come].map(({ id }) => id))
  const texts = changes.filter(({ id }) => changed.has(id)).map(({ id, after }) => [tenant, id, ` ${after.join(' ')} `])
  await upsertRows(trx, 'subject_texts', ['tenant_id', 'subject_id', 'words'], sorted(texts), ['words'])
  await learn(trx, tenant, [...new Set(come.map(({ word }) => word))])
}

const missingFrom = (some: readonly string[], all: readonly string[]): string[] => {
  const there = new Set(some)
  return all.filter(word => !there.has(word))
}

/** In one order for all writers, so that two who write the same rows do not deadlock. */
const sorted = (rows: Cell[][]): Cell[][] =>
  rows
    .map(row => ({ row, key: row.join(' ') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)

async function forget(
  trx: Knex.Transaction,
  tenant: TenantId,
  gone: readonly { id: string; word: string }[],
): Promise<void> {
  for (const slice of slices(gone)) {
    await trx('subject_words')
      .where({ tenant_id: tenant })
      .where(any => {
        // Spelled out, because MariaDB uses no index for `(word, subject_id) IN (…)`.
        for (const { id, word } of slice) any.orWhere({ word, subject_id: id })
      })
      .delete()
  }
}

/** Words shorter than this are nobody's mistyped word: typos are forgiven from four letters on. */
const shortest = 3

/**
 * Writes down the remnants of words that no subject had before. They stay when the last subject with the word goes, so that
 * no writer has to count; a word that finds nobody does no harm.
 */
async function learn(trx: Knex.Transaction, tenant: TenantId, words: readonly string[]): Promise<void> {
  const ofLetters = words.filter(word => [...word].length >= shortest && isOfLetters(word))
  const known = new Set<string>()
  for (const slice of slices(ofLetters)) {
    const found = await trx('subject_word_typos')
      .where({ tenant_id: tenant, remnant: '' })
      .whereIn('word', slice)
      .select('word')
    for (const { word } of found) known.add(word)
  }
  const rows = ofLetters
    .filter(word => !known.has(word))
    // A word of five letters or fewer is at most one typo away from those that forgive two from eight letters on.
    .flatMap(word => ['', ...remnantsOf(word, [...word].length < 6 ? 1 : 2)].map(remnant => [tenant, remnant, word]))
  await upsertRows(trx, 'subject_word_typos', ['tenant_id', 'remnant', 'word'], sorted(rows), [])
}
