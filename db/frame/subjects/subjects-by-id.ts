// Subjects by their ids. The id of a merged subject leads to the subject that stayed (decision record 0046).
import type { Knex } from 'knex'
import { notFound, Problem } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { currentIn } from '../../rows.js'
import type { StoredValues } from './custom-fields.js'

export interface Subject {
  id: string
  externalId: string
  values: StoredValues
  /** Undefined: it is active. */
  deactivatedAt: Date | undefined
}

export interface SubjectRow {
  id: string
  external_id: string
  custom_values: string
  deactivated_at: Date | null
}

export const subjectOf = (row: SubjectRow): Subject => ({
  id: row.id,
  externalId: row.external_id,
  values: JSON.parse(row.custom_values),
  deactivatedAt: row.deactivated_at ?? undefined,
})

/** Subjects by id, without merged ones; inside a transaction they are locked for writing. */
export async function subjectsById(db: Db, tenant: TenantId, ids: readonly string[]): Promise<Map<string, Subject>> {
  if (ids.length === 0) return new Map()
  const query = db('subjects')
    .where({ tenant_id: tenant })
    .whereIn('id', [...new Set(ids)].sort())
    .select('id', 'external_id', 'custom_values', 'deactivated_at')
  const rows: SubjectRow[] = await (db.isTransaction ? query.forUpdate() : query)
  return new Map(rows.map(row => [row.id, subjectOf(row)]))
}

/** The subjects that ids lead to, by the id that was asked for; inside a transaction they are locked for writing. */
export async function subjectsLedTo(db: Db, tenant: TenantId, ids: readonly string[]): Promise<Map<string, Subject>> {
  const found = await subjectsById(db, tenant, ids)
  const missing = ids.filter(id => !found.has(id))
  const survivors = await survivorsOf(db, tenant, missing)
  if (survivors.size === 0) return found
  // A survivor may have been merged since it was read.
  const subjects = await subjectsLedTo(db, tenant, [...new Set(survivors.values())])
  for (const [id, survivor] of survivors) {
    const subject = subjects.get(survivor)
    if (subject) found.set(id, subject)
  }
  return found
}

/** The subject that an id leads to, as {@link subjectsLedTo}. @throws Problem 404, and 410 where it was erased. */
export async function existingSubject(db: Db, tenant: TenantId, id: string): Promise<Subject> {
  const subject = (await subjectsLedTo(db, tenant, [id])).get(id)
  if (!subject) throw await absentSubject(db, tenant, id)
  return subject
}

/** The problem of a subject that is not there: 410 where it was erased, else 404. */
export async function absentSubject(db: Db, tenant: TenantId, id: string): Promise<Problem> {
  return (await erasureOf(db, tenant, id)) ?? notFound(`There is no subject '${id}'.`)
}

/** The problem of a subject whose erasure has begun; undefined where it has not. */
export async function erasureOf(db: Db, tenant: TenantId, id: string): Promise<Problem | undefined> {
  const query = db('subject_tombstones').where({ tenant_id: tenant, subject_id: id }).first('erased_at')
  const tombstone: { erased_at: Date } | undefined = await currentIn(db, query)
  if (!tombstone) return undefined
  const detail = `The subject '${id}' was erased at ${tombstone.erased_at.toISOString()}. Forget it, and do not ask again.`
  return new Problem('subject-erased', detail)
}

const merged = (db: Db, tenant: TenantId): Knex.QueryBuilder => db('merged_subjects').where({ tenant_id: tenant })

/** Whether the tenant has any merged subject: most have none, and need not look for more. */
export const hasMerged = async (db: Db, tenant: TenantId): Promise<boolean> =>
  (await merged(db, tenant).first('subject_id')) !== undefined

/** The subjects that merged ones lead to, by the ids of these. Inside a transaction they stay so until its end. */
export async function survivorsOf(db: Db, tenant: TenantId, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const query = merged(db, tenant).whereIn('subject_id', [...new Set(ids)].sort())
  const rows: Pick<MergedSubject, 'subject_id' | 'survivor_id'>[] = await currentIn(
    db,
    query.select('subject_id', 'survivor_id'),
  )
  return new Map(rows.map(row => [row.subject_id, row.survivor_id]))
}

/** A subject that leads to another one. */
export interface MergedSubject {
  subject_id: string
  external_id: string
  survivor_id: string
  custom_values: string
}

/** Merged subjects that lead to any of these. Inside a transaction they stay so until its end. */
export const mergedInto = (db: Db, tenant: TenantId, survivors: readonly string[]): Promise<MergedSubject[]> =>
  currentIn(
    db,
    merged(db, tenant)
      .whereIn('survivor_id', [...survivors].sort())
      .orderBy('subject_id')
      .select('subject_id', 'external_id', 'survivor_id', 'custom_values'),
  )

/** Merged subjects by their own Id or ExternalId. */
export const mergedNamed = (
  db: Db,
  tenant: TenantId,
  column: 'subject_id' | 'external_id',
  ids: readonly string[],
): Promise<MergedSubject[]> =>
  merged(db, tenant)
    .whereIn(column, [...ids])
    .select('subject_id', 'external_id', 'survivor_id', 'custom_values')
