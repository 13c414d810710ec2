// Answers of small bulks, by the Idempotency-Key of their requests.
import { key, table, word } from './columns.js'
import type { MigrationStep } from './step.js'

export const idempotentAnswers: MigrationStep[] = [
  // `outcomes`: ids of what was written, with what became of each, as JSON. It holds no value of a person.
  table('2026-11-idempotent-answers')(
    'idempotent_answers',
    `tenant_id INT UNSIGNED NOT NULL, actor ${key} NOT NULL, idempotency_key ${key} NOT NULL, request_hash ${word} NOT NULL,
     outcomes TEXT NOT NULL, created_at DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id, actor, idempotency_key),
     KEY idempotent_answers_by_age (tenant_id, created_at)`,
  ),
]
