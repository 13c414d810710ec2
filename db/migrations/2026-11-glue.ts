// Tables of glue settings, secrets, API keys and data sets.
import { id, key, name, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-glue')

export const glue: MigrationStep[] = [
  // The section `glue` of a tenant's manifest, without secrets.
  table('glue_settings', `tenant_id INT UNSIGNED NOT NULL, settings LONGTEXT NOT NULL, PRIMARY KEY (tenant_id)`),
  // Values of variables that nobody reads back, sealed; `mark` tells whether two are the same.
  table(
    'glue_secrets',
    `tenant_id INT UNSIGNED NOT NULL, name ${key} NOT NULL, sealed LONGTEXT NOT NULL, mark ${word} NOT NULL, PRIMARY KEY (tenant_id, name)`,
  ),
  // Keys for X-Api-Key. Only the SHA-256 is kept: they are long and random.
  table(
    'glue_api_keys',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, endpoint_key ${key} NOT NULL, name ${name} NOT NULL, key_hash ${word} NOT NULL,
     created_by ${key} NOT NULL, created_at DATETIME(3) NOT NULL, expires_at DATETIME(3) NULL, revoked_at DATETIME(3) NULL,
     PRIMARY KEY (tenant_id, id), KEY glue_api_keys_by_endpoint (tenant_id, endpoint_key, id)`,
  ),
  // How each process finds a provider: whether it calls it at the moment.
  table(
    'glue_circuits',
    `tenant_id INT UNSIGNED NOT NULL, provider_key ${key} NOT NULL, process ${key} NOT NULL, state ${word} NOT NULL,
     last_failure VARCHAR(255) NULL, changed_at DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id, provider_key, process)`,
  ),
  // One row for each data extract. `snapshot`: the rows that readers see; `staging`: those that a refresh is fetching.
  // `staging_cursor`: the provider's, of the next page. `issued`: the last number given to a refresh or change.
  table(
    'data_sets',
    `tenant_id INT UNSIGNED NOT NULL, extract_key ${key} NOT NULL, snapshot BIGINT UNSIGNED NOT NULL DEFAULT 0, staging BIGINT UNSIGNED NULL,
     staging_cursor LONGTEXT NULL, staging_since DATETIME(3) NULL, issued BIGINT UNSIGNED NOT NULL DEFAULT 0, refresh_job ${id} NULL, as_of DATETIME(3) NULL,
     PRIMARY KEY (tenant_id, extract_key)`,
  ),
  table(
    'data_points',
    `tenant_id INT UNSIGNED NOT NULL, extract_key ${key} NOT NULL, snapshot BIGINT UNSIGNED NOT NULL, subject_id ${id} NOT NULL,
     point_id ${key} NOT NULL, subject_identifier ${key} NOT NULL, items LONGTEXT NOT NULL,
     PRIMARY KEY (tenant_id, extract_key, snapshot, subject_id, point_id)`,
  ),
  // Subjects with a pending fetch, because their data changed at the provider. `ticket`: number of the latest change.
  // `since`: number of the earliest pending one, for which readers wait. `pushed`: number of the latest one with rows.
  table(
    'data_set_changes',
    `tenant_id INT UNSIGNED NOT NULL, extract_key ${key} NOT NULL, subject_id ${id} NOT NULL, ticket BIGINT UNSIGNED NOT NULL,
     since BIGINT UNSIGNED NOT NULL, pushed BIGINT UNSIGNED NOT NULL DEFAULT 0, subject_identifier ${key} NOT NULL, PRIMARY KEY (tenant_id, extract_key, subject_id),
     KEY data_set_changes_by_subject (tenant_id, subject_id, extract_key), KEY data_set_changes_by_since (tenant_id, extract_key, since)`,
  ),
  // The open job that fetches a subject's rows again. Changes of a subject take this row's lock, one after the other.
  table(
    'data_change_jobs',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, job_id ${id} NULL, PRIMARY KEY (tenant_id, subject_id)`,
  ),
  // Subjects whose visible rows changed while a refresh was under way: what it fetched of them may be older.
  table(
    'data_set_touched',
    `tenant_id INT UNSIGNED NOT NULL, extract_key ${key} NOT NULL, snapshot BIGINT UNSIGNED NOT NULL, subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, extract_key, snapshot, subject_id)`,
  ),
]
