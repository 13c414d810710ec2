// The heartbeat that tells how far a replica has come.
import { table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-replica-heartbeats')

export const replicaHeartbeats: MigrationStep[] = [
  // Of no tenant: one row, of the whole database.
  table('replica_heartbeats', 'id TINYINT UNSIGNED NOT NULL PRIMARY KEY, beat_at DATETIME(3) NOT NULL'),
]
