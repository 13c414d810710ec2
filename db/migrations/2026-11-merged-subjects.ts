// Subjects that were merged into others.
import { id, key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-merged-subjects')

export const mergedSubjects: MigrationStep[] = [
  // In place of their rows in `subjects`. `into_id`: the subject of the merge. `survivor_id`: the subject that they lead to now, which
  // may have been merged itself. `ordinal`: the merges into one subject are undone in reverse. `changed`: what the merge changed.
  table(
    'merged_subjects',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, external_id ${id} NOT NULL, into_id ${id} NOT NULL, survivor_id ${id} NOT NULL,
     ordinal INT UNSIGNED NOT NULL, custom_values LONGTEXT NOT NULL, created_at DATETIME(3) NOT NULL, deactivated_at DATETIME(3) NULL,
     merged_by ${key} NOT NULL, merged_at DATETIME(3) NOT NULL, changed LONGTEXT NOT NULL,
     PRIMARY KEY (tenant_id, subject_id), UNIQUE KEY merged_subjects_by_external_id (tenant_id, external_id),
     KEY merged_subjects_by_survivor (tenant_id, survivor_id, subject_id)`,
  ),
  // The same as `subject_values`: the matching values of a merged subject go on to name it, and filters do not find it.
  table(
    'merged_subject_values',
    `tenant_id INT UNSIGNED NOT NULL, value_hash BINARY(16) NOT NULL, subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, value_hash, subject_id)`,
  ),
  // Forms, documents and portal users that a merge moved.
  table(
    'merged_subject_rows',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, kind ${word} NOT NULL, row_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, subject_id, kind, row_id)`,
  ),
]
