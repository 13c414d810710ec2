// Deactivates and reactivates subjects. A deactivated subject keeps all its data, but lists leave it out (decision record 0041).
import type { Knex } from 'knex'
import { now } from '../../clock.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { deleteRows, insertRows } from '../../rows.js'
import { noteChanges } from '../fields/subject-changes.js'
import { existingSubject, type Subject } from './subjects-by-id.js'

const index = 'deactivated_subjects'
const columns = ['tenant_id', 'subject_id']

/** Returns true if the tenant has any deactivated subject, so that its lists have somebody to leave out. */
export const hasDeactivated = async (db: Db, tenant: TenantId): Promise<boolean> =>
  (await db(index).where({ tenant_id: tenant }).first('subject_id')) !== undefined

/** Counts the deactivated subjects of a tenant. */
export const countDeactivated = async (db: Db, tenant: TenantId): Promise<number> =>
  Number((await db(index).where({ tenant_id: tenant }).count({ total: '*' }).first())?.total ?? 0)

/** Returns a query for the rows of a tenant's deactivated subjects. */
export const deactivatedRows = (db: Db, tenant: TenantId): Knex.QueryBuilder =>
  db({ left_out: index })
    .join('subjects', { 'subjects.tenant_id': 'left_out.tenant_id', 'subjects.id': 'left_out.subject_id' })
    .where('left_out.tenant_id', tenant)

/** Leaves deactivated subjects out of a query. @param subject the subject's id in the query. */
export const leaveOutDeactivated = (db: Db, tenant: TenantId, query: Knex.QueryBuilder, subject: Knex.Raw): void => {
  const deactivated = db.from({ left_out: index }).where('left_out.tenant_id', tenant)
  query.whereNotExists(deactivated.whereRaw('left_out.subject_id = ?', [subject]).select(db.raw('1')))
}

/** Deactivates a subject, unless it already is. @throws Problem 404 when it does not exist. */
export const deactivate = (db: Db, tenant: TenantId, id: string): Promise<Subject> =>
  transaction(db, tenant, async trx => {
    const subject = await existingSubject(trx, tenant, id)
    if (subject.deactivatedAt) return subject
    await deactivateAt(trx, tenant, subject.id, now(trx))
    return existingSubject(trx, tenant, subject.id)
  })

/** Reactivates a subject, unless it is active. @throws Problem 404 when it does not exist. */
export const reactivate = (db: Db, tenant: TenantId, id: string): Promise<Subject> =>
  transaction(db, tenant, async trx => {
    const subject = await existingSubject(trx, tenant, id)
    if (!subject.deactivatedAt) return subject
    await reactivateAll(trx, tenant, [subject.id])
    return existingSubject(trx, tenant, subject.id)
  })

/** Reactivates deactivated subjects. The transaction must have locked them. */
export async function reactivateAll(trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await setDeactivatedAt(trx, tenant, ids, null)
  await removeDeactivated(trx, tenant, ids)
  await noteChanges(
    trx,
    tenant,
    ids.map(id => ({ id, kind: 'reactivated' })),
  )
}

/** Deactivates an active subject. The transaction must have locked it. */
export async function deactivateAt(
  trx: Knex.Transaction,
  tenant: TenantId,
  id: string,
  at: Date | Knex.Raw,
): Promise<void> {
  await setDeactivatedAt(trx, tenant, [id], at)
  await addDeactivated(trx, tenant, id)
  await noteChanges(trx, tenant, [{ id, kind: 'deactivated' }])
}

/** Adds a subject to the table by which lists leave deactivated subjects out. */
export const addDeactivated = (trx: Knex.Transaction, tenant: TenantId, id: string): Promise<void> =>
  insertRows(trx, index, columns, [[tenant, id]])

/** Removes subjects from the table by which lists leave deactivated subjects out: they are active again, or gone. */
export const removeDeactivated = (trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<void> =>
  deleteRows(
    trx,
    index,
    columns,
    ids.map(id => [tenant, id]),
  )

const setDeactivatedAt = (
  trx: Knex.Transaction,
  tenant: TenantId,
  ids: readonly string[],
  deactivated_at: Date | Knex.Raw | null,
) =>
  trx('subjects')
    .where({ tenant_id: tenant })
    .whereIn('id', [...ids])
    .update({ deactivated_at, updated_at: now(trx) })
