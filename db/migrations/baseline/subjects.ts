// Tables for subjects, the people in a tenant's care: their values, the indexes over these, and the entities they are in.
import { bytesOf, hash, id, json, key, tablesOf, tenant, time } from '../columns.js'
import type { MigrationStep } from '../step.js'
import { fieldOrders, orderValues } from './field-orders.js'

const table = tablesOf('baseline')

export const subjects: MigrationStep[] = [
  // One row per tenant: the section `subjects` of its manifest. Writers of subjects lock it shared, so that the fields do
  // not change meanwhile.
  table(
    'subject_settings',
    `tenant_id ${tenant} NOT NULL,
     settings ${json} NOT NULL,
     orders ${json} NOT NULL,               -- the field orders that writers of subjects maintain
     PRIMARY KEY (tenant_id)`,
  ),

  // A person.
  table(
    'subjects',
    `tenant_id ${tenant} NOT NULL,
     id ${id} NOT NULL,
     external_id ${id} NOT NULL,            -- the id for callers outside of the frame, such as providers
     custom_values ${json} NOT NULL,        -- {"key":[type,text]}; {"key":[[type,text],…]} for a field with many values
     created_at ${time} NOT NULL,
     updated_at ${time} NOT NULL,
     deactivated_at ${time} NULL,
     ${bytesOf('custom_values')},
     PRIMARY KEY (tenant_id, id),
     UNIQUE KEY subjects_by_external_id (tenant_id, external_id),
     KEY subjects_by_update (tenant_id, updated_at, id)`,
  ),

  // A deactivated subject, which lists leave out. An index on `subjects` would do too, but would make every insert slower.
  table(
    'deactivated_subjects',
    `tenant_id ${tenant} NOT NULL, subject_id ${id} NOT NULL, PRIMARY KEY (tenant_id, subject_id)`,
  ),

  // A value of a subject, by its hash. Filters and matching look up equal values here.
  table(
    'subject_values',
    `tenant_id ${tenant} NOT NULL,
     value_hash ${hash} NOT NULL,           -- of the field and the text
     subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, value_hash, subject_id)`,
  ),

  // A combination of matching values. An upsert locks its row, so that two requests for the same new person run one after
  // the other and create one subject.
  table(
    'subject_matching_keys',
    `tenant_id ${tenant} NOT NULL, matching_hash ${hash} NOT NULL, PRIMARY KEY (tenant_id, matching_hash)`,
  ),

  // The places of subjects in the orders by custom fields.
  orderValues('subject', id),

  fieldOrders,

  // The assignment of a subject to an entity.
  table(
    'subject_locations',
    `tenant_id ${tenant} NOT NULL,
     entity_key ${key} NOT NULL,
     subject_id ${id} NOT NULL,
     assigned_at ${time} NOT NULL DEFAULT CURRENT_TIMESTAMP(3), -- by the database's clock, which also dates jobs
     transfer_id ${id} NULL,                -- the job of the transfer that brought the subject here
     PRIMARY KEY (tenant_id, entity_key, subject_id),
     KEY subject_locations_by_subject (tenant_id, subject_id, entity_key)`,
  ),

  // A subject that a transfer in mode Move removed from the source but found already assigned to the destination. Undoing
  // the transfer assigns it to the source again.
  table(
    'subject_transfer_skips',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     subject_id ${id} NOT NULL,
     assigned_at ${time} NOT NULL,          -- since when it was there: if it was assigned again since, it stays
     PRIMARY KEY (tenant_id, job_id, subject_id)`,
  ),

  // What remains of an erased subject: only the id that callers knew, without any values or hashes.
  table(
    'subject_tombstones',
    `tenant_id ${tenant} NOT NULL,
     subject_id ${id} NOT NULL,
     erased_by ${key} NOT NULL,
     erased_at ${time} NOT NULL,
     erasure_job_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, subject_id)`,
  ),
]
