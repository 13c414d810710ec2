// A count of attempts whose worker died, for each job.
import type { MigrationStep } from './step.js'

export const jobsCrashes: MigrationStep[] = [
  // Attempts in a row whose worker died or hung before any step was written.
  {
    name: '2026-11-jobs-crashes',
    up: 'ALTER TABLE jobs ADD COLUMN crashes TINYINT UNSIGNED NOT NULL DEFAULT 0',
  },
]
