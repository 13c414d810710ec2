// The tombstones of erased subjects.
import { id, key, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-subject-erasures')

export const subjectErasures: MigrationStep[] = [
  // No values, and no hash of any: the id that callers knew, when it was erased and by whom.
  table(
    'subject_tombstones',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, erased_by ${key} NOT NULL, erased_at DATETIME(3) NOT NULL,
     PRIMARY KEY (tenant_id, subject_id)`,
  ),
]
