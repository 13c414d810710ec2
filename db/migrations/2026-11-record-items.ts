// Tables of subject records and their files.
import { id, key, name, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-record-items')

export const recordItems: MigrationStep[] = [
  // Documents in the records of subjects. The row comes first, `uploading`, and what describes the document when it is whole:
  // an upload that breaks off is found by it. `effective_date` is an ISO 8601 date, or a date-time in UTC.
  table(
    'record_items',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, subject_id ${id} NOT NULL, state ${word} NOT NULL, storage ${word} NOT NULL,
     title ${name} NULL, effective_date ${word} NULL, file_name ${name} NULL, size INT UNSIGNED NULL, sha256 ${word} NULL,
     actor ${key} NOT NULL, created_at DATETIME(3) NOT NULL,
     PRIMARY KEY (tenant_id, id), KEY record_items_by_subject (tenant_id, subject_id, id),
     KEY record_items_by_state (tenant_id, state, created_at)`,
  ),
  // Files that are kept in MySQL, at most 1 MB a row.
  table(
    'file_chunks',
    `tenant_id INT UNSIGNED NOT NULL, file_id ${id} NOT NULL, n INT UNSIGNED NOT NULL, bytes MEDIUMBLOB NOT NULL,
     PRIMARY KEY (tenant_id, file_id, n)`,
  ),
]
