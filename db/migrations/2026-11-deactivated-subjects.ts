// Subjects that lists leave out.
import { id, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-deactivated-subjects')

export const deactivatedSubjects: MigrationStep[] = [
  {
    name: '2026-11-deactivated-subjects-column',
    up: 'ALTER TABLE subjects ADD COLUMN deactivated_at DATETIME(3) NULL',
  },
  // The index of that column. It has rows for deactivated subjects alone, so that an insert of a subject costs nothing more.
  table(
    'deactivated_subjects',
    `tenant_id INT UNSIGNED NOT NULL, subject_id ${id} NOT NULL, PRIMARY KEY (tenant_id, subject_id)`,
  ),
]
