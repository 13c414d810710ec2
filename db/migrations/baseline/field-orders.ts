// Tables that keep subjects and structural entities in the order of a custom field.
import { flag, key, name, tablesOf, tenant, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

/** Texts are sorted by their first 100 characters, ignoring case and accents. */
const sortText = name.replace('255', '100')

/** Creates the table with the place of each row of a list in each order. @param owner column type of the list's keys. */
export const orderValues = (list: 'subject' | 'entity', owner: string): MigrationStep =>
  table(
    `${list}_order_values`,
    `tenant_id ${tenant} NOT NULL,
     owner ${owner} NOT NULL,               -- the subject or the entity
     order_id INT UNSIGNED NOT NULL,
     missing ${flag} NOT NULL,              -- 1 without a value: such rows come last
     sort_text ${sortText} NOT NULL,
     PRIMARY KEY (tenant_id, owner, order_id),
     KEY ${list}_order_values_by_text (tenant_id, order_id, missing, sort_text, owner)`,
  )

// The order of a list by a custom field. It is built when the list is first requested in that order.
export const fieldOrders: MigrationStep = table(
  'field_orders',
  `tenant_id ${tenant} NOT NULL,
   list ${word} NOT NULL,                   -- subject, entity
   field_key ${key} NOT NULL,
   order_id INT UNSIGNED NOT NULL,
   position ${key} NOT NULL,                -- the last subject or entity that has its place
   is_built ${flag} NOT NULL,
   PRIMARY KEY (tenant_id, list, field_key)`,
)
