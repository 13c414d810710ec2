// A column for jobs that were written while Temporal was away.
import type { MigrationStep } from './step.js'

export const jobsWithoutRun: MigrationStep[] = [
  // A small bulk is written by its run; without one only while Temporal is away, and then it gets none later.
  {
    name: '2026-11-jobs-has-run',
    up: 'ALTER TABLE jobs ADD COLUMN has_run TINYINT(1) NOT NULL DEFAULT 1',
  },
  {
    name: '2026-11-jobs-awaiting-run-have-none',
    up: 'UPDATE jobs SET has_run = 0 WHERE awaits_run = 1',
  },
  {
    name: '2026-11-jobs-awaits-run-gone',
    up: 'ALTER TABLE jobs DROP KEY jobs_of_all_by_awaits_run, DROP COLUMN awaits_run',
  },
]
