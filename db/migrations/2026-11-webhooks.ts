// How far each subscription of a webhook has got in the feed of changes.
import { key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-webhooks')

export const webhooks: MigrationStep[] = [
  table(
    'webhooks',
    `tenant_id INT UNSIGNED NOT NULL, webhook_key ${key} NOT NULL, position BIGINT UNSIGNED NOT NULL, since DATETIME(3) NOT NULL, state ${word} NOT NULL,
     failures INT UNSIGNED NOT NULL, reason VARCHAR(1000) NULL, next_attempt_at DATETIME(3) NULL, delivered_at DATETIME(3) NULL,
     PRIMARY KEY (tenant_id, webhook_key)`,
  ),
]
