// Columns for the cursors of data set refreshes.
import type { MigrationStep } from './step.js'

export const dataSetCursors: MigrationStep[] = [
  // A cursor that the refresh under way has had before: should the provider come back to it, it would be asked for ever.
  { name: '2026-11-data-set-cursors', up: 'ALTER TABLE data_sets ADD COLUMN staging_mark LONGTEXT NULL' },
]
