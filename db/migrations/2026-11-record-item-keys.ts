// The Idempotency-Key of an upload to a subject record.
import { key, word } from './columns.js'
import type { MigrationStep } from './step.js'

export const recordItemKeys: MigrationStep[] = [
  // It is set when the document is whole, so that an upload that broke off takes no key.
  {
    name: '2026-11-record-item-idempotency-key',
    up: `ALTER TABLE record_items ADD COLUMN idempotency_key ${key} NULL, ADD COLUMN request_hash ${word} NULL,
     ADD UNIQUE KEY record_items_by_idempotency_key (tenant_id, actor, idempotency_key)`,
  },
]
