// Tables of subjects, their values and assignments.
import { id, key, name, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-subjects')

export const subjects: MigrationStep[] = [
  // The section `subjects` of a tenant's manifest. Writers of subjects share this row's lock, so a field cannot change
  // under them.
  table('subject_settings', `tenant_id INT UNSIGNED NOT NULL, settings LONGTEXT NOT NULL, PRIMARY KEY (tenant_id)`),
  // Values are {"key":[type,text]}, of an array field {"key":[[type,text],…]}.
  table(
    'subjects',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, external_id ${id} NOT NULL, custom_values LONGTEXT NOT NULL,
     created_at DATETIME(3) NOT NULL, updated_at DATETIME(3) NOT NULL,
     PRIMARY KEY (tenant_id, id), UNIQUE KEY subjects_by_external_id (tenant_id, external_id)`,
  ),
  // Which subjects hold a value: the hash of field and text (see subject-values.ts). Exact filters and matching look here.
  table(
    'subject_values',
    `tenant_id INT UNSIGNED NOT NULL, value_hash BINARY(16) NOT NULL, subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, value_hash, subject_id)`,
  ),
  // One row for each combination of matching values. An upsert locks its row, so two requests for one new person follow
  // one another.
  table(
    'subject_matching_keys',
    `tenant_id INT UNSIGNED NOT NULL, matching_hash BINARY(16) NOT NULL, PRIMARY KEY (tenant_id, matching_hash)`,
  ),
  {
    name: '2026-11-subjects-locations-origin',
    up: `ALTER TABLE subject_locations ADD COLUMN assigned_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), ADD COLUMN transfer_id ${id} NULL`,
  },
  // Subjects that a Move found at the destination already and took from the source: its undo puts them back.
  table(
    'subject_transfer_skips',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, subject_id ${id} NOT NULL, PRIMARY KEY (tenant_id, job_id, subject_id)`,
  ),
  // `input`: what a job without chunks is to do. `position`: how far it is. `undone_by`: the job that reversed it.
  {
    name: '2026-11-subjects-jobs-input',
    up: `ALTER TABLE jobs ADD COLUMN input LONGTEXT NULL, ADD COLUMN position ${key} NULL, ADD COLUMN undone_by ${id} NULL`,
  },
  table(
    'users',
    `tenant_id INT UNSIGNED NOT NULL, user_id ${key} NOT NULL, display_name ${name} NOT NULL, active TINYINT(1) NOT NULL,
     PRIMARY KEY (tenant_id, user_id), KEY users_by_name (tenant_id, display_name, user_id)`,
  ),
  table(
    'user_groups',
    `tenant_id INT UNSIGNED NOT NULL, user_id ${key} NOT NULL, group_key ${key} NOT NULL,
     PRIMARY KEY (tenant_id, user_id, group_key), KEY user_groups_by_group (tenant_id, group_key, user_id)`,
  ),
]
