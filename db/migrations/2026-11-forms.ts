// Tables of form templates, instances and settings.
import { id, key, name, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-forms')

export const forms: MigrationStep[] = [
  // The section `forms` of a tenant's manifest.
  table('form_settings', `tenant_id INT UNSIGNED NOT NULL, settings LONGTEXT NOT NULL, PRIMARY KEY (tenant_id)`),
  // Every version of every form. Members that lists show have columns of their own beside the definition.
  table(
    'form_templates',
    `tenant_id INT UNSIGNED NOT NULL, form_key ${key} NOT NULL, version INT UNSIGNED NOT NULL, status ${word} NOT NULL, title ${name} NOT NULL,
     classification ${name} NOT NULL, definition LONGTEXT NOT NULL, written_by ${key} NOT NULL, written_at DATETIME(3) NOT NULL,
     published_at DATETIME(3) NULL, PRIMARY KEY (tenant_id, form_key, version)`,
  ),
  // Building blocks of forms that are published: the same key and version is the same block in every form.
  table(
    'form_building_blocks',
    `tenant_id INT UNSIGNED NOT NULL, block_key ${key} NOT NULL, version INT UNSIGNED NOT NULL, definition LONGTEXT NOT NULL,
     PRIMARY KEY (tenant_id, block_key, version)`,
  ),
  // `title` to `allow_amend` are those of the template. `status`: of the current version. `revision` counts changes: the ETag.
  // `reported_version`: the latest that is complete, with who submitted it and when.
  table(
    'form_instances',
    `tenant_id INT UNSIGNED NOT NULL, id ${id} NOT NULL, subject_id ${id} NOT NULL, form_key ${key} NOT NULL, form_version INT UNSIGNED NOT NULL,
     title ${name} NOT NULL, classification ${key} NOT NULL, allow_amend TINYINT NOT NULL,
     instance_identifier ${key} NOT NULL, request_hash ${word} NOT NULL, correlation_id ${key} NULL, on_behalf_of LONGTEXT NULL, context LONGTEXT NOT NULL,
     status ${word} NOT NULL, current_version ${id} NOT NULL, reported_version ${id} NULL, revision INT UNSIGNED NOT NULL, is_withdrawn TINYINT NOT NULL DEFAULT 0,
     is_deleted TINYINT NOT NULL DEFAULT 0, created_by ${key} NOT NULL, created_at DATETIME(3) NOT NULL, modified_at DATETIME(3) NOT NULL,
     submitted_by ${key} NULL, submitted_at DATETIME(3) NULL, PRIMARY KEY (tenant_id, id),
     UNIQUE KEY form_instances_by_identifier (tenant_id, instance_identifier), KEY form_instances_by_subject (tenant_id, subject_id, id),
     KEY form_instances_by_change (tenant_id, subject_id, modified_at, id)`,
  ),
  // A version of an instance. `revision`: of the instance when it was made, which orders them whatever the clocks say.
  // `is_milestone`: an edit ended with it; what saves itself in between replaces the one that is none.
  table(
    'form_instance_versions',
    `tenant_id INT UNSIGNED NOT NULL, instance_id ${id} NOT NULL, id ${id} NOT NULL, revision INT UNSIGNED NOT NULL, status ${word} NOT NULL,
     is_milestone TINYINT NOT NULL, created_by ${key} NOT NULL, created_at DATETIME(3) NOT NULL, modified_at DATETIME(3) NOT NULL,
     deleted_by ${key} NULL, deleted_at DATETIME(3) NULL, PRIMARY KEY (tenant_id, instance_id, id)`,
  ),
  // The values of a version, a document for each building block: values by control id. `has_data`: not all are empty.
  table(
    'form_values',
    `tenant_id INT UNSIGNED NOT NULL, instance_id ${id} NOT NULL, version_id ${id} NOT NULL, block_key ${key} NOT NULL, has_data TINYINT NOT NULL,
     document LONGTEXT NOT NULL, PRIMARY KEY (tenant_id, instance_id, version_id, block_key)`,
  ),
  table(
    'form_withdrawals',
    `tenant_id INT UNSIGNED NOT NULL, instance_id ${id} NOT NULL, revision INT UNSIGNED NOT NULL, status ${word} NOT NULL, reason LONGTEXT NOT NULL,
     taken_by ${key} NOT NULL, taken_at DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id, instance_id, revision)`,
  ),
  // Single-pass forms on their way to the tenant's endpoint. A row goes when it has arrived.
  table(
    'form_deliveries',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, form_key ${key} NOT NULL, form_version INT UNSIGNED NOT NULL, transaction_id ${id} NOT NULL,
     content LONGTEXT NOT NULL, PRIMARY KEY (tenant_id, job_id)`,
  ),
]
