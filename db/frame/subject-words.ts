import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { type Cell, slices, upsertRows } from '../rows.js'
import { isOfLetters } from './search-words.js'
import { remnantsOf } from './typos.js'

/** The words of a subject (see `wordsOf`) before and after a change; none before for a new one, none after for one that goes. */
export interface WordsChange {
  id: string
  before: readonly string[]
  after: readonly string[]
}

/**
 * Makes subjects found by their words of now, inside the transaction that changes them: a row for each word that came or
 * went, and about 25 for a word that no subject of the tenant had before. Call it last, once a transaction: it waits
 * where another one is about to write the same new word.
 */
export async function indexWords(
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly WordsChange[],
): Promise<void> {
  const gone = changes.flatMap(({ id, before, after }) => lacking(after, before).map(word => ({ id, word })))
  const come = changes.flatMap(({ id, before, after }) => lacking(before, after).map(word => ({ id, word })))
  await forget(trx, tenant, gone)
  const rows = come.map(({ id, word }) => [tenant, id, word])
  await upsertRows(trx, 'subject_words', ['tenant_id', 'subject_id', 'word'], sorted(rows), [])
  await learn(trx, tenant, [...new Set(come.map(({ word }) => word))])
}

/** Those of `all` that `some` lacks. */
function lacking(some: readonly string[], all: readonly string[]): string[] {
  const there = new Set(some)
  return all.filter(word => !there.has(word))
}

/** In one order for all writers, so that two who write the same rows do not deadlock. */
const sorted = (rows: Cell[][]): Cell[][] =>
  rows
    .map(row => ({ row, order: row.join(' ') }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
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
        // Spelled out, because MariaDB uses no index for `(subject_id, word) IN (…)`.
        for (const { id, word } of slice) any.orWhere({ subject_id: id, word })
      })
      .delete()
  }
}

/** Shorter words are no mistyped twins of any: typos are forgiven from four letters on. */
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
    // Two typos are forgiven from eight letters on, and no word of five is that near to one of eight.
    .flatMap(word => ['', ...remnantsOf(word, [...word].length < 6 ? 1 : 2)].map(remnant => [tenant, remnant, word]))
  await upsertRows(trx, 'subject_word_typos', ['tenant_id', 'remnant', 'word'], sorted(rows), [])
}
