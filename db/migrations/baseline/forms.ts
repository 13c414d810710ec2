// Tables for form templates, and for forms that are filled in for subjects.
import { flag, id, json, key, name, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const forms: MigrationStep[] = [
  // One row per tenant: the section `forms` of its manifest.
  table('form_settings', `tenant_id ${tenant} NOT NULL, settings ${json} NOT NULL, PRIMARY KEY (tenant_id)`),

  // A version of a form as its author wrote it.
  table(
    'form_templates',
    `tenant_id ${tenant} NOT NULL,
     form_key ${key} NOT NULL,
     version INT UNSIGNED NOT NULL,
     status ${word} NOT NULL,
     title ${name} NOT NULL,                -- also in the definition, as the classification: lists show them
     classification ${name} NOT NULL,
     definition ${json} NOT NULL,
     written_by ${key} NOT NULL,
     written_at ${time} NOT NULL,
     published_at ${time} NULL,
     PRIMARY KEY (tenant_id, form_key, version)`,
  ),

  // A building block of published forms. A key and version stand for the same block in all forms.
  table(
    'form_building_blocks',
    `tenant_id ${tenant} NOT NULL,
     block_key ${key} NOT NULL,
     version INT UNSIGNED NOT NULL,
     definition ${json} NOT NULL,
     PRIMARY KEY (tenant_id, block_key, version)`,
  ),

  // A form that is filled in for a subject.
  table(
    'form_instances',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     subject_id ${id} NOT NULL,
     form_key ${key} NOT NULL,
     form_version INT UNSIGNED NOT NULL,
     title ${name} NOT NULL,                -- of the template, as are the next two
     classification ${key} NOT NULL,
     allow_amend ${flag} NOT NULL,
     instance_identifier ${key} NOT NULL,   -- of whoever created it: the same one again creates nothing new
     request_hash ${word} NOT NULL,
     correlation_id ${key} NULL,
     on_behalf_of ${json} NULL,
     context ${json} NOT NULL,
     status ${word} NOT NULL,               -- of its current version
     current_version ${id} NOT NULL,
     reported_version ${id} NULL,           -- the latest complete version, which extracts show
     revision INT UNSIGNED NOT NULL,        -- counts changes: the ETag
     is_withdrawn ${flag} NOT NULL,
     is_deleted ${flag} NOT NULL,           -- a discarded draft without a complete version; its history stays
     created_by ${key} NOT NULL,
     created_at ${time} NOT NULL,
     modified_at ${time} NOT NULL,
     submitted_by ${key} NULL,              -- of the reported version, as is the next one
     submitted_at ${time} NULL,
     PRIMARY KEY (tenant_id, id),
     UNIQUE KEY form_instances_by_identifier (tenant_id, instance_identifier),
     KEY form_instances_by_subject (tenant_id, subject_id, id),
     KEY form_instances_by_change (tenant_id, subject_id, modified_at, id)`,
  ),

  // A version of a filled-in form.
  table(
    'form_instance_versions',
    `tenant_id ${tenant} NOT NULL,
     instance_id ${id} NOT NULL,
     id ${id} NOT NULL,
     revision INT UNSIGNED NOT NULL,        -- of the instance when the version was made: orders versions whatever clocks say
     status ${word} NOT NULL,
     is_milestone ${flag} NOT NULL,         -- 1: an edit ended with it. 0: the next automatic save replaces it
     created_by ${key} NOT NULL,
     created_at ${time} NOT NULL,
     modified_at ${time} NOT NULL,
     deleted_by ${key} NULL,
     deleted_at ${time} NULL,
     PRIMARY KEY (tenant_id, instance_id, id)`,
  ),

  // The answers of a version in one building block.
  table(
    'form_values',
    `tenant_id ${tenant} NOT NULL,
     instance_id ${id} NOT NULL,
     version_id ${id} NOT NULL,
     block_key ${key} NOT NULL,
     has_data ${flag} NOT NULL,             -- 0: all values are empty
     document ${json} NOT NULL,             -- values by the ids of controls
     PRIMARY KEY (tenant_id, instance_id, version_id, block_key)`,
  ),

  // A withdrawal or reinstatement of a filled-in form.
  table(
    'form_withdrawals',
    `tenant_id ${tenant} NOT NULL,
     instance_id ${id} NOT NULL,
     revision INT UNSIGNED NOT NULL,
     status ${word} NOT NULL,
     reason LONGTEXT NOT NULL,
     taken_by ${key} NOT NULL,
     taken_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id, instance_id, revision)`,
  ),

  // A single-pass form on its way to the tenant's endpoint. The row is deleted when the form has arrived.
  table(
    'form_deliveries',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     form_key ${key} NOT NULL,
     form_version INT UNSIGNED NOT NULL,
     transaction_id ${id} NOT NULL,
     sealed_content LONGTEXT NOT NULL,      -- encrypted for this tenant and transaction, see runtime/secrets/seal.ts
     PRIMARY KEY (tenant_id, job_id)`,
  ),
]
