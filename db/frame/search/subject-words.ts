// Keeps the word index of subjects up to date.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import type { TenantId } from '../../connect.js'
import { currentIn, deleteRows, groupedBy, Hex, insertRows, slices, upsertRows } from '../../rows.js'
import { knownWords, maybeMistyped } from './learnt-words.js'
import { mostWords } from './search-words.js'

/** The words of a subject (see `wordsOf`) before and after a change; none before for a new one, none after for one that goes. */
export interface WordsChange {
  id: string
  before: readonly string[]
  after: readonly string[]
}

/**
 * Updates the word index inside the transaction that changes the subjects: a row for each word that came or went. New
 * and lost words of the tenant are marked for `settleWords`. Call it last, once a transaction: it waits for remnants
 * that are being deleted.
 */
export async function indexWords(
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly WordsChange[],
): Promise<void> {
  const held = await heldByFull(trx, tenant, changes)
  const gone: SubjectWord[] = []
  const come: SubjectWord[] = []
  // In one order for all writers, so that two who write the same rows do not deadlock.
  const inOrder = changes
    .map(({ id, before, after }) => ({ id, before: held.get(id) ?? before, after }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const { id, before, after } of inOrder) {
    for (const word of lacking(after, before)) gone.push({ id, word })
    for (const word of lacking(before, after).sort()) come.push({ id, word })
  }
  const coming = maybeMistyped(come.map(({ word }) => word))
  // Held before the words are written: whoever forgets one either waits for this transaction and sees its words, or is over.
  const known = await knownWords(trx, tenant, coming, 'share')
  await forget(trx, tenant, gone)
  const rows = come.map(({ id, word }) => [tenant, id, word])
  await upsertRows(trx, 'subject_words', ['tenant_id', 'subject_id', 'word'], rows, [])
  await writeByWord(trx, tenant, { gone, come })
  await writeBySubject(trx, tenant, inOrder)
  const marked = new Set([...coming.filter(word => !known.has(word)), ...maybeMistyped(gone.map(({ word }) => word))])
  const marks = Array.from(marked, word => [tenant, newId(), word])
  await insertRows(trx, 'subject_word_marks', ['tenant_id', 'id', 'word'], marks)
}

interface SubjectWord {
  id: string
  word: string
}

const byWord = ['tenant_id', 'word', 'subject_id']

/** The next layout of the index, which this version writes and the next one reads (decision record 0070). */
async function writeByWord(
  trx: Knex.Transaction,
  tenant: TenantId,
  { gone, come }: Record<'gone' | 'come', readonly SubjectWord[]>,
): Promise<void> {
  const keys = gone.map(({ id, word }) => [tenant, word, bytesOf(id)])
  for (const slice of slices(keys)) await deleteRows(trx, 'subjects_by_word', byWord, slice)
  const inOrder = come.toSorted((a, b) => (a.word === b.word ? (a.id < b.id ? -1 : 1) : a.word < b.word ? -1 : 1))
  const rows = inOrder.map(({ id, word }) => [tenant, word, new Hex(hexOf(id))])
  await upsertRows(trx, 'subjects_by_word', byWord, rows, [])
}

async function writeBySubject(trx: Knex.Transaction, tenant: TenantId, changes: readonly WordsChange[]): Promise<void> {
  const gone = changes.filter(({ before, after }) => before.length > 0 && after.length === 0)
  const keys = gone.map(({ id }) => [tenant, bytesOf(id)])
  for (const slice of slices(keys)) await deleteRows(trx, 'words_by_subject', ['tenant_id', 'subject_id'], slice)
  const rows = changes
    .filter(({ before, after }) => after.length > 0 && !sameWords(before, after))
    .map(({ id, after }) => [tenant, new Hex(hexOf(id)), after.toSorted().join(',')])
  await upsertRows(trx, 'words_by_subject', ['tenant_id', 'subject_id', 'words'], rows, ['words'])
}

const sameWords = (before: readonly string[], after: readonly string[]): boolean =>
  before.length === after.length && lacking(before, after).length === 0

const hexOf = (id: string): string => id.replaceAll('-', '')
const bytesOf = (id: string): Buffer => Buffer.from(hexOf(id), 'hex')

/**
 * The words of subjects that may have more than the most: they were written when there was no bound. Of the others the
 * values tell.
 */
async function heldByFull(
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly WordsChange[],
): Promise<Map<string, string[]>> {
  const full = changes.flatMap(({ id, before }) => (before.length >= mostWords ? [id] : []))
  if (full.length === 0) return new Map()
  const query = trx('subject_words').where({ tenant_id: tenant }).whereIn('subject_id', full)
  const rows: { subject_id: string; word: string }[] = await currentIn(trx, query.select('subject_id', 'word'))
  const bySubject = groupedBy(rows, row => row.subject_id)
  return new Map(full.map(id => [id, (bySubject.get(id) ?? []).map(({ word }) => word)]))
}

/** Those of `all` that `some` lacks. */
function lacking(some: readonly string[], all: readonly string[]): string[] {
  const there = new Set(some)
  return all.filter(word => !there.has(word))
}

async function forget(trx: Knex.Transaction, tenant: TenantId, gone: readonly SubjectWord[]): Promise<void> {
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
