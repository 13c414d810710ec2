// Column types and the CREATE TABLE statement that all migration steps share.
import type { MigrationStep } from './step.js'

/** The internal number of a tenant. It begins every primary key and index of a table that belongs to tenants. */
export const tenant = 'INT UNSIGNED'
/** A key that people choose, compared character by character. */
export const key = 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
/** A text that people search by and sort by, whatever its case and accents. Both servers have this collation. */
export const name = 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci'
/** A UUID that the platform makes. */
export const id = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin'
/** A short text of the platform's own: a state, a kind, a hexadecimal digest. */
export const word = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin'
/** Half of a SHA-256, which is enough to tell values of one tenant apart. */
export const hash = 'BINARY(16)'
/** A moment in UTC. */
export const time = 'DATETIME(3)'
export const flag = 'TINYINT(1)'
/** JSON as the text that was written: the JSON type of MySQL reorders members, and MariaDB has none. */
export const json = 'LONGTEXT'

/**
 * Makes the steps that create tables; the name of a step is the group's and the table's. The columns may have comments of SQL,
 * which are for readers: the statement that runs, and that a release fixes, is without them.
 * @param options of the table, such as its row format.
 */
export const tablesOf =
  (group: string) =>
  (table: string, columns: string, options = ''): MigrationStep => ({
    name: `${group}-${table}`,
    up: [
      `CREATE TABLE ${table} (${withoutComments(columns)})`,
      'ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
      ...(options ? [options] : []),
    ].join(' '),
  })

const withoutComments = (sql: string): string => sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()
