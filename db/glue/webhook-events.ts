// Defines the events that webhooks send, both for the sender and for the API description.
import Type, { type Static } from 'typebox'
import type { Feed, FeedRow } from '../feeds.js'
import { webhookEvents } from './endpoints/settings.js'

/** Media type of an event. */
export const webhookEventType = 'application/cloudevents+json'

export const WebhookEvent = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({ description: 'The same as the header webhook-id. An event that is sent again has the same id.' }),
    source: Type.String({ description: '`/tenants/{tenantKey}`', examples: ['/tenants/demo'] }),
    type: Type.Enum(webhookEvents.map((event): string => `armature.${event}`)),
    subject: Type.String({
      description: 'Which subject, job or form instance changed, by its id, or which structural entity, by its key.',
    }),
    time: Type.String({ format: 'date-time' }),
    data: Type.Optional(
      Type.Object(
        { intoSubjectId: Type.String({ format: 'uuid' }) },
        { description: 'Only of `merged` and `unmerged`: the other subject.' },
      ),
    ),
  },
  { $id: 'WebhookEvent' },
)

/** The headers of an event beyond its content type (Standard Webhooks). */
export const WebhookHeaders = Type.Object({
  'webhook-id': Type.String({ description: 'The same each time the event is sent.' }),
  'webhook-timestamp': Type.String({ description: 'When it was sent, in seconds since 1970. Refuse what is old.' }),
  'webhook-signature': Type.String({
    description: 'For each secret of the webhook a signature of id, timestamp and body, such as `v1,…`.',
  }),
})

/** Presents a change as an event. The id contains the tenant, because a receiver may serve several tenants. */
export const presentEvent = (tenantKey: string, feed: Feed, row: FeedRow): Static<typeof WebhookEvent> => ({
  specversion: '1.0',
  id: `${tenantKey}-${feed}-${row.position}`,
  source: `/tenants/${tenantKey}`,
  type: `armature.${feed}.${row.kind}`,
  subject: row.id,
  time: row.changed_at.toISOString(),
  ...(row.into_id === null ? {} : { data: { intoSubjectId: row.into_id } }),
})
