// Subjects, written straight to the database.
import type { Knex } from 'knex'
import { afterAll, inject } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import type { StoredValues } from '../../db/frame/subjects/custom-fields.js'
import { insertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'

/** A subject straight in the database, with values as they are kept, and where it is assigned. @returns its id. */
export async function storeSubject(
  db: Knex,
  tenantKey: string,
  values: StoredValues = {},
  entityKeys: string[] = [],
): Promise<string> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const id = newId()
  const now = new Date()
  const stamps = { created_at: now, updated_at: now }
  await db('subjects').insert({
    tenant_id,
    id,
    external_id: newId(),
    custom_values: JSON.stringify(values),
    ...stamps,
  })
  for (const entity_key of entityKeys) await db('subject_locations').insert({ tenant_id, entity_key, subject_id: id })
  return id
}

/** Many subjects without values, in one entity: two statements. */
export async function storeSubjects(db: Knex, tenantKey: string, count: number, entityKey: string): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  const ids = Array.from({ length: count }, () => newId())
  const now = new Date()
  const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']
  const rows = ids.map(id => [tenant, id, newId(), '{}', now, now])
  await insertRows(db, 'subjects', columns, rows)
  const locations = ids.map(id => [tenant, entityKey, id])
  await insertRows(db, 'subject_locations', ['tenant_id', 'entity_key', 'subject_id'], locations)
}

/** Opens the database of the shared stack, for what no endpoint shows, until the test file is done. */
export function openDatabase(poolSize = 4): Knex {
  const db = connect(inject('databaseUrl'), { poolSize })
  afterAll(() => db.destroy())
  return db
}
