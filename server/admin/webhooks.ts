// Endpoints that show a tenant's webhooks and replay them, for operators and for the tenant itself.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { TenantId } from '../../db/connect.js'
import { type WebhookRow, webhookStates, webhookStore } from '../../db/glue/webhooks.js'
import { groupedBy } from '../../db/rows.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'

const Time = Type.Union([Type.String({ format: 'date-time' }), Type.Null()])

const WebhookState = Type.Object(
  {
    key: Type.String(),
    state: Type.Enum([...webhookStates], {
      description:
        'failing: it is retried at nextAttemptAt; stopped: the receiver answered 410, or undelivered changes were deleted.',
    }),
    failures: Type.Integer({ description: 'Failed attempts since the last success.' }),
    reason: Type.Union([Type.String(), Type.Null()]),
    nextAttemptAt: Time,
    deliveredAt: Time,
  },
  { $id: 'WebhookState' },
)

/**
 * Combines a webhook's subscriptions into one state, that of the worst, since a receiver that fails does so for each
 * feed.
 */
function combineSubscriptions(rows: readonly WebhookRow[]) {
  const [worst] = rows.toSorted((a, b) => webhookStates.indexOf(b.state) - webhookStates.indexOf(a.state))
  const delivered = Math.max(...rows.map(row => row.delivered_at?.getTime() ?? 0))
  return {
    key: worst?.webhook_key ?? '',
    state: worst?.state ?? 'active',
    failures: worst?.failures ?? 0,
    reason: worst?.reason ?? null,
    nextAttemptAt: worst?.next_attempt_at?.toISOString() ?? null,
    deliveredAt: delivered > 0 ? new Date(delivered).toISOString() : null,
  }
}

const WebhookReplay = Type.Object(
  { from: Type.Optional(Type.String({ format: 'date-time' })) },
  { $id: 'WebhookReplay' },
)

/** Shows which receivers fail, and lets operators and tenants send events again. */
export const webhookRoutes = ({ db }: { db: Knex }): Endpoint[] => {
  const states = async (tenant: TenantId) => {
    const rows = await webhookStore(db, tenant).all()
    return ok([...groupedBy(rows, row => row.webhook_key).values()].map(combineSubscriptions))
  }
  const replay = async (tenant: TenantId, key = '', { from }: Static<typeof WebhookReplay>) => {
    await webhookStore(db, tenant).replay(key, from === undefined ? undefined : new Date(from))
    return states(tenant)
  }
  const answers = { 200: Type.Array(WebhookState) }
  const replaySummary = 'Deliver to a webhook at once; with from, send the changes since that time again'
  const ofPlatform = { tag: 'Administration', guide: 'webhooks', scopes: ['PlatformAdmin'], answers } as const
  const ofTenant = { tag: 'Webhooks', scopes: ['FrameApi', 'FormsApi'], answers } as const
  return [
    endpoint({
      ...ofTenant,
      operationId: 'listWebhooks',
      summary: 'Webhooks with their state, the reason of a failure, and the next attempt',
      description:
        "Lists the tenant's webhooks, each with the worst state of its kinds of events. `failing` is tried again at nextAttemptAt; `stopped` waits for a replay. The receivers themselves are set in the tenant's manifest.",
      method: 'get',
      path: '/api/v1/webhooks',
      permission: 'View:Webhook',
      handle: ({ caller }) => states(caller.tenantId),
    }),
    endpoint({
      ...ofTenant,
      operationId: 'replayWebhook',
      summary: replaySummary,
      description:
        'Makes a webhook that fails or has stopped go on at once. With `from` it also sends the changes since that time again, of the last 30 days at most; receivers know them by their `webhook-id`. The answer is the list of webhooks. Repeating the request sends the events once more.',
      method: 'post',
      path: '/api/v1/webhooks/:webhookKey/replay',
      permission: 'Edit:Webhook',
      body: WebhookReplay,
      handle: ({ params, body, caller }) => replay(caller.tenantId, params.webhookKey, body),
    }),
    endpoint({
      ...ofPlatform,
      permission: 'View:PlatformWebhook',
      operationId: 'listWebhooksOfTenant',
      summary: 'State of the webhooks of a tenant',
      description:
        'Shows an operator the webhooks of a tenant as listWebhooks shows them to the tenant. Each has the worst state of its kinds of events, with the reason of a failure and the time of the next attempt.',
      method: 'get',
      path: '/admin/v1/tenants/:tenantKey/webhooks',
      handle: async ({ params }) => states(await tenantIdOf(db, params.tenantKey ?? '')),
    }),
    endpoint({
      ...ofPlatform,
      permission: 'Edit:PlatformWebhook',
      operationId: 'replayWebhookOfTenant',
      summary: replaySummary,
      description:
        'Does for an operator what replayWebhook does for the tenant: a webhook that fails or has stopped goes on at once. With `from` the changes since that time, of the last 30 days at most, are sent again. Repeating the request sends them once more.',
      method: 'post',
      path: '/admin/v1/tenants/:tenantKey/webhooks/:webhookKey/replay',
      body: WebhookReplay,
      handle: async ({ params, body }) => replay(await tenantIdOf(db, params.tenantKey ?? ''), params.webhookKey, body),
    }),
  ]
}
