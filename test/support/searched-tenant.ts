import type { Knex } from 'knex'
import type { TenantId } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { indexWords } from '../../db/frame/subject-words.js'
import { newTenant } from './api.js'
import type { SearchedSubject } from './search-oracle.js'

/** The number of a new tenant, which has no subjects. */
export async function emptyTenant(db: Knex, baseUrl: string): Promise<TenantId> {
  const { tenantKey } = await newTenant(baseUrl)
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  return id
}

/** Writes subjects with these words, and nothing else. */
export const indexAll = (db: Knex, tenant: TenantId, subjects: readonly SearchedSubject[]): Promise<void> =>
  transaction(db, async trx => {
    const [created_at, updated_at] = [new Date(), new Date()]
    await trx('subjects').insert(
      subjects.map(({ id }) => ({
        tenant_id: tenant,
        id,
        external_id: id,
        custom_values: '{}',
        created_at,
        updated_at,
      })),
    )
    await indexWords(
      trx,
      tenant,
      subjects.map(({ id, words }) => ({ id, before: [], after: words })),
    )
  })
