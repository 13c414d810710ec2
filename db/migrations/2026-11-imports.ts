// Tables of imports.
import { id, key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-imports')

export const imports: MigrationStep[] = [
  // Uploads of imports. The row comes first, `uploading`, and gets its job when the upload is whole: one that breaks off is
  // found by it.
  table(
    'import_files',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, job_id ${id} NULL, state ${word} NOT NULL, storage ${word} NOT NULL,
     actor ${key} NOT NULL, created_at DATETIME(3) NOT NULL,
     PRIMARY KEY (tenant_id, id), KEY import_files_by_job (tenant_id, job_id),
     KEY import_files_by_state (tenant_id, state, created_at)`,
  ),
  // The row of an upload that was the first with these matching values. They go with the upload.
  table(
    'import_keys',
    `tenant_id INT UNSIGNED NOT NULL, file_id ${id} NOT NULL, matching_hash BINARY(16) NOT NULL, row_no INT UNSIGNED NOT NULL,
     PRIMARY KEY (tenant_id, file_id, matching_hash)`,
  ),
  // Rows that an import refused, as they came. `faults` is a list of {column, code, detail}.
  table(
    'import_rejects',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, row_no INT UNSIGNED NOT NULL, faults MEDIUMTEXT NOT NULL,
     content MEDIUMBLOB NOT NULL, PRIMARY KEY (tenant_id, job_id, row_no)`,
  ),
]
