// Deactivated subjects: kept whole, and left out of lists (decision record 0041).
import type { Knex } from 'knex'
import { notFound } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { deleteRows, insertRows } from '../../rows.js'
import { noteChanges } from './subject-changes.js'
import { type Subject, subjectsById } from './subject-plan.js'

const index = 'deactivated_subjects'
const columns = ['tenant_id', 'subject_id']

/** Whether a list of the tenant has anybody to leave out. */
export const hasDeactivated = async (db: Db, tenant: TenantId): Promise<boolean> =>
  (await db(index).where({ tenant_id: tenant }).first('subject_id')) !== undefined

/** How many subjects of a tenant are deactivated. */
export const countDeactivated = async (db: Db, tenant: TenantId): Promise<number> =>
  Number((await db(index).where({ tenant_id: tenant }).count({ total: '*' }).first())?.total ?? 0)

/** Leaves deactivated subjects out of a query. @param column where it has the id of the subject. */
export const leaveOutDeactivated = (db: Db, tenant: TenantId, query: Knex.QueryBuilder, column: string): void => {
  const same = db.from({ left_out: index }).where('left_out.tenant_id', tenant)
  query.whereNotExists(same.whereRaw('left_out.subject_id = ??', [column]).select(db.raw('1')))
}

/** Deactivates a subject; one that is deactivated stays as it is. @throws Problem 404 when it does not exist. */
export const deactivate = (db: Db, tenant: TenantId, id: string): Promise<Subject> =>
  transaction(db, tenant, async trx => {
    const subject = await lockedSubject(trx, tenant, id)
    if (subject.deactivatedAt) return subject
    const deactivatedAt = new Date()
    await mark(trx, tenant, [id], deactivatedAt)
    await insertRows(trx, index, columns, [[tenant, id]])
    await noteChanges(trx, tenant, [{ id, kind: 'deactivated' }])
    return { ...subject, deactivatedAt }
  })

/** Puts a subject back into lists; an active one stays as it is. @throws Problem 404 when it does not exist. */
export const reactivate = (db: Db, tenant: TenantId, id: string): Promise<Subject> =>
  transaction(db, tenant, async trx => {
    const subject = await lockedSubject(trx, tenant, id)
    if (subject.deactivatedAt) await reactivateAll(trx, tenant, [id])
    return { ...subject, deactivatedAt: undefined }
  })

/** Puts deactivated subjects, which the transaction has locked, back into lists. */
export async function reactivateAll(trx: Knex.Transaction, tenant: TenantId, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await mark(trx, tenant, ids, null)
  const rows = ids.map(id => [tenant, id])
  await deleteRows(trx, index, columns, rows)
  await noteChanges(
    trx,
    tenant,
    ids.map(id => ({ id, kind: 'reactivated' })),
  )
}

const mark = (trx: Knex.Transaction, tenant: TenantId, ids: readonly string[], deactivated_at: Date | null) =>
  trx('subjects')
    .where({ tenant_id: tenant })
    .whereIn('id', [...ids])
    .update({ deactivated_at, updated_at: new Date() })

async function lockedSubject(trx: Knex.Transaction, tenant: TenantId, id: string): Promise<Subject> {
  const subject = (await subjectsById(trx, tenant, [id])).get(id)
  if (!subject) throw notFound(`There is no subject '${id}'.`)
  return subject
}
