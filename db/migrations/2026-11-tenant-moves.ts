// Tables of tenants that move to another cell, and the keys that a process can open.
import { id, key, table as tableOf, word } from './columns.js'
import type { MigrationStep } from './step.js'

const group = '2026-11-tenant-moves'
const table = tableOf(group)

export const tenantMoves: MigrationStep[] = [
  // One row for each tenant that left, came, or is on its way; its states are those of db/cells/moves.ts. `cell`: the other one.
  // `address`: where callers find the tenant. `tenant`: its row of `tenants`, until the move is forgotten.
  table(
    'tenant_moves',
    `tenant_id INT UNSIGNED NOT NULL, tenant_key ${key} NOT NULL, move_id ${id} NOT NULL, state ${word} NOT NULL, cell ${key} NOT NULL,
     address TEXT NULL, tenant LONGTEXT NULL, changed_at DATETIME(3) NOT NULL,
     PRIMARY KEY (tenant_id), UNIQUE KEY tenant_moves_by_key (tenant_key)`,
  ),
  // Rows of a tenant that changed while it moves, by the triggers of its move. `row_key`: see db/cells/tenant-tables.ts. An
  // AUTO_INCREMENT needs an index that begins with it.
  table(
    'tenant_move_changes',
    `tenant_id INT UNSIGNED NOT NULL, id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, table_name ${word} NOT NULL,
     row_key MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
     PRIMARY KEY (tenant_id, id), KEY tenant_move_changes_by_id (id)`,
  ),
  // In the cell that a tenant comes to: how far its tables are copied and compared. `step` fences a process that was late.
  table(
    'tenant_move_tables',
    `tenant_id INT UNSIGNED NOT NULL, phase ${word} NOT NULL, table_name ${word} NOT NULL, step INT UNSIGNED NOT NULL DEFAULT 0,
     position MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NULL, row_count BIGINT UNSIGNED NOT NULL DEFAULT 0,
     is_done TINYINT(1) NOT NULL DEFAULT 0, PRIMARY KEY (tenant_id, phase, table_name)`,
  ),
  // Ids of the keys of ENCRYPTION_KEY and ENCRYPTION_KEYS_OLD, with commas. A process of the version before writes none.
  { name: `${group}-keys`, up: "ALTER TABLE worker_heartbeats ADD COLUMN key_ids VARCHAR(1000) NOT NULL DEFAULT ''" },
]

export const workerBuckets: MigrationStep[] = [
  // The bucket of files, by its service and name. A process of the version before writes none.
  {
    name: '2026-11-worker-buckets',
    up: "ALTER TABLE worker_heartbeats ADD COLUMN bucket VARCHAR(1000) NOT NULL DEFAULT ''",
  },
]
