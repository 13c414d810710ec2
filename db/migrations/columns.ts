// Column types and the CREATE TABLE statement that all migration steps share.
import type { MigrationStep } from './step.js'

/** The internal number of a tenant. In tables that belong to tenants, every primary key and index begins with it. */
export const tenant = 'INT UNSIGNED'
/** A key that people choose, compared character by character. */
export const key = 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
/** Text that is searched and sorted without regard to case and accents. MariaDB and MySQL both have this collation. */
export const name = 'VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci'
/** A UUID that the platform generated. */
export const id = 'CHAR(36) CHARACTER SET ascii COLLATE ascii_bin'
/** A short text of the platform's own: a state, a kind, a hexadecimal digest. */
export const word = 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin'
/** The first half of a SHA-256, which is enough to tell a tenant's values apart. */
export const hash = 'BINARY(16)'
/** A time in UTC, in milliseconds. */
export const time = 'DATETIME(3)'
export const flag = 'TINYINT(1)'
/** JSON, stored as text to keep it exactly as written. MySQL's JSON type reorders members, and MariaDB has no such type. */
export const json = 'LONGTEXT'

/**
 * Returns the definition of `bytes`, the size of a row's documents. Lists read it first, because the server reads a long text as
 * a whole even for its length.
 */
export const bytesOf = (...documents: string[]): string =>
  `bytes INT UNSIGNED AS (${documents.map(column => `COALESCE(OCTET_LENGTH(${column}), 0)`).join(' + ')}) STORED`

/**
 * Creates steps that create tables, named `<group>-<table>`. `columns` may have SQL comments for readers. They are removed
 * from the statement, so they can still be edited after a release.
 * @param options options of the table, such as its row format.
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
