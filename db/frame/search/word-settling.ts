// Maintains the index by which the search forgives typos: for each word of a tenant's subjects, its remnants (see typos.ts). Writers
// only mark new and lost words; a platform workflow then settles the marks.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type Cell, deleteRows, slices, upsertRows } from '../../rows.js'
import { isOfLetters } from './search-words.js'
import { remnantsOf } from './typos.js'

/** The shortest word that can be meant by a mistyped one: typos are forgiven in search words of four letters or more. */
const shortest = 3

/** Selects the words that a mistyped search word can find. Returns each once, sorted. */
export const maybeMistyped = (words: readonly string[]): string[] =>
  [...new Set(words)].filter(word => [...word].length >= shortest && isOfLetters(word)).sort()

/**
 * Selects the words whose remnants are in the index. Every such word has a row with the empty remnant, which is looked up.
 * @param lock for use inside a transaction. `share` prevents the words from being removed until it ends; `update` waits for all
 *   transactions that hold them with `share`.
 */
export async function knownWords(
  db: Db,
  tenant: TenantId,
  words: readonly string[],
  lock?: 'share' | 'update',
): Promise<Set<string>> {
  const known = new Set<string>()
  for (const slice of slices(words)) {
    const query = db('subject_word_typos').where({ tenant_id: tenant, remnant: '' }).whereIn('word', slice)
    if (lock) query[lock === 'share' ? 'forShare' : 'forUpdate']()
    for (const { word } of await query.select('word')) known.add(word)
  }
  return known
}

/** The most tenants that one call settles, and the most marks of each: that makes some thousand rows in a transaction. */
const maxTenants = 100
const maxMarks = 200

/**
 * Brings the index in line with the subjects, for each marked word: writes the remnants of new words, and deletes those of words that
 * no subject has any more. Several processes may call it at once. A mark is deleted only together with its work, in one transaction.
 * @returns how many marks were settled. 0 means that none is left, or that other processes are settling the rest.
 */
export async function settleWords(db: Knex): Promise<number> {
  const tenants: { tenant_id: TenantId }[] = await db('subject_word_marks').distinct('tenant_id').limit(maxTenants)
  let settled = 0
  for (const { tenant_id } of tenants) settled += await settleTenant(db, tenant_id)
  return settled
}

async function settleTenant(db: Knex, tenant: TenantId): Promise<number> {
  const mine = (in_: Db) => in_('subject_word_marks').where({ tenant_id: tenant })
  const marks: { id: string; word: string }[] = await mine(db).orderBy('id').limit(maxMarks).select('id', 'word')
  const [first] = marks
  if (!first) return 0
  const words = maybeMistyped(marks.map(({ word }) => word))
  const known = await knownWords(db, tenant, words)
  const held = await heldWords(db, tenant, [...known])
  const lost = [...known].filter(word => !held.has(word))
  const fresh = words.filter(word => !known.has(word))
  return transaction(db, 'unqueued', async trx => {
    // The lock of the first mark lets only one process at a time settle a tenant.
    if (!(await mine(trx).where({ id: first.id }).forUpdate().skipLocked().first('id'))) return 0
    // Waits for writers that still rely on a word which is to be removed. Later writers wait for this transaction, find the word
    // gone, and mark it as new.
    const locked = await knownWords(trx, tenant, lost, 'update')
    // As the first plain read of the transaction, it sees everything that those writers have committed.
    const stillHeld = await heldWords(trx, tenant, [...fresh, ...locked])
    const learnt = fresh.filter(word => stillHeld.has(word)).flatMap(word => rowsOf(tenant, word))
    await upsertRows(trx, 'subject_word_typos', columns, learnt.sort(inOrder), [])
    const forgotten = [...locked].filter(word => !stillHeld.has(word)).flatMap(word => rowsOf(tenant, word))
    for (const slice of slices(forgotten, 500)) await deleteRows(trx, 'subject_word_typos', columns, slice)
    await mine(trx)
      .whereIn(
        'id',
        marks.map(({ id }) => id),
      )
      .delete()
    return marks.length
  })
}

const columns = ['tenant_id', 'remnant', 'word']

/**
 * Returns the rows of a word. Short words need the remnants of one typo only: two typos are forgiven in search words of eight letters
 * or more, which a word of five letters cannot match.
 */
const rowsOf = (tenant: TenantId, word: string): Row[] =>
  ['', ...remnantsOf(word, [...word].length < 6 ? 1 : 2)].map(remnant => [tenant, remnant, word])

type Row = [tenant: TenantId, remnant: string, word: string]

const inOrder = ([, a, word]: Row, [, b, other]: Row): number => (a === b ? (word < other ? -1 : 1) : a < b ? -1 : 1)

/** Selects the words that at least one subject has. Reads one row for each word, however many subjects have it. */
async function heldWords(db: Db, tenant: TenantId, words: readonly string[]): Promise<Set<string>> {
  const held = new Set<string>()
  const one = '(SELECT word FROM subjects_by_word WHERE tenant_id = ? AND word = ? LIMIT 1)'
  for (const slice of slices(words, maxMarks)) {
    const bindings: Cell[] = slice.flatMap(word => [tenant, word])
    const [rows = []]: { word: string }[][] = await db.raw(slice.map(() => one).join(' UNION ALL '), bindings)
    for (const { word } of rows) held.add(word)
  }
  return held
}
