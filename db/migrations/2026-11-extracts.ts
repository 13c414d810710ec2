// Tables of extracts and their results.
import { id, key, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const group = '2026-11-extracts'
const table = tableOf(group)

const step = (name: string, up: string): MigrationStep => ({ name: `${group}-${name}`, up })

const reported = `tenant_id, is_block, definition_key, definition_version, submitted_at, instance_id, counts_from, counts_until, version_id,
  subject_id, submitted_by, correlation_id, bytes`

const ofInstance = `i.submitted_at, i.id, i.submitted_at, '9999-12-31', i.reported_version, i.subject_id, i.submitted_by, i.correlation_id`

const documents = `form_values v ON v.tenant_id = i.tenant_id AND v.instance_id = i.id AND v.version_id = i.reported_version`

const reportable = `i.reported_version IS NOT NULL AND i.is_withdrawn = 0 AND i.is_deleted = 0`

export const extracts: MigrationStep[] = [
  // One row for each tenant. A submission, withdrawal or reinstatement takes its time under a shared lock of the row,
  // an extract its instant under an exclusive one. No later change has a time before `instant`.
  table('form_clocks', `tenant_id INT UNSIGNED NOT NULL, instant DATETIME(3) NOT NULL, PRIMARY KEY (tenant_id)`),
  step('form_clocks-rows', `INSERT INTO form_clocks SELECT id, '2000-01-01' FROM tenants`),
  // A row for each submission of a form, and one for each building block with data (`is_block`). It counts after
  // `counts_from`, up to `counts_until`. Nothing else of a row changes, but for its subject by a merge. `bytes`: size of its documents in form_values.
  table(
    'form_reports',
    `tenant_id INT UNSIGNED NOT NULL, is_block TINYINT NOT NULL, definition_key ${key} NOT NULL, definition_version INT UNSIGNED NOT NULL,
     submitted_at DATETIME(3) NOT NULL, instance_id ${id} NOT NULL, counts_from DATETIME(3) NOT NULL, counts_until DATETIME(3) NOT NULL,
     version_id ${id} NOT NULL, subject_id ${id} NOT NULL, submitted_by ${key} NOT NULL, correlation_id ${key} NULL, bytes INT UNSIGNED NOT NULL,
     PRIMARY KEY (tenant_id, is_block, definition_key, definition_version, submitted_at DESC, instance_id, counts_from),
     KEY form_reports_by_subject (tenant_id, is_block, definition_key, definition_version, subject_id, submitted_at DESC, instance_id)`,
  ),
  // Submissions from before the first extract.
  step(
    'form_reports-forms',
    `INSERT INTO form_reports (${reported})
     SELECT i.tenant_id, 0, i.form_key, i.form_version, ${ofInstance}, SUM(LENGTH(v.document))
     FROM form_instances i JOIN ${documents} WHERE ${reportable} GROUP BY i.tenant_id, i.id`,
  ),
  step(
    'form_reports-blocks',
    `INSERT INTO form_reports (${reported})
     SELECT i.tenant_id, 1, v.block_key, b.version, ${ofInstance}, LENGTH(v.document)
     FROM form_instances i JOIN ${documents} AND v.has_data = 1
     JOIN form_templates t ON t.tenant_id = i.tenant_id AND t.form_key = i.form_key AND t.version = i.form_version
     JOIN JSON_TABLE(t.definition, '$.buildingBlocks[*]' COLUMNS (block_key ${key} PATH '$.key', version INT UNSIGNED PATH '$.version')) b
       ON b.block_key = v.block_key
     WHERE ${reportable}`,
  ),
  // The request of an extract, its instant and, once known, the number of results of each definition. `subjects`: ids
  // of 16 bytes.
  table(
    'form_extracts',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, instant DATETIME(3) NOT NULL, request LONGTEXT NOT NULL, subjects LONGBLOB NULL,
     taken LONGTEXT NULL, PRIMARY KEY (tenant_id, job_id)`,
  ),
  // The results of each definition in their order, at most 1,000 a row, as db/forms/extracts/extract-entries.ts packs them.
  table(
    'form_extract_results',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, definition SMALLINT UNSIGNED NOT NULL, chunk INT UNSIGNED NOT NULL,
     entries INT UNSIGNED NOT NULL, results BLOB NOT NULL, PRIMARY KEY (tenant_id, job_id, definition, chunk)`,
  ),
]
