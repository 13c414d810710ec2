// Indexes for queries over the jobs of all tenants.
import type { MigrationStep } from './step.js'

export const jobsOfAll: MigrationStep[] = [
  // The jobs of all tenants that wait for a run, go on or are to be forgotten, without a look at any other.
  {
    name: '2026-11-jobs-of-all-by-status',
    up: 'ALTER TABLE jobs ADD KEY jobs_of_all_by_status (status, accepted_at)',
  },
  {
    name: '2026-11-jobs-of-all-awaiting-run',
    up: 'ALTER TABLE jobs ADD KEY jobs_of_all_by_awaits_run (awaits_run, accepted_at)',
  },
  {
    name: '2026-11-jobs-awaiting-run-by-tenant',
    up: 'ALTER TABLE jobs DROP KEY jobs_by_awaits_run',
  },
]
