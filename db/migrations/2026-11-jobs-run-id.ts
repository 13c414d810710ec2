// A column for the run that does a job.

import { id } from './columns.js'
import type { MigrationStep } from './step.js'

export const jobsRunId: MigrationStep[] = [
  // The run of Temporal that does the job: another one, such as one that was reset, may not end it.
  {
    name: '2026-11-jobs-run-id',
    up: `ALTER TABLE jobs ADD COLUMN run_id ${id} NULL`,
  },
]
