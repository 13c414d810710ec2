// Tables for uploads that are imported row by row.
import { hash, id, json, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const imports: MigrationStep[] = [
  // An uploaded file. The row is written before the bytes, and is assigned to a job when the upload is complete.
  table(
    'import_files',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     job_id ${id} NULL,
     state ${word} NOT NULL,                -- uploading, stored, discarded
     storage ${word} NOT NULL,              -- where the bytes are: mysql or s3
     actor ${key} NOT NULL,
     created_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, id),
     KEY import_files_by_job (tenant_id, job_id),
     KEY import_files_by_state (tenant_id, state, created_at)`,
  ),

  // The first row of a file with certain matching values. Later rows with the same values are refused as duplicates.
  table(
    'import_keys',
    `tenant_id ${tenant} NOT NULL,
     file_id ${id} NOT NULL,
     matching_hash ${hash} NOT NULL,
     row_no INT UNSIGNED NOT NULL,
     PRIMARY KEY (tenant_id, file_id, matching_hash)`,
  ),

  // A row that an import refused.
  table(
    'import_rejects',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     row_no INT UNSIGNED NOT NULL,
     faults MEDIUMTEXT NOT NULL,            -- [{column, code, detail}, …]
     content MEDIUMBLOB NOT NULL,           -- the row as it came
     matching_hash ${hash} NULL,            -- of the subject that the row means: an erasure finds it by this
     unidentified_since ${time} NULL,       -- of a row that does not say which subject it means: an erasure cannot find it
     PRIMARY KEY (tenant_id, job_id, row_no),
     KEY import_rejects_matching (tenant_id, matching_hash),
     KEY import_rejects_unidentified (tenant_id, unidentified_since)`,
  ),

  // The places of a subject that an import moved or unassigned. Undoing the import gives those before it back.
  table(
    'subject_import_moves',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     subject_id ${id} NOT NULL,
     places_before ${json} NOT NULL,        -- [key, …]
     places_after ${json} NOT NULL,         -- [key, …]
     PRIMARY KEY (tenant_id, job_id, subject_id)`,
  ),
]
