// Helpers for statements that are sent often, or have many rows.
import type { Knex } from 'knex'
import mysql from 'mysql2'
import type { Db } from './connect.js'

/** A value in a row. */
export type Cell = string | number | Date | Buffer | null

/** Bytes as hexadecimal digits, which go into a statement as they are. Hashes are kept in this form anyway. */
export class Hex {
  constructor(readonly digits: string) {}
}

/** An expression that goes into a statement as it is. */
export class Sql {
  constructor(readonly text: string) {}
}

/** A value in a row to be written. */
export type WrittenCell = Cell | Hex | Sql

/** How long a statement with many rows gets, in characters. While the server works on one statement, the next is built. */
const statementLength = 256 * 1024

/** Cuts a list into slices, for example of as many keys as one `IN` list should have. */
export const slices = <T>(all: readonly T[], size = 1000): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

/**
 * Stands after the last SELECT of a recursive statement, and lets it recurse to any depth. A hierarchy may be deeper than the setting
 * HIERARCHY_MAX_DEPTH, if that was lowered later. At 1,000 levels MySQL would fail. A setting of the session would do too, but VTGate
 * refuses that. MariaDB has its own, see `connect`.
 */
export const anyDepth = '/*+ SET_VAR(cte_max_recursion_depth = 4294967295) */'

/**
 * Makes a query read the current rows and lock them until the transaction ends. Changes nothing outside a transaction. A check before
 * a write must read this way, because a plain read shows the rows as they were when the transaction began.
 */
export const currentIn = <Row extends object, Result>(
  db: Db,
  query: Knex.QueryBuilder<Row, Result>,
): Knex.QueryBuilder<Row, Result> => (db.isTransaction ? query.forShare() : query)

/**
 * Runs a statement and returns its rows, bypassing knex. For statements that are sent very often: for them, knex's builder and runner
 * need more time in this process than all the rest.
 */
export async function rowsOf<Row>(db: Db, sql: string, values: readonly Cell[]): Promise<Row[]> {
  if (db.isTransaction) return (await db.raw(sql, values))[0]
  return query<Row[]>(db, sql, values)
}

/**
 * Sends a statement straight to a connection, inside a transaction to that of the transaction.
 * @param values for the placeholders. With null the statement is not searched for placeholders, which would mean reading all of it.
 */
async function query<Result>(db: Db, sql: string, values: readonly Cell[] | null): Promise<Result> {
  const client: PoolClient<Result> = db.client
  const connection = await client.acquireConnection()
  try {
    // After the end of a transaction its connection may already serve others.
    if ('isCompleted' in db && db.isCompleted()) throw new Error('The transaction has ended')
    return await new Promise((resolve, reject) =>
      connection.query(sql, values, (error, result) => (error ? reject(error) : resolve(result))),
    )
  } finally {
    client.releaseConnection(connection)
  }
}

/** The part of knex's client that manages connections. The client of a transaction always returns the same connection. */
interface PoolClient<Result> {
  acquireConnection(): Promise<SqlConnection<Result>>
  releaseConnection(connection: SqlConnection<Result>): void
}

interface SqlConnection<Result> {
  query(sql: string, values: readonly Cell[] | null, done: (error: Error | null, result: Result) => void): void
}

/** Groups rows by key. The rows of each key stay in their order. */
export function groupedBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

/** Deletes rows by their complete keys, in one statement. The keys are spelled out, as MariaDB scans the table for `(a, b) IN (…)`. */
export async function deleteRows(db: Db, table: string, columns: string[], keys: readonly Cell[][]): Promise<void> {
  if (keys.length === 0) return
  const one = columns.map(column => `${mysql.escapeId(column)} = ?`).join(' AND ')
  await db.raw(`DELETE FROM ?? WHERE ${keys.map(() => `(${one})`).join(' OR ')}`, [table, ...keys.flat()])
}

/** Inserts the rows that a query selects, and ignores those whose key exists. @returns how many were inserted. */
export async function insertFrom(db: Db, table: string, columns: string[], query: Knex.QueryBuilder): Promise<number> {
  const { sql, bindings } = query.toSQL().toNative()
  const values = bindings as Knex.Value[]
  const [result] = await db.raw(mysql.format('INSERT IGNORE INTO ?? (??) ', [table, columns]) + sql, values)
  return result.affectedRows
}

/**
 * Inserts rows, or updates those whose key exists, by multi-row `INSERT … ON DUPLICATE KEY UPDATE`.
 * @param update the columns to update. If empty, existing rows stay as they are.
 */
export async function upsertRows(
  db: Db,
  table: string,
  columns: string[],
  rows: readonly WrittenCell[][],
  update: string[],
): Promise<void> {
  const changed = update.length > 0 ? update : columns.slice(0, 1)
  const assignments = changed.map(column => mysql.format('?? = VALUES(??)', [column, column])).join(', ')
  await writeRows(db, into(table, columns), rows, ` ON DUPLICATE KEY UPDATE ${assignments}`)
}

/** Inserts rows. @throws an error that `isDuplicate` recognizes if a key exists. */
export async function insertRows(
  db: Db,
  table: string,
  columns: string[],
  rows: readonly WrittenCell[][],
): Promise<void> {
  await writeRows(db, into(table, columns), rows)
}

/** Inserts rows, and ignores those whose key exists. @returns how many were inserted. */
export const insertMissing = (
  db: Db,
  table: string,
  columns: string[],
  rows: readonly WrittenCell[][],
): Promise<number> => writeRows(db, into(table, columns, 'INSERT IGNORE'), rows)

const into = (table: string, columns: string[], insert = 'INSERT'): string =>
  `${insert} ${mysql.format('INTO ?? (??) VALUES ', [table, columns])}`

/** Writes rows by statements of limited length. @returns the number of affected rows that the server reports. */
async function writeRows(db: Db, head: string, rows: readonly WrittenCell[][], ending = ''): Promise<number> {
  let affected = 0
  let before: Promise<void> | undefined
  for (const values of inStatements(rows)) {
    // Waits for the statement before. If that fails with a deadlock, the transaction is over, and this one would run outside it.
    await before
    before = query<{ affectedRows: number }>(db, `${head}${values}${ending}`, null).then(result => {
      affected += result.affectedRows
    })
    before.catch(() => undefined)
    // Lets the statement be sent before the next one is built.
    await new Promise(resolve => setImmediate(resolve))
  }
  await before
  return affected
}

/** Turns rows into SQL, for one statement at a time. */
function* inStatements(rows: readonly WrittenCell[][]): Generator<string> {
  const literal = cellLiterals()
  let values: string[] = []
  let length = 0
  for (const row of rows) {
    const value = `(${row.map(literal).join(',')})`
    if (length + value.length > statementLength && values.length > 0) {
      yield values.join(',')
      values = []
      length = 0
    }
    values.push(value)
    length += value.length
  }
  if (values.length > 0) yield values.join(',')
}

/**
 * Returns a function that turns values into SQL literals. mysql2 and the query builder would take seven times as long for a bulk (356 ms
 * against 49 ms for 11 MB). Relies on utf8mb4 and on a sql_mode without NO_BACKSLASH_ESCAPES, both of which connect.ts sets.
 */
function cellLiterals(): (value: WrittenCell) => string {
  // All rows of a bulk share one Date. Formatting it takes as long as the rest of a row, so the last text is kept.
  let time: Date | undefined
  let timeText = ''
  return value => {
    if (typeof value === 'string')
      return special.test(value) ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : `'${value}'`
    if (value === null) return 'NULL'
    if (typeof value === 'number') return String(value)
    if (value instanceof Sql) return value.text
    if (value instanceof Hex) return `X'${value.digits}'`
    if (!(value instanceof Date)) return mysql.escape(value)
    if (value !== time) {
      time = value
      timeText = mysql.escape(value)
    }
    return timeText
  }
}

/** The characters that must be escaped in a literal. */
const special = /['\\]/
