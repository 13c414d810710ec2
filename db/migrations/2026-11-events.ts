// Feeds of entities, jobs and forms for webhooks, beside that of subjects.
import type { Knex } from 'knex'
import { insertFrom } from '../rows.js'
import { key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-events')

export const events: MigrationStep[] = [
  // `source`: the key of an entity, the id of a job or of a form instance.
  table(
    'events_unnumbered',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, source ${key} NOT NULL, kind ${word} NOT NULL,
     changed_at DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id, feed, id), KEY events_unnumbered_by_id (id)`,
  ),
  table(
    'events',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, position BIGINT UNSIGNED NOT NULL, source ${key} NOT NULL, kind ${word} NOT NULL,
     changed_at DATETIME(3) NOT NULL, numbered_at DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id, feed, position)`,
  ),
  table(
    'event_feeds',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, position BIGINT UNSIGNED NOT NULL, PRIMARY KEY (tenant_id, feed)`,
  ),
  // The feeds that the webhooks of a tenant take, with commas. Writers share the row, so each tenant has one.
  table('webhook_feeds', `tenant_id INT UNSIGNED NOT NULL, feeds ${word} NOT NULL, PRIMARY KEY (tenant_id)`),
  { name: '2026-11-events-tenants', batch: giveTenantsRows, fills: 'webhook_feeds' },
  // As `webhooks`, where those of subjects stay: a webhook has a place of its own in each feed that it takes.
  table(
    'event_webhooks',
    `tenant_id INT UNSIGNED NOT NULL, feed ${word} NOT NULL, webhook_key ${key} NOT NULL, position BIGINT UNSIGNED NOT NULL, since DATETIME(3) NOT NULL,
     state ${word} NOT NULL, failures INT UNSIGNED NOT NULL, reason VARCHAR(1000) NULL, next_attempt_at DATETIME(3) NULL, delivered_at DATETIME(3) NULL,
     PRIMARY KEY (tenant_id, feed, webhook_key)`,
  ),
]

/** Gives the tenants that are there their rows. */
async function giveTenantsRows(trx: Knex.Transaction): Promise<undefined> {
  await insertFrom(trx, 'webhook_feeds', ['tenant_id', 'feeds'], trx('tenants').select('id', trx.raw("''")))
}
