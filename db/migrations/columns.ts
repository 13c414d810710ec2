// Column types that migrations share.
import type { MigrationStep } from './step.js'

/** Keys are compared exactly; names the way people search, whatever the case or accent (a collation both servers have). */
export const key = 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
export const name = 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci'
export const id = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin'
export const word = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin'

/** The step that creates a table; its name is the group's and the table's. */
export const table =
  (group: string) =>
  (table: string, columns: string): MigrationStep => ({
    name: `${group}-${table}`,
    up: `CREATE TABLE ${table} (${columns}) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  })
