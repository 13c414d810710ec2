// The queues of providers with limits that are in use, and the worker of each.
import { key, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-provider-queues')

export const providerQueues: MigrationStep[] = [
  // The name begins with the tenant's key. A queue that nobody has used for minutes has no row.
  table(
    'provider_queues',
    `queue VARCHAR(1000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, used_at DATETIME(3) NOT NULL,
     process ${key} NULL, held_until DATETIME(3) NULL`,
  ),
]
