// Orders of subjects and structural entities by their custom fields.
import { id, key, name, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-field-orders')

/** Texts are ordered by their first 100 characters, as names are: whatever the case and accent. */
const sortText = name.replace('255', '100')

const values = (of: string, owner: string) =>
  table(
    `${of}_order_values`,
    `tenant_id INT UNSIGNED NOT NULL, owner ${owner} NOT NULL, order_id INT UNSIGNED NOT NULL, missing TINYINT(1) NOT NULL, sort_text ${sortText} NOT NULL,
     PRIMARY KEY (tenant_id, owner, order_id), KEY ${of}_order_values_by_text (tenant_id, order_id, missing, sort_text, owner)`,
  )

export const fieldOrders: MigrationStep[] = [
  // How far an order is built: up to the owner at `position`.
  table(
    'field_orders',
    `tenant_id INT UNSIGNED NOT NULL, list ${word} NOT NULL, field_key ${key} NOT NULL, order_id INT UNSIGNED NOT NULL, position ${key} NOT NULL,
     is_built TINYINT(1) NOT NULL, PRIMARY KEY (tenant_id, list, field_key)`,
  ),
  values('subject', id),
  values('entity', key),
  // The orders that writers keep, in the rows that they lock.
  { name: '2026-11-field-orders-of-subjects', up: 'ALTER TABLE subject_settings ADD COLUMN orders LONGTEXT NULL' },
  { name: '2026-11-field-orders-of-entities', up: 'ALTER TABLE hierarchies ADD COLUMN orders LONGTEXT NULL' },
]
