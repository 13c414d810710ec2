// Where the subscriptions of webhooks stand in the feed of changes.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { insertRows } from '../rows.js'

/** `failing`: it is tried again at `next_attempt_at`. `stopped`: it waits for a replay. */
export const webhookStates = ['active', 'failing', 'stopped'] as const
export type WebhookState = (typeof webhookStates)[number]

export interface WebhookRow {
  webhook_key: string
  /** Position in the feed up to which all was delivered. */
  position: number
  /** Changes that were written before are not sent: those that nobody read may wait for 30 days for a position. */
  since: Date
  state: WebhookState
  /** In a row. */
  failures: number
  reason: string | null
  next_attempt_at: Date | null
  delivered_at: Date | null
}

/** A subscription with changes to deliver. */
export interface DueWebhook extends WebhookRow {
  tenant_id: TenantId
  tenant_key: string
}

/** Subscriptions of all tenants that have changes to deliver and may be tried now. */
export const dueWebhooks = (db: Knex): Promise<DueWebhook[]> =>
  db('webhooks as w')
    .join('tenants as t', 't.id', 'w.tenant_id')
    .whereNot('w.state', 'stopped')
    .where(due => due.whereNull('w.next_attempt_at').orWhere('w.next_attempt_at', '<=', new Date()))
    .where(some =>
      some
        .whereExists(of(db, 'subject_feeds').whereRaw('s.position > w.position'))
        .orWhereExists(of(db, 'subject_changes_unnumbered')),
    )
    .select('w.*', 't.tenant_key')

const of = (db: Knex, table: string) => db(`${table} as s`).whereRaw('s.tenant_id = w.tenant_id').select(db.raw('1'))

/** A change is written before its commit: a transaction takes minutes at most. */
const writtenBefore = (moment: Date): Date => new Date(moment.getTime() - 300_000)

/** The subscriptions of a tenant. */
export const webhookStore = (db: Db, tenant: TenantId) => {
  const mine = () => db('webhooks').where({ tenant_id: tenant })
  const one = (key: string) => mine().where({ webhook_key: key })
  const feedEnd = async (): Promise<number> =>
    Number((await db('subject_feeds').where({ tenant_id: tenant }).first('position'))?.position ?? 0)

  return {
    all: (): Promise<WebhookRow[]> => mine().orderBy('webhook_key').select(),

    /** Makes these the tenant's subscriptions. A new one begins at the end of the feed. */
    async keep(keys: readonly string[]): Promise<void> {
      const present = (await mine().select('webhook_key')).map(({ webhook_key }) => webhook_key)
      const gone = present.filter(key => !keys.includes(key))
      if (gone.length > 0) await mine().whereIn('webhook_key', gone).delete()
      const added = keys.filter(key => !present.includes(key))
      if (added.length === 0) return
      const end = await feedEnd()
      const columns = ['tenant_id', 'webhook_key', 'position', 'since', 'state', 'failures']
      const rows = added.map(key => [tenant, key, end, writtenBefore(new Date()), 'active', 0])
      await insertRows(db, 'webhooks', columns, rows)
    },

    /** Moves a subscription on. @returns false where it has moved meanwhile, as by a replay. */
    async moveOn({ webhook_key, position }: WebhookRow, to: Partial<WebhookRow>): Promise<boolean> {
      return (await one(webhook_key).where({ position }).update(to)) > 0
    },

    /**
     * Sends on what waits, and before it, with `from`, all changes since that moment again.
     * @returns false where there is no such subscription.
     */
    async replay(key: string, from?: Date): Promise<boolean> {
      const next = { state: 'active', failures: 0, reason: null, next_attempt_at: null }
      if (!from) return (await one(key).update(next)) > 0
      const first = await db('subject_changes')
        .where({ tenant_id: tenant })
        .where('numbered_at', '>=', from)
        .orderBy('position')
        .first('position')
      const position = first ? Number(first.position) - 1 : await feedEnd()
      return (await one(key).update({ ...next, position, since: writtenBefore(from) })) > 0
    },
  }
}
