// Tables that extracts of forms read, and the results of extracts that run as jobs.
import { flag, id, json, key, tablesOf, tenant, time } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

const definition = 'tenant_id, is_block, definition_key, definition_version'

export const extracts: MigrationStep[] = [
  // One row per tenant, for its locks. A submission, withdrawal or reinstatement chooses its time under a shared lock, an
  // extract its cut-off time under an exclusive one. So no change that commits later can have a time before the cut-off.
  table('form_clocks', `tenant_id ${tenant} NOT NULL, instant ${time} NOT NULL, PRIMARY KEY (tenant_id)`),

  // A submission: one report for its form, and one for each building block with data. Its end and its subject may change.
  table(
    'form_reports',
    `tenant_id ${tenant} NOT NULL,
     is_block ${flag} NOT NULL,             -- whether the definition is a building block or a form
     definition_key ${key} NOT NULL,
     definition_version INT UNSIGNED NOT NULL,
     submitted_at ${time} NOT NULL,
     instance_id ${id} NOT NULL,
     counts_from ${time} NOT NULL,          -- it counts after this time …
     counts_until ${time} NOT NULL,         -- … and up to this one, 9999-12-31 while it still counts
     version_id ${id} NOT NULL,
     subject_id ${id} NOT NULL,
     submitted_by ${key} NOT NULL,
     correlation_id ${key} NULL,
     bytes INT UNSIGNED NOT NULL,           -- size of its documents in form_values
     PRIMARY KEY (${definition}, submitted_at DESC, instance_id, counts_from),
     KEY form_reports_by_subject (${definition}, subject_id, submitted_at DESC, instance_id),
     -- These two find the reports that began or ended since an instant.
     KEY form_reports_by_start (${definition}, counts_from, instance_id),
     KEY form_reports_by_end (${definition}, counts_until, instance_id)`,
  ),

  // An extract that runs as a job.
  table(
    'form_extracts',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     instant ${time} NOT NULL,              -- it shows what counted then
     request ${json} NOT NULL,
     subjects LONGBLOB NULL,                -- the ids of the subjects that it is limited to, 16 bytes each
     taken ${json} NULL,                    -- number of results of each definition, once known
     PRIMARY KEY (tenant_id, job_id)`,
  ),

  // Up to 1,000 consecutive results of one definition of an extract.
  table(
    'form_extract_results',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     definition SMALLINT UNSIGNED NOT NULL, -- its place in the request
     chunk INT UNSIGNED NOT NULL,
     entries INT UNSIGNED NOT NULL,
     results BLOB NOT NULL,                 -- packed by db/forms/extracts/extract-entries.ts
     PRIMARY KEY (tenant_id, job_id, definition, chunk)`,
  ),
]
