// Tenants that move to another cell.
import { flag, id, json, key, tablesOf, tenant, time, word } from '../columns.js'
import type { MigrationStep } from '../step.js'

const table = tablesOf('baseline')

/** The primary key of a row, as db/cells/tenant-tables.ts writes it. */
const rowKey = 'MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin'

export const cells: MigrationStep[] = [
  // A tenant that left, came, or is on its way.
  table(
    'tenant_moves',
    `tenant_id ${tenant} NOT NULL,
     tenant_key ${key} NOT NULL,
     move_id ${id} NOT NULL,
     state ${word} NOT NULL,
     cell ${key} NOT NULL,                  -- the other one
     address TEXT NULL,                     -- where callers find the tenant
     tenant ${json} NULL,                   -- its row of tenants, until the move is forgotten
     changed_at ${time} NOT NULL,
     PRIMARY KEY (tenant_id),
     UNIQUE KEY tenant_moves_by_key (tenant_key)`,
  ),

  // A row that changed while its tenant moves, written by a trigger.
  table(
    'tenant_move_changes',
    `tenant_id ${tenant} NOT NULL,
     id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
     table_name ${word} NOT NULL,
     row_key ${rowKey} NOT NULL,
     PRIMARY KEY (tenant_id, id),
     KEY tenant_move_changes_by_id (id)`,
  ),

  // In the cell that a tenant comes to: how far one of its tables is copied or compared.
  table(
    'tenant_move_tables',
    `tenant_id ${tenant} NOT NULL,
     phase ${word} NOT NULL,
     table_name ${word} NOT NULL,
     step INT UNSIGNED NOT NULL DEFAULT 0,  -- refuses a process that was late
     position ${rowKey} NULL,
     row_count BIGINT UNSIGNED NOT NULL DEFAULT 0,
     is_done ${flag} NOT NULL DEFAULT 0,
     PRIMARY KEY (tenant_id, phase, table_name)`,
  ),
]
