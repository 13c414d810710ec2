// Tables for scheduled exports of forms.
import { id, json, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

export const exports: MigrationStep[] = [
  // The progress of an export in the manifest. The next increment begins where the last one ended, unless the definitions
  // or the destination have changed since.
  table(
    'form_exports',
    `tenant_id ${tenant} NOT NULL,
     export_key ${key} NOT NULL,
     job_id ${id} NULL,                     -- the latest job; no other may go on
     instant ${time} NULL,                  -- NULL where the last export broke off: the next one has everything
     definitions ${word} NULL,              -- digest of what was exported
     place TEXT NULL,                       -- where it went
     every_seconds INT UNSIGNED NULL,       -- time between two exports by the manifest; NULL if that no longer has it
     paused_at ${time} NULL,                -- since when somebody has paused its schedule
     PRIMARY KEY (tenant_id, export_key)`,
  ),

  // The job of an export.
  table(
    'form_export_jobs',
    `tenant_id ${tenant} NOT NULL,
     job_id ${id} NOT NULL,
     plan ${json} NOT NULL,
     files ${json} NOT NULL,                -- those that it has written
     PRIMARY KEY (tenant_id, job_id)`,
  ),
]
