// Feeds of changes, and how far each subscription of a webhook has got in them.
import type { Knex } from 'knex'
import { insertFrom } from '../rows.js'
import { id, key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-events')

export const events: MigrationStep[] = [
  // Written in the transaction of the change. The server gives the id, which is no place in the feed: a transaction with a smaller
  // id may commit later. An AUTO_INCREMENT needs an index that begins with it. `source`: the id of a subject, the key of an entity,
  // the id of a job or of a form instance. `into_id`: the subject that one was merged into.
  table(
    'events_unnumbered',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, source ${key} NOT NULL, kind ${word} NOT NULL,
     changed_at DATETIME(3) NOT NULL, into_id ${id} NULL, PRIMARY KEY (tenant_id, feed, id), KEY events_unnumbered_by_id (id)`,
  ),
  table(
    'events',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, position BIGINT UNSIGNED NOT NULL, source ${key} NOT NULL, kind ${word} NOT NULL,
     changed_at DATETIME(3) NOT NULL, numbered_at DATETIME(3) NOT NULL, into_id ${id} NULL, PRIMARY KEY (tenant_id, feed, position)`,
  ),
  // The last position that was given, and the lock of who gives positions.
  table(
    'event_feeds',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, position BIGINT UNSIGNED NOT NULL, PRIMARY KEY (tenant_id, feed)`,
  ),
  // The feeds that the webhooks of a tenant take, with commas. Writers share the row, so each tenant has one.
  table('webhook_feeds', `tenant_id INT UNSIGNED NOT NULL, feeds ${word} NOT NULL, PRIMARY KEY (tenant_id)`),
  { name: '2026-11-events-tenants', batch: giveTenantsRows, fills: 'webhook_feeds' },
  // A webhook has a place of its own in each feed that it takes.
  table(
    'webhooks',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, webhook_key ${key} NOT NULL, position BIGINT UNSIGNED NOT NULL, since DATETIME(3) NOT NULL,
     state ${word} NOT NULL, failures INT UNSIGNED NOT NULL, reason VARCHAR(1000) NULL, next_attempt_at DATETIME(3) NULL, delivered_at DATETIME(3) NULL,
     PRIMARY KEY (tenant_id, feed, webhook_key)`,
  ),
]

/** Gives the tenants that are there their rows. */
async function giveTenantsRows(trx: Knex.Transaction): Promise<undefined> {
  await insertFrom(trx, 'webhook_feeds', ['tenant_id', 'feeds'], trx('tenants').select('id', trx.raw("''")))
}
