// Feeds of changes, and the webhooks that deliver them (decision record 0040).
import { id, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

/** How far the deliveries of a webhook are in a feed. */
const subscription = `
     position BIGINT UNSIGNED NOT NULL,     -- all up to here was delivered
     since ${time} NOT NULL,                -- changes from before are not sent
     state ${word} NOT NULL,                -- active, failing, stopped
     failures INT UNSIGNED NOT NULL,        -- in a row
     reason VARCHAR(1000) NULL,             -- of the last failure
     next_attempt_at ${time} NULL,
     delivered_at ${time} NULL,`

export const feeds: MigrationStep[] = [
  // A change of a subject, written in the transaction that makes it. Transactions do not commit in the order of their ids, so
  // the id is no place in the feed: a change gets its position after its commit.
  table(
    'subject_changes_unnumbered',
    `tenant_id ${tenant} NOT NULL,
     id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
     subject_id ${id} NOT NULL,
     kind ${word} NOT NULL,
     changed_at ${time} NOT NULL,
     into_id ${id} NULL,                    -- the other subject of a merge
     PRIMARY KEY (tenant_id, id),
     -- An AUTO_INCREMENT needs an index that begins with it.
     KEY subject_changes_unnumbered_by_id (id)`,
  ),

  // A change of a subject at its position in the feed, for 30 days. The API shows this feed to every tenant.
  table(
    'subject_changes',
    `tenant_id ${tenant} NOT NULL,
     position BIGINT UNSIGNED NOT NULL,
     subject_id ${id} NOT NULL,
     kind ${word} NOT NULL,
     changed_at ${time} NOT NULL,
     numbered_at ${time} NOT NULL,
     into_id ${id} NULL,
     PRIMARY KEY (tenant_id, position)`,
  ),

  // One row per tenant: the last position that was given, and the lock of whoever gives positions.
  table('subject_feeds', `tenant_id ${tenant} NOT NULL, position BIGINT UNSIGNED NOT NULL, PRIMARY KEY (tenant_id)`),

  // A change of an entity, a job or a form instance that has no position yet. Only tenants with a webhook for the feed have some.
  table(
    'events_unnumbered',
    `tenant_id ${tenant} NOT NULL,
     feed ${word} NOT NULL,                 -- entity, job, form
     id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
     source ${key} NOT NULL,                -- the key of the entity, or the id of the job or the instance
     kind ${word} NOT NULL,
     changed_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, feed, id),
     KEY events_unnumbered_by_id (id)`,
  ),

  // Such a change at its position, for 30 days.
  table(
    'events',
    `tenant_id ${tenant} NOT NULL,
     feed ${word} NOT NULL,
     position BIGINT UNSIGNED NOT NULL,
     source ${key} NOT NULL,
     kind ${word} NOT NULL,
     changed_at ${time} NOT NULL,
     numbered_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, feed, position)`,
  ),

  // The last position that was given in a feed of events.
  table(
    'event_feeds',
    `tenant_id ${tenant} NOT NULL, feed ${word} NOT NULL, position BIGINT UNSIGNED NOT NULL, PRIMARY KEY (tenant_id, feed)`,
  ),

  // One row per tenant: the feeds that its webhooks take. Writers share its lock, so that a new webhook misses no change.
  table(
    'webhook_feeds',
    `tenant_id ${tenant} NOT NULL,
     feeds ${word} NOT NULL,                -- with commas
     PRIMARY KEY (tenant_id)`,
  ),

  // A webhook's subscription to changes of subjects.
  table(
    'webhooks',
    `tenant_id ${tenant} NOT NULL,
     webhook_key ${key} NOT NULL,
     ${subscription}
     PRIMARY KEY (tenant_id, webhook_key)`,
  ),

  // A webhook's subscription to a feed of events.
  table(
    'event_webhooks',
    `tenant_id ${tenant} NOT NULL,
     feed ${word} NOT NULL,
     webhook_key ${key} NOT NULL,
     ${subscription}
     PRIMARY KEY (tenant_id, feed, webhook_key)`,
  ),
]
