// Words of subjects with their mistyped forms, which a platform run maintains.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type Cell, deleteRows, slices, upsertRows } from '../../rows.js'
import { isOfLetters } from './search-words.js'
import { remnantsOf } from './typos.js'

/** Shorter words are no mistyped twins of any: typos are forgiven from four letters on. */
const shortest = 3

/** Those of some words that may be found by a mistyped form, each once and sorted. */
export const maybeMistyped = (words: readonly string[]): string[] =>
  [...new Set(words)].filter(word => [...word].length >= shortest && isOfLetters(word)).sort()

/**
 * Those of some words whose remnants are written: each has the empty one.
 * @param hold inside a transaction: `share` keeps them from being forgotten until it ends, `update` waits for all who share.
 */
export async function knownWords(
  db: Db,
  tenant: TenantId,
  words: readonly string[],
  hold?: 'share' | 'update',
): Promise<Set<string>> {
  const known = new Set<string>()
  for (const slice of slices(words)) {
    const query = db('subject_word_typos').where({ tenant_id: tenant, remnant: '' }).whereIn('word', slice)
    if (hold) query[hold === 'share' ? 'forShare' : 'forUpdate']()
    for (const { word } of await query.select('word')) known.add(word)
  }
  return known
}

/** Tenants of one call, and marks of a tenant: some thousand rows in a transaction. */
const mostTenants = 100
const mostMarks = 200

/**
 * Makes the remnants of marked words agree with the subjects that have them. It writes those of new words, and deletes
 * those of words without a subject. Several processes may call it at once; a mark stays until its work is committed.
 * @returns how many marks were settled; 0 when none is left or others settle them.
 */
export async function settleWords(db: Knex): Promise<number> {
  const tenants: { tenant_id: TenantId }[] = await db('subject_word_marks').distinct('tenant_id').limit(mostTenants)
  let settled = 0
  for (const { tenant_id } of tenants) settled += await settleTenant(db, tenant_id)
  return settled
}

async function settleTenant(db: Knex, tenant: TenantId): Promise<number> {
  const mine = (in_: Db) => in_('subject_word_marks').where({ tenant_id: tenant })
  const marks: { id: string; word: string }[] = await mine(db).orderBy('id').limit(mostMarks).select('id', 'word')
  const [first] = marks
  if (!first) return 0
  const words = maybeMistyped(marks.map(({ word }) => word))
  const known = await knownWords(db, tenant, words)
  const held = await heldWords(db, tenant, [...known])
  const lost = [...known].filter(word => !held.has(word))
  const fresh = words.filter(word => !known.has(word))
  return transaction(db, 'platform', async trx => {
    // One process at a time for a tenant.
    if (!(await mine(trx).where({ id: first.id }).forUpdate().skipLocked().first('id'))) return 0
    // Waits for writers that have found a lost word known; those that come later find it gone, and mark it.
    const locked = await knownWords(trx, tenant, lost, 'update')
    // The first plain read of the transaction: it sees what those writers have committed.
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

/** Two typos are forgiven from eight letters on, and no word of five is that near to one of eight. */
const rowsOf = (tenant: TenantId, word: string): Row[] =>
  ['', ...remnantsOf(word, [...word].length < 6 ? 1 : 2)].map(remnant => [tenant, remnant, word])

type Row = [tenant: TenantId, remnant: string, word: string]

const inOrder = ([, a, word]: Row, [, b, other]: Row): number => (a === b ? (word < other ? -1 : 1) : a < b ? -1 : 1)

/** Those of some words that a subject has. One query for all, which looks for one row of each, however many have it. */
async function heldWords(db: Db, tenant: TenantId, words: readonly string[]): Promise<Set<string>> {
  const held = new Set<string>()
  const one = '(SELECT word FROM subjects_by_word WHERE tenant_id = ? AND word = ? LIMIT 1)'
  for (const slice of slices(words, mostMarks)) {
    const bindings: Cell[] = slice.flatMap(word => [tenant, word])
    const [rows = []]: { word: string }[][] = await db.raw(slice.map(() => one).join(' UNION ALL '), bindings)
    for (const { word } of rows) held.add(word)
  }
  return held
}
