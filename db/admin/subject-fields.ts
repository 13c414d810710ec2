// Changes the subject fields of a tenant, while nobody else writes subjects.
import type { Knex } from 'knex'
import { conflict, fault } from '../../runtime/problems/problem.js'
import type { Db, TenantId } from '../connect.js'
import type { SubjectField } from '../frame/fields/custom-field.js'
import { holdsField } from '../frame/fields/field-usage.js'
import { type SubjectSettings, subjectSettings } from '../frame/fields/subject-settings.js'
import { upsertRows } from '../rows.js'

/**
 * Locks the settings if they are to change: waits for transactions that write subjects, and keeps new ones out until
 * this transaction ends. It must come before the transaction's first plain read, so that later counts include those
 * writers' rows.
 */
export async function holdSubjectSettings(
  trx: Knex.Transaction,
  tenant: TenantId,
  wanted: SubjectSettings,
): Promise<void> {
  const now = await subjectSettings(trx, tenant, 'share')
  if (!isSame(now, wanted)) await subjectSettings(trx, tenant, 'update')
}

/**
 * Checks fields that would be removed or change their type.
 * @throws Problem 409 with each such field of which subjects have values, and how many.
 */
export async function refuseFieldsInUse(
  db: Db,
  tenant: TenantId,
  before: readonly SubjectField[],
  after: readonly SubjectField[],
): Promise<void> {
  const changed = before.flatMap(field => {
    const n = after.findIndex(({ key }) => key === field.key)
    const kept = after[n]
    if (kept && kind(kept) === kind(field)) return []
    const what = kept ? `change from ${kind(field)} to ${kind(kept)}` : 'be removed'
    return [{ key: field.key, what, pointer: kept ? `/subjects/fields/${n}` : '/subjects/fields' }]
  })
  if (changed.length === 0) return
  const counts = await countHolders(
    db,
    tenant,
    changed.map(({ key }) => key),
  )
  const faults = changed.flatMap(({ key, what, pointer }, n) => {
    const count = counts[n] ?? 0
    const holders = count === 1 ? '1 subject holds a value' : `${count} subjects hold values`
    const detail = `The subject field '${key}' cannot ${what}: ${holders}.`
    return count > 0 ? [fault(pointer, 'custom-field-in-use', detail)] : []
  })
  if (faults.length > 0) throw conflict('custom-field-in-use', faults.map(({ detail }) => detail).join(' '), faults)
}

const kind = ({ typeKey, isArray }: SubjectField): string => (isArray ? `an array of ${typeKey}` : typeKey)

/** How many subjects one statement reads, which takes up to a second. The connection times out after 8 s. */
const perStatement = 50_000

/** Counts the subjects that have a value of each field, in one pass over the tenant's subjects. */
async function countHolders(db: Db, tenant: TenantId, keys: readonly string[]): Promise<number[]> {
  const names = keys.map((_, n) => `n${n}`)
  const held = keys.map((key, n) => {
    const holds = holdsField('custom_values', key)
    return db.raw(`${holds.sql} AS ??`, [...holds.bindings, `n${n}`])
  })
  const sums = [
    db.raw('COUNT(*) AS size'),
    db.raw('MAX(id) AS last'),
    ...names.map(name => db.raw('SUM(??) AS ??', [name, name])),
  ]
  let counts = keys.map(() => 0)
  let [size, last] = [perStatement, '']
  while (size === perStatement) {
    const rows = db('subjects').where({ tenant_id: tenant }).where('id', '>', last).orderBy('id').limit(perStatement)
    const row = await db.from(rows.select('id', ...held).as('some')).first(sums)
    counts = counts.map((count, n) => count + Number(row[`n${n}`]))
    ;[size, last] = [Number(row.size), row.last]
  }
  return counts
}

/** Saves the tenant's settings if they have changed. */
export async function writeSubjectSettings(
  trx: Knex.Transaction,
  tenant: TenantId,
  before: SubjectSettings | undefined,
  after: SubjectSettings,
): Promise<void> {
  if (before && isSame(before, after)) return
  // The list orders of an existing tenant are not overwritten.
  const row = [tenant, JSON.stringify(after), '[]']
  await upsertRows(trx, 'subject_settings', ['tenant_id', 'settings', 'orders'], [row], ['settings'])
}

const isSame = (a: SubjectSettings, b: SubjectSettings): boolean => JSON.stringify(a) === JSON.stringify(b)
