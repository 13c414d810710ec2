// A column for the build of a process that says that it is there.
import { word } from './columns.js'
import type { MigrationStep } from './step.js'

export const workerBuilds: MigrationStep[] = [
  // A process of the version before writes none, which is the name of all that are not versioned.
  { name: '2026-11-worker-builds', up: `ALTER TABLE worker_heartbeats ADD COLUMN build ${word} NOT NULL DEFAULT ''` },
]
