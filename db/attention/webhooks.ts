// Webhooks that have stopped, or whose receiver has failed for long.

import { ago } from '../clock.js'
import type { Db } from '../connect.js'
import { columnsOf, type Kind, ofTenant } from './cause.js'

/** A receiver that fails for longer than this waits for a human, in ms. Shorter outages end by themselves. */
const failingMs = 900_000

/** One row for each webhook, whatever the number of its feeds. It counts from the oldest event that has not arrived. */
export const webhooks: Kind = {
  permission: 'View:Webhook',
  find(db, tenant) {
    const subscriptions = db('webhooks as w')
      .modify(ofTenant(tenant, 'w.tenant_id'))
      .whereNot('w.state', 'active')
      .select('w.tenant_id', 'w.webhook_key', 'w.state', 'w.reason', 'w.delivered_at', 'w.since')
      .select({ undelivered: oldestUndelivered(db) })
    return db
      .from(subscriptions.as('s'))
      .where(long => long.where('state', 'stopped').orWhere('undelivered', '<', ago(db, failingMs)))
      .groupBy('tenant_id', 'webhook_key')
      .select(
        'tenant_id',
        columnsOf(db, {
          subject: 'webhook_key',
          since: db.raw('MIN(COALESCE(undelivered, delivered_at, since))'),
          about: db.raw('MAX(reason)'),
          code: db.raw('MAX(state)'),
        }),
      )
  },
  advise: ({ subject, about, code }) => ({
    why:
      code === 'stopped'
        ? `Nothing more is sent to the webhook '${subject}'. ${about ?? ''}`.trimEnd()
        : `The webhook '${subject}' has not taken an event for over a quarter of an hour. ${about ?? ''}`.trimEnd(),
    nextStep:
      code === 'stopped'
        ? 'Have the receiver corrected, then replay the webhook, or take it out of the manifest.'
        : 'Have the receiver corrected. Events are sent again by themselves, or at once by a replay.',
    action: { method: 'POST', path: `/api/v1/webhooks/${encodeURIComponent(subject)}/replay` },
  }),
}

/** Selects when the oldest event got its place in the feed that the subscription `w` has not delivered. */
const oldestUndelivered = (db: Db) =>
  db('webhook_retries as r')
    .join('events as e', { 'e.tenant_id': 'r.tenant_id', 'e.feed': 'r.feed', 'e.position': 'r.position' })
    .whereRaw('r.tenant_id = w.tenant_id AND r.feed = w.feed AND r.webhook_key = w.webhook_key')
    .min('e.numbered_at')
