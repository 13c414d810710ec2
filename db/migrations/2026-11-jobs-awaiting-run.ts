// A column that a later step removes again.
import type { MigrationStep } from './step.js'

export const jobsAwaitingRun: MigrationStep[] = [
  // A small bulk is done when it is accepted. 1 until its run in Temporal has been there, so that none is left without.
  {
    name: '2026-11-jobs-awaiting-run',
    up: `ALTER TABLE jobs ADD COLUMN awaits_run TINYINT(1) NOT NULL DEFAULT 0,
     ADD KEY jobs_by_awaits_run (tenant_id, awaits_run, accepted_at)`,
  },
]
