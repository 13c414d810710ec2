// Administration endpoints that show the webhooks of a tenant and replay them.
import type { Knex } from 'knex'
import Type from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type WebhookRow, webhookStates, webhookStore } from '../../db/glue/webhooks.js'
import { groupedBy } from '../../db/rows.js'
import { notFound } from '../../runtime/problems/problem.js'
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

/** Shows operators which receivers fail, and lets them send events again. */
export const webhookRoutes = ({ db }: { db: Knex }): Endpoint[] => {
  const states = async (tenantKey = '') => {
    const rows = await webhookStore(db, await tenantIdOf(db, tenantKey)).all()
    return ok([...groupedBy(rows, row => row.webhook_key).values()].map(combineSubscriptions))
  }
  const common = {
    tag: 'Administration',
    guide: 'webhooks',
    scopes: ['PlatformAdmin'],
    answers: { 200: Type.Array(WebhookState) },
  } as const
  return [
    endpoint({
      ...common,
      operationId: 'listWebhooks',
      summary: 'State of the webhooks of a tenant',
      method: 'get',
      path: '/admin/v1/tenants/:tenantKey/webhooks',
      handle: ({ params }) => states(params.tenantKey),
    }),
    endpoint({
      ...common,
      operationId: 'replayWebhook',
      summary: 'Deliver to a webhook at once; with from, send the changes since that time again',
      method: 'post',
      path: '/admin/v1/tenants/:tenantKey/webhooks/:webhookKey/replay',
      body: Type.Object({ from: Type.Optional(Type.String({ format: 'date-time' })) }, { $id: 'WebhookReplay' }),
      async handle({ params, body }) {
        const store = webhookStore(db, await tenantIdOf(db, params.tenantKey ?? ''))
        const from = body.from === undefined ? undefined : new Date(body.from)
        const key = params.webhookKey ?? ''
        if (!(await store.replay(key, from))) throw notFound(`There is no webhook '${key}'.`)
        return states(params.tenantKey)
      },
    }),
  ]
}
