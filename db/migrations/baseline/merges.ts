// Tables for subjects that were merged into others.
import { hash, id, json, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const merges: MigrationStep[] = [
  // A merged subject, with everything that is needed to undo the merge. It no longer has a row in `subjects`.
  table(
    'merged_subjects',
    `tenant_id ${tenant} NOT NULL,
     subject_id ${id} NOT NULL,
     external_id ${id} NOT NULL,
     into_id ${id} NOT NULL,                -- the other subject of the merge
     survivor_id ${id} NOT NULL,            -- the subject that it leads to now: into_id may have been merged itself
     ordinal INT UNSIGNED NOT NULL,         -- merges into one subject are undone in reverse order
     custom_values ${json} NOT NULL,
     created_at ${time} NOT NULL,
     deactivated_at ${time} NULL,
     merged_by ${key} NOT NULL,
     merged_at ${time} NOT NULL,
     changed ${json} NOT NULL,              -- what the merge changed
     PRIMARY KEY (tenant_id, subject_id),
     UNIQUE KEY merged_subjects_by_external_id (tenant_id, external_id),
     KEY merged_subjects_by_survivor (tenant_id, survivor_id, subject_id)`,
  ),

  // A matching value of a merged subject. An upsert still finds the remaining subject by it, but filters do not.
  table(
    'merged_subject_values',
    `tenant_id ${tenant} NOT NULL,
     value_hash ${hash} NOT NULL,
     subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, value_hash, subject_id)`,
  ),

  // A form, document or portal user that a merge moved to the remaining subject.
  table(
    'merged_subject_rows',
    `tenant_id ${tenant} NOT NULL,
     subject_id ${id} NOT NULL,
     kind ${word} NOT NULL,
     row_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, subject_id, kind, row_id)`,
  ),
]
