// Deactivated subjects: kept whole, and left out of lists (decision record 0041).
import type { Knex } from 'knex'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { deleteRows, insertRows } from '../../rows.js'
import { noteChanges } from './subject-changes.js'
import { existingSubject, type Subject } from './subjects-by-id.js'

const index = 'deactivated_subjects'
const columns = ['tenant_id', 'subject_id']

/** Whether a list of the tenant has anybody to leave out. */
export const hasDeactivated = async (db: Db, tenant: TenantId): Promise<boolean> =>
  (await db(index).where({ tenant_id: tenant }).first('subject_id')) !== undefined

/** How many subjects of a tenant are deactivated. */
export const countDeactivated = async (db: Db, tenant: TenantId): Promise<number> =>
  Number((await db(index).where({ tenant_id: tenant }).count({ total: '*' }).first())?.total ?? 0)

/** The rows of a tenant's deactivated subjects. */
export const deactivatedRows = (db: Db, tenant: TenantId): Knex.QueryBuilder =>
  db({ left_out: index })
    .join('subjects', { 'subjects.tenant_id': 'left_out.tenant_id', 'subjects.id': 'left_out.subject_id' })
    .where('left_out.tenant_id', tenant)

/** Leaves deactivated subjects out of a query. @param column where it has the id of the subject. */
export const leaveOutDeactivated = (db: Db, tenant: TenantId, query: Knex.QueryBuilder, column: string): void => {
  const same = db.from({ left_out: index }).where('left_out.tenant_id', tenant)
  query.whereNotExists(same.whereRaw('left_out.subject_id = ??', [column]).select(db.raw('1')))
}

/** Deactivates a subject; one that is deactivated stays as it is. @throws Problem 404 when it does not exist. */
export const deactivate = (db: Db, tenant: TenantId, id: string): Promise<Subject> =>
  transaction(db, tenant, async trx => {
    const subject = await existingSubject(trx, tenant, id)
    if (subject.deactivatedAt) return subject
    const deactivatedAt = new Date()
    await deactivateAt(trx, tenant, subject.id, deactivatedAt)
    return { ...subject, deactivatedAt }
  })

/** Puts a subject back into lists; an active one stays as it is. @throws Problem 404 when it does not exist. */
export const reactivate = (db: Db, tenant: TenantId, id: string): Promise<Subject> =>
  transaction(db, tenant, async trx => {
    const subject = await existingSubject(trx, tenant, id)
    if (subject.deactivatedAt) await reactivateAll(trx, tenant, [subject.id])
    return { ...subject, deactivatedAt: undefined }
  })

/** Puts deactivated subjects, which the transaction has locked, back into lists. */
export async function reactivateAll(trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await mark(trx, tenant, ids, null)
  await removeDeactivated(trx, tenant, ids)
  await noteChanges(
    trx,
    tenant,
    ids.map(id => ({ id, kind: 'reactivated' })),
  )
}

/** Deactivates an active subject, which the transaction has locked. */
export async function deactivateAt(trx: Knex.Transaction, tenant: TenantId, id: string, at: Date): Promise<void> {
  await mark(trx, tenant, [id], at)
  await addDeactivated(trx, tenant, id)
  await noteChanges(trx, tenant, [{ id, kind: 'deactivated' }])
}

/** Notes for lists that a subject is deactivated. */
export const addDeactivated = (trx: Knex.Transaction, tenant: TenantId, id: string): Promise<void> =>
  insertRows(trx, index, columns, [[tenant, id]])

/** Notes for lists that subjects are deactivated no longer, or gone. */
export const removeDeactivated = (trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<void> =>
  deleteRows(
    trx,
    index,
    columns,
    ids.map(id => [tenant, id]),
  )

const mark = (trx: Knex.Transaction, tenant: TenantId, ids: readonly string[], deactivated_at: Date | null) =>
  trx('subjects')
    .where({ tenant_id: tenant })
    .whereIn('id', [...ids])
    .update({ deactivated_at, updated_at: new Date() })
