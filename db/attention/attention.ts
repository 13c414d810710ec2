// What waits for a human, in all tenants or in one. It is found by queries over what the platform knows anyway: a row is gone when
// its cause is gone, and nothing has to be kept in step.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { type Page, type PageRequest, readPage } from '../paging.js'
import type { Advice, Cause, Kind } from './cause.js'
import { failedJobs, waitingJobs } from './jobs.js'
import { mails } from './mails.js'
import { providers } from './providers.js'
import { refusedRows } from './refused-rows.js'
import { dataSets, exports } from './rhythms.js'
import { webhooks } from './webhooks.js'

/** All kinds of things that wait for a human. */
const kinds = {
  'failed-job': failedJobs,
  'waiting-job': waitingJobs,
  'data-set': dataSets,
  export: exports,
  'refused-rows': refusedRows,
  webhook: webhooks,
  provider: providers,
  mail: mails,
} as const satisfies Record<string, Kind>

export type AttentionKind = keyof typeof kinds
export const attentionKinds = Object.keys(kinds) as [AttentionKind, ...AttentionKind[]]

/** The permission with which a tenant's client may list a kind. */
export const permissionOf = (kind: AttentionKind): string => kinds[kind].permission

/** A row of the list. */
export interface AttentionRow extends Cause {
  /** Its place among rows of the same time. */
  place: string
  tenant_key: string
  kind: AttentionKind
}

/** Which rows are wanted. */
export interface AttentionFilter {
  /** Undefined for all tenants. */
  tenant: TenantId | undefined
  kinds: readonly AttentionKind[]
}

/** Returns a page of what waits for a human. The rows are counted where they are found, so that this is done once. */
export async function attentionPage(
  db: Db,
  filter: AttentionFilter,
  request: PageRequest,
): Promise<Page<AttentionRow>> {
  const counted = (): Knex.QueryBuilder =>
    db.from(listed(db, filter).select(db.raw('COUNT(*) OVER () AS total')).as('l'))
  const page = await readPage<AttentionRow & { total: number }>(counted, 'place', request, { count: async () => 0 })
  const { total } = page.rows[0] ?? (await counted().first('total')) ?? { total: 0 }
  return { ...page, totalCount: Number(total) }
}

/** Counts what waits for a human, by tenant and kind. Those that have nothing are left out. */
export async function countAttention(db: Db): Promise<{ tenant: string; kind: AttentionKind; amount: number }[]> {
  const rows: { tenant: string; kind: AttentionKind; amount: number }[] = await listed(db, {
    tenant: undefined,
    kinds: attentionKinds,
  })
    .clearSelect()
    .groupBy('t.tenant_key', 'a.kind')
    .select({ tenant: 't.tenant_key', kind: 'a.kind' }, db.raw('COUNT(*) AS amount'))
  return rows.map(row => ({ ...row, amount: Number(row.amount) }))
}

/** Explains a row to a human. */
export const adviseOn = (row: AttentionRow): Advice => kinds[row.kind].advise(row)

/** Selects the rows of all wanted kinds. */
function listed(db: Db, { tenant, kinds: wanted }: AttentionFilter): Knex.QueryBuilder {
  const all = wanted.map(kind =>
    db
      .from(kinds[kind].find(db, tenant).as('k'))
      .select('tenant_id', 'subject', 'since', 'job', 'about', 'code', 'amount')
      .select(db.raw('? AS kind', [kind]), db.raw("CONCAT(?, '/', tenant_id, '/', subject) AS place", [kind])),
  )
  return (
    db
      .from(db.queryBuilder().unionAll(all).as('a'))
      // The rows are found first: the server would otherwise look for them tenant by tenant.
      .joinRaw('STRAIGHT_JOIN tenants AS t ON t.id = a.tenant_id')
      // The work of a suspended tenant waits on purpose.
      .whereNull('t.suspended_at')
      .select('a.*', 't.tenant_key')
  )
}
