// Counts of requests and of failed sign-ins, for all API processes together.
import { table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-rate-counts')

export const rateCounts: MigrationStep[] = [
  // Of no tenant: a stranger's address belongs to none. The name is a hash, so that no address is stored.
  table(
    'rate_counts',
    `name BINARY(32) NOT NULL PRIMARY KEY, points INT UNSIGNED NOT NULL, ends_at DATETIME(3) NOT NULL,
     KEY rate_counts_by_end (ends_at)`,
  ),
]
