// Ranges of a job that are worked on side by side.
import { id, table, word } from './columns.js'
import type { MigrationStep } from './step.js'

export const jobRanges: MigrationStep[] = [
  // `position`: how far the range is. `last_id`: where it ends; null has no end. `crashes`: as those of the job.
  table('2026-11-job-ranges')(
    'job_ranges',
    `tenant_id INT UNSIGNED NOT NULL, job_id ${id} NOT NULL, number TINYINT UNSIGNED NOT NULL, position ${word} NULL, last_id ${word} NULL,
     is_done TINYINT(1) NOT NULL DEFAULT 0, crashes TINYINT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, job_id, number)`,
  ),
]
