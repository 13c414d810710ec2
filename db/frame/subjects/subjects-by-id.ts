// Finds subjects by id. After a merge, the id of the merged subject leads to the surviving one (decision record 0046).
import type { Knex } from 'knex'
import { notFound, Problem } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { addDocuments, type Page, type PageRequest } from '../../paging.js'
import { currentIn } from '../../rows.js'
import { type Sized, withDocuments } from '../../sized-rows.js'
import type { StoredValues } from '../fields/custom-fields.js'

/** A subject as a write plans it. When it was written is known only afterwards. */
export interface SubjectValues {
  id: string
  externalId: string
  values: StoredValues
}

export interface Subject extends SubjectValues {
  /** When its values or its state were last written, by the database's clock. */
  updatedAt: Date
  /** Undefined while the subject is active. */
  deactivatedAt: Date | undefined
}

export interface SubjectRow {
  id: string
  external_id: string
  custom_values: string
  updated_at: Date
  deactivated_at: Date | null
}

/** The columns of a {@link SubjectRow}. */
export const subjectColumns = ['id', 'external_id', 'custom_values', 'updated_at', 'deactivated_at'] as const

export const subjectOf = (row: SubjectRow): Subject => ({
  id: row.id,
  externalId: row.external_id,
  values: JSON.parse(row.custom_values),
  updatedAt: row.updated_at,
  deactivatedAt: row.deactivated_at ?? undefined,
})

/** Reads subjects by id. Ids of merged subjects are not found. Inside a transaction, locks the subjects for writing. */
export async function subjectsById(db: Db, tenant: TenantId, ids: readonly string[]): Promise<Map<string, Subject>> {
  if (ids.length === 0) return new Map()
  const query = db('subjects')
    .where({ tenant_id: tenant })
    .whereIn('id', [...new Set(ids)].sort())
    .select(subjectColumns)
  const rows: SubjectRow[] = await (db.isTransaction ? query.forUpdate() : query)
  return new Map(rows.map(row => [row.id, subjectOf(row)]))
}

/** Adds its subjects to a page of their ids. Ids that do not exist are left out. The page ends early if the values are too large. */
export async function addSubjects<Row extends { id: string }>(
  db: Db,
  tenant: TenantId,
  page: Page<Row>,
  request: PageRequest,
): Promise<Page<Row & SubjectRow & Sized>> {
  const read = async (ids: string[], maxBytes: number) => {
    const rows = db('subjects').where({ tenant_id: tenant }).whereIn('id', ids)
    const listed = rows.select('tenant_id', 'id', 'external_id', 'updated_at', 'deactivated_at', 'bytes')
    const documents = { db, table: 'subjects', key: ['tenant_id', 'id'], columns: ['custom_values'] }
    const found: (SubjectRow & Sized)[] = await withDocuments(listed, documents, maxBytes)
    return new Map(found.map(row => [row.id, row]))
  }
  return addDocuments(page, request, ({ id }) => id, read)
}

/**
 * Reads subjects by id, following merges. The result is keyed by the ids that were asked for. Inside a transaction, locks the subjects
 * for writing.
 */
export async function subjectsLedTo(db: Db, tenant: TenantId, ids: readonly string[]): Promise<Map<string, Subject>> {
  const found = await subjectsById(db, tenant, ids)
  const missing = ids.filter(id => !found.has(id))
  const survivors = await survivorsOf(db, tenant, missing)
  if (survivors.size === 0) return found
  // Recursive, because a survivor may itself have been merged since it was looked up.
  const subjects = await subjectsLedTo(db, tenant, [...new Set(survivors.values())])
  for (const [id, survivor] of survivors) {
    const subject = subjects.get(survivor)
    if (subject) found.set(id, subject)
  }
  return found
}

/** Reads the subject that an id leads to, like {@link subjectsLedTo}. @throws Problem 404 if there is none, 410 if it was erased. */
export async function existingSubject(db: Db, tenant: TenantId, id: string): Promise<Subject> {
  const subject = (await subjectsLedTo(db, tenant, [id])).get(id)
  if (!subject) throw await absentSubject(db, tenant, id)
  return subject
}

/** Returns the problem to answer for a subject that does not exist: 410 if it was erased, else 404. */
export async function absentSubject(db: Db, tenant: TenantId, id: string): Promise<Problem> {
  return (await erasureOf(db, tenant, id)) ?? notFound(`There is no subject '${id}'.`)
}

/** Returns problem 410 if the erasure of a subject has begun, else undefined. */
export async function erasureOf(db: Db, tenant: TenantId, id: string): Promise<Problem | undefined> {
  const query = db('subject_tombstones').where({ tenant_id: tenant, subject_id: id }).first('erased_at')
  const tombstone: { erased_at: Date } | undefined = await currentIn(db, query)
  if (!tombstone) return undefined
  const detail = `The subject '${id}' was erased at ${tombstone.erased_at.toISOString()}. Delete your copy, and do not ask for it again.`
  return new Problem('subject-erased', detail)
}

const merged = (db: Db, tenant: TenantId): Knex.QueryBuilder => db('merged_subjects').where({ tenant_id: tenant })

/** Returns true if the tenant has any merged subject. Most tenants have none, which saves further queries. */
export const hasMerged = async (db: Db, tenant: TenantId): Promise<boolean> =>
  (await merged(db, tenant).first('subject_id')) !== undefined

/** Maps the ids of merged subjects to the ids of their survivors. Inside a transaction, locks these links against change. */
export async function survivorsOf(db: Db, tenant: TenantId, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const query = merged(db, tenant).whereIn('subject_id', [...new Set(ids)].sort())
  const rows: Pick<MergedSubject, 'subject_id' | 'survivor_id'>[] = await currentIn(
    db,
    query.select('subject_id', 'survivor_id'),
  )
  return new Map(rows.map(row => [row.subject_id, row.survivor_id]))
}

/** A subject that was merged into another one, the survivor. */
export interface MergedSubject {
  subject_id: string
  external_id: string
  survivor_id: string
  custom_values: string
}

/** Reads all subjects that were merged into any of these. Inside a transaction, locks these links against change. */
export const mergedInto = (db: Db, tenant: TenantId, survivors: readonly string[]): Promise<MergedSubject[]> =>
  currentIn(
    db,
    merged(db, tenant)
      .whereIn('survivor_id', [...survivors].sort())
      .orderBy('subject_id')
      .select('subject_id', 'external_id', 'survivor_id', 'custom_values'),
  )

/** Reads merged subjects by the Id or ExternalId that they had themselves. */
export const mergedNamed = (
  db: Db,
  tenant: TenantId,
  column: 'subject_id' | 'external_id',
  ids: readonly string[],
): Promise<MergedSubject[]> =>
  merged(db, tenant)
    .whereIn(column, [...ids])
    .select('subject_id', 'external_id', 'survivor_id', 'custom_values')
