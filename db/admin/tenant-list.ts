// Lists the tenants of the installation.
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { openStatuses } from '../jobs/job-row.js'
import { likeWords } from '../like-words.js'
import { type Page, type PageRequest, readPage } from '../paging.js'

interface TenantRow {
  id: TenantId
  tenant_key: string
  name: string
  created_at: Date
  updated_at: Date
  suspended_at: Date | null
}

/** A tenant with what an operator wants to know at a glance. */
export interface ListedTenant extends TenantRow {
  openJobs: number
  failedJobs: number
}

/** Returns a page of the tenants in whose key or name each word of the term occurs. */
export async function tenantPage(
  db: Knex,
  { searchTerm }: { searchTerm?: string | undefined },
  page: PageRequest,
): Promise<Page<ListedTenant>> {
  const found = await readPage<TenantRow>(
    () => {
      const query = db('tenants').whereNull('deletion_job_id')
      if (searchTerm) likeWords(query, ['name', 'tenant_key'], searchTerm)
      return query.select('id', 'tenant_key', 'name', 'created_at', 'updated_at', 'suspended_at')
    },
    'tenant_key',
    page,
  )
  const counts = await countJobs(
    db,
    found.rows.map(({ id }) => id),
  )
  const rows = found.rows.map(row => ({ ...row, openJobs: 0, failedJobs: 0, ...counts.get(row.id) }))
  return { ...found, rows }
}

/** Counts the open and the failed jobs of tenants. Tenants that have neither are left out. */
async function countJobs(
  db: Knex,
  tenants: readonly TenantId[],
): Promise<Map<TenantId, Pick<ListedTenant, 'openJobs' | 'failedJobs'>>> {
  const rows: { tenant_id: TenantId; open: string; failed: string }[] = await db('jobs')
    .whereIn('tenant_id', tenants)
    .whereIn('status', [...openStatuses, 'Failed'])
    .where({ deleted_at: null })
    .groupBy('tenant_id')
    .select('tenant_id')
    .sum({ open: db.raw('status <> ?', 'Failed'), failed: db.raw('status = ?', 'Failed') })
  return new Map(
    rows.map(({ tenant_id, open, failed }) => [tenant_id, { openJobs: Number(open), failedJobs: Number(failed) }]),
  )
}
