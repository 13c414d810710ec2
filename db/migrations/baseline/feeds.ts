// Tables for the feeds of changes, and for the webhooks that deliver them (decision record 0040).
import { id, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const feeds: MigrationStep[] = [
  // A change without a position yet, written in the transaction that makes the change. Rows do not become visible in the
  // order of their ids, because transactions commit in another order. So positions are given after the commit.
  table(
    'events_unnumbered',
    `tenant_id ${tenant} NOT NULL,
     feed ${word} NOT NULL,                 -- subject, entity, group, type; job and form only where a webhook takes them
     id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
     source ${key} NOT NULL,                -- the key of the entity, group or type, or the id of the subject, job or form instance
     kind ${word} NOT NULL,
     changed_at ${time} NOT NULL,
     into_id ${id} NULL,                    -- the other subject of a merge
     PRIMARY KEY (tenant_id, feed, id),
     -- An AUTO_INCREMENT needs an index that begins with it.
     KEY events_unnumbered_by_id (id)`,
  ),

  // A change at its position in the feed. Deleted after 30 days.
  table(
    'events',
    `tenant_id ${tenant} NOT NULL,
     feed ${word} NOT NULL,
     position BIGINT UNSIGNED NOT NULL,
     source ${key} NOT NULL,
     kind ${word} NOT NULL,
     changed_at ${time} NOT NULL,
     numbered_at ${time} NOT NULL,
     into_id ${id} NULL,
     PRIMARY KEY (tenant_id, feed, position)`,
  ),

  // The last position that was given in a feed. Whoever gives positions locks the row.
  table(
    'event_feeds',
    `tenant_id ${tenant} NOT NULL, feed ${word} NOT NULL, position BIGINT UNSIGNED NOT NULL, PRIMARY KEY (tenant_id, feed)`,
  ),

  // One row per tenant: the feeds that its webhooks read. Writers of changes lock it shared, so that changes are recorded
  // for a new webhook from the moment it exists.
  table(
    'webhook_feeds',
    `tenant_id ${tenant} NOT NULL,
     feeds ${word} NOT NULL,                -- with commas
     PRIMARY KEY (tenant_id)`,
  ),

  // A webhook's subscription to one feed.
  table(
    'webhooks',
    `tenant_id ${tenant} NOT NULL,
     feed ${word} NOT NULL,
     webhook_key ${key} NOT NULL,
     position BIGINT UNSIGNED NOT NULL,     -- all up to here was delivered or is in webhook_retries
     since ${time} NOT NULL,                -- changes from before are not sent
     state ${word} NOT NULL,                -- active, failing, stopped
     failures INT UNSIGNED NOT NULL,        -- rounds in a row in which nothing arrived
     reason VARCHAR(1000) NULL,             -- of the last failure
     next_attempt_at ${time} NULL,
     delivered_at ${time} NULL,
     PRIMARY KEY (tenant_id, feed, webhook_key)`,
  ),

  // An event that has not arrived at a webhook, or waits behind an earlier one of the same source.
  table(
    'webhook_retries',
    `tenant_id ${tenant} NOT NULL,
     feed ${word} NOT NULL,
     webhook_key ${key} NOT NULL,
     position BIGINT UNSIGNED NOT NULL,
     failures INT UNSIGNED NOT NULL,        -- 0 if it was not tried
     next_attempt_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, feed, webhook_key, position)`,
  ),
]
