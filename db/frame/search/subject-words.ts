// Updates the word index of subjects.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import type { TenantId } from '../../connect.js'
import { deleteRows, insertRows, slices, upsertRows } from '../../rows.js'
import { idBytes, idHex } from './id-bytes.js'
import { knownWords, maybeMistyped } from './word-settling.js'

/** The words of a subject (see `wordsOf`) before and after a change. A new subject has none before; a deleted one has none after. */
export interface WordsChange {
  id: string
  before: readonly string[]
  after: readonly string[]
}

/**
 * Updates the word index inside the transaction that changes the subjects, and marks new and lost words of the tenant for `settleWords`.
 * Call it once, at the end of the transaction: it may have to wait for another one that is deleting the remnants of a word.
 */
export async function indexWords(
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly WordsChange[],
): Promise<void> {
  const changed: { id: string; after: readonly string[] }[] = []
  const gone: SubjectWord[] = []
  const added: SubjectWord[] = []
  for (const { id, before, after } of changes) {
    const [lost, found] = [lacking(after, before), lacking(before, after)]
    for (const word of lost) gone.push({ id, word })
    for (const word of found) added.push({ id, word })
    if (lost.length > 0 || found.length > 0) changed.push({ id, after })
  }
  const addedWords = maybeMistyped(added.map(({ word }) => word))
  // Locks the known words before writing. Whoever wants to remove one of them then either waits for this transaction and sees its
  // words, or has finished, so that the word is not known any more.
  const known = await knownWords(trx, tenant, addedWords, 'share')
  // All writers write in the same order, so that two of them with the same rows do not deadlock.
  await writeByWord(trx, tenant, gone.sort(byWord), added.sort(byWord))
  await writeBySubject(trx, tenant, changed.sort(bySubject))
  const newWords = addedWords.filter(word => !known.has(word))
  const marked = new Set([...newWords, ...maybeMistyped(gone.map(({ word }) => word))])
  const marks = Array.from(marked, word => [tenant, newId(), word])
  await insertRows(trx, 'subject_word_marks', ['tenant_id', 'id', 'word'], marks)
}

interface SubjectWord {
  id: string
  word: string
}

const bySubject = (a: { id: string }, b: { id: string }): number => (a.id === b.id ? 0 : a.id < b.id ? -1 : 1)

const byWord = (a: SubjectWord, b: SubjectWord): number =>
  a.word === b.word ? bySubject(a, b) : a.word < b.word ? -1 : 1

/** Returns the words of `all` that are not in `some`. */
function lacking(some: readonly string[], all: readonly string[]): string[] {
  const present = new Set(some)
  return all.filter(word => !present.has(word))
}

async function writeByWord(
  trx: Knex.Transaction,
  tenant: TenantId,
  gone: readonly SubjectWord[],
  added: readonly SubjectWord[],
): Promise<void> {
  const columns = ['tenant_id', 'word', 'subject_id']
  for (const slice of slices(gone)) {
    const keys = slice.map(({ id, word }) => [tenant, word, idBytes(id)])
    await deleteRows(trx, 'subjects_by_word', columns, keys)
  }
  const rows = added.map(({ id, word }) => [tenant, word, idHex(id)])
  await upsertRows(trx, 'subjects_by_word', columns, rows, [])
}

async function writeBySubject(
  trx: Knex.Transaction,
  tenant: TenantId,
  changes: readonly { id: string; after: readonly string[] }[],
): Promise<void> {
  const columns = ['tenant_id', 'subject_id']
  const keys = changes.filter(({ after }) => after.length === 0).map(({ id }) => [tenant, idBytes(id)])
  for (const slice of slices(keys)) await deleteRows(trx, 'words_by_subject', columns, slice)
  const having = changes.filter(({ after }) => after.length > 0)
  const rows = having.map(({ id, after }) => [tenant, idHex(id), after.toSorted().join(',')])
  await upsertRows(trx, 'words_by_subject', [...columns, 'words'], rows, ['words'])
}
