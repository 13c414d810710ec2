// A column for the trace of the request that a job came with.
import type { MigrationStep } from './step.js'

export const jobsTraceParent: MigrationStep[] = [
  // A job that is started later, or again, still belongs to that trace.
  {
    name: '2026-11-jobs-trace-parent',
    up: 'ALTER TABLE jobs ADD COLUMN trace_parent CHAR(55) CHARACTER SET ascii COLLATE ascii_bin NULL',
  },
]
