// Keeps the word index of subjects up to date.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import type { TenantId } from '../../connect.js'
import { currentIn, groupedBy, insertRows, slices, upsertRows } from '../../rows.js'
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
  for (const { id, before, after } of changes.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const had = held.get(id) ?? before
    for (const word of lacking(after, had)) gone.push({ id, word })
    for (const word of lacking(had, after).sort()) come.push({ id, word })
  }
  const coming = maybeMistyped(come.map(({ word }) => word))
  // Held before the words are written: whoever forgets one either waits for this transaction and sees its words, or is over.
  const known = await knownWords(trx, tenant, coming, 'share')
  await forget(trx, tenant, gone)
  const rows = come.map(({ id, word }) => [tenant, id, word])
  await upsertRows(trx, 'subject_words', ['tenant_id', 'subject_id', 'word'], rows, [])
  const marked = new Set([...coming.filter(word => !known.has(word)), ...maybeMistyped(gone.map(({ word }) => word))])
  const marks = Array.from(marked, word => [tenant, newId(), word])
  await insertRows(trx, 'subject_word_marks', ['tenant_id', 'id', 'word'], marks)
}

interface SubjectWord {
  id: string
  word: string
}

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
