// Tables for documents in the records of subjects, and for the bytes of files that are stored in the database.
import { id, key, name, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const files: MigrationStep[] = [
  // A document in a subject's record. The row is written before the bytes, so that an upload that breaks off can be found
  // and cleaned up. The columns that describe the document are NULL until the upload is complete.
  table(
    'record_items',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     subject_id ${id} NOT NULL,
     state ${word} NOT NULL,                -- uploading, stored, discarded
     storage ${word} NOT NULL,              -- where the bytes are: mysql or s3
     title ${name} NULL,
     effective_date ${word} NULL,           -- an ISO 8601 date, or a date-time in UTC
     file_name ${name} NULL,
     size INT UNSIGNED NULL,                -- in bytes
     sha256 ${word} NULL,
     actor ${key} NOT NULL,
     idempotency_key ${key} NULL,           -- also set at the end, so that an upload that broke off does not use the key up
     request_hash ${word} NULL,
     created_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, id),
     UNIQUE KEY record_items_by_idempotency_key (tenant_id, actor, idempotency_key),
     KEY record_items_by_subject (tenant_id, subject_id, id),
     KEY record_items_by_state (tenant_id, state, created_at)`,
  ),

  // A part of a file that is stored in the database.
  table(
    'file_chunks',
    `tenant_id ${tenant} NOT NULL,
     file_id ${id} NOT NULL,                -- of record_items or import_files
     n INT UNSIGNED NOT NULL,
     bytes MEDIUMBLOB NOT NULL,             -- at most 1 MB
     PRIMARY KEY (tenant_id, file_id, n)`,
  ),
]
