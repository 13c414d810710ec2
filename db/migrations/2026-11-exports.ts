// Tables of scheduled exports.
import { id, key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const group = '2026-11-exports'
const table = tableOf(group)

const step = (name: string, up: string): MigrationStep => ({ name: `${group}-${name}`, up })

const definition = 'tenant_id, is_block, definition_key, definition_version'

export const exports: MigrationStep[] = [
  // How far an export is. The next increment begins at `instant`, with the same definitions and destination. NULL: the
  // last export broke off, so the next one is full. `job_id`: the latest job; no other may go on.
  table(
    'form_exports',
    `tenant_id INT UNSIGNED NOT NULL, export_key ${key} NOT NULL, job_id ${id} NULL, instant DATETIME(3) NULL,
     definitions ${word} NULL, place TEXT NULL, PRIMARY KEY (tenant_id, export_key)`,
  ),
  // The plan of an export's job, and the files that it has written.
  table(
    'form_export_jobs',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, plan LONGTEXT NOT NULL, files LONGTEXT NOT NULL,
     PRIMARY KEY (tenant_id, job_id)`,
  ),
  // Finds the reports that began or ended since an instant, without a scan of all that count.
  step(
    'form_reports-by_start',
    `ALTER TABLE form_reports ADD KEY form_reports_by_start (${definition}, counts_from, instance_id)`,
  ),
  step(
    'form_reports-by_end',
    `ALTER TABLE form_reports ADD KEY form_reports_by_end (${definition}, counts_until, instance_id)`,
  ),
]
