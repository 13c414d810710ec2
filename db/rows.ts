// Helpers for statements with many rows.
import type { Knex } from 'knex'
import mysql from 'mysql2'
import type { Db } from './connect.js'

/** A value of a row. */
export type Cell = string | number | Date | Buffer | null

/** Bytes as hexadecimal digits, in which they stand in a statement: hashes are such texts already. */
export class Hex {
  constructor(readonly digits: string) {}
}

/** A value of a row that is written. */
export type WrittenCell = Cell | Hex

/** Characters of a statement of many rows. While the server does one, the next is made. */
const statementLength = 256 * 1024

/** Keys of one `IN` list; more go into several statements. */
export const slices = <T>(all: readonly T[], size = 1000): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))

/**
 * Inside a transaction, reads the current rows and locks them until its end; elsewhere a plain read. A check before a
 * write must read so: a plain read shows the rows at the beginning of the transaction.
 */
export const currentIn = <Row extends object, Result>(
  db: Db,
  query: Knex.QueryBuilder<Row, Result>,
): Knex.QueryBuilder<Row, Result> => (db.isTransaction ? query.forShare() : query)

/**
 * Rows of a statement that many callers make, straight from a connection: in this process, knex's builder and runner cost more
 * than the statement itself.
 */
export async function rowsOf<Row>(db: Db, sql: string, values: readonly Cell[]): Promise<Row[]> {
  if (db.isTransaction) return (await db.raw(sql, values))[0]
  return query<Row[]>(db, sql, values)
}

/**
 * Sends a statement straight to a connection, which is the transaction's where there is one.
 * @param values of its placeholders. Null: it has none, and is not searched for any; knex and mysql2 each read all of a statement.
 */
async function query<Result>(db: Db, sql: string, values: readonly Cell[] | null): Promise<Result> {
  const client: PoolClient<Result> = db.client
  const connection = await client.acquireConnection()
  try {
    // Its connection serves others by now.
    if ('isCompleted' in db && db.isCompleted()) throw new Error('The transaction has ended')
    return await new Promise((resolve, reject) =>
      connection.query(sql, values, (error, result) => (error ? reject(error) : resolve(result))),
    )
  } finally {
    client.releaseConnection(connection)
  }
}

/** The state of knex's pool, or of a transaction, which always gives the same connection. */
interface PoolClient<Result> {
  acquireConnection(): Promise<SqlConnection<Result>>
  releaseConnection(connection: SqlConnection<Result>): void
}

interface SqlConnection<Result> {
  query(sql: string, values: readonly Cell[] | null, done: (error: Error | null, result: Result) => void): void
}

/** The rows of each key, in their order. */
export function groupedBy<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

/** Deletes rows by their whole keys, in one statement. Spelled out, because MariaDB scans the table for `(a, b) IN (…)`. */
export async function deleteRows(db: Db, table: string, columns: string[], keys: readonly Cell[][]): Promise<void> {
  if (keys.length === 0) return
  const one = columns.map(column => `${mysql.escapeId(column)} = ?`).join(' AND ')
  await db.raw(`DELETE FROM ?? WHERE ${keys.map(() => `(${one})`).join(' OR ')}`, [table, ...keys.flat()])
}

/** Inserts what a query selects, but for rows that are there already. @returns how many were inserted. */
export async function insertFrom(db: Db, table: string, columns: string[], query: Knex.QueryBuilder): Promise<number> {
  const { sql, bindings } = query.toSQL().toNative()
  const values = bindings as Knex.Value[]
  const [result] = await db.raw(mysql.format('INSERT IGNORE INTO ?? (??) ', [table, columns]) + sql, values)
  return result.affectedRows
}

/**
 * Writes rows by multi-row `INSERT … ON DUPLICATE KEY UPDATE` (`update` empty: keeps what is there), some 100 KB a statement.
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

/** Writes new rows, some 100 KB a statement. A key that is taken is an error, see `isDuplicate`. */
export async function insertRows(
  db: Db,
  table: string,
  columns: string[],
  rows: readonly WrittenCell[][],
): Promise<void> {
  await writeRows(db, into(table, columns), rows)
}

/** Writes those rows whose keys are not taken, some 100 KB a statement. @returns how many. */
export const insertMissing = (
  db: Db,
  table: string,
  columns: string[],
  rows: readonly WrittenCell[][],
): Promise<number> => writeRows(db, into(table, columns, 'INSERT IGNORE'), rows)

const into = (table: string, columns: string[], insert = 'INSERT'): string =>
  `${insert} ${mysql.format('INTO ?? (??) VALUES ', [table, columns])}`

/** @returns how many rows the server says are affected. */
async function writeRows(db: Db, head: string, rows: readonly WrittenCell[][], ending = ''): Promise<number> {
  let affected = 0
  let before: Promise<void> | undefined
  for (const values of inStatements(rows)) {
    // Nothing is sent before it has succeeded: a deadlock ends the transaction, and the next one would be by itself.
    await before
    before = query<{ affectedRows: number }>(db, `${head}${values}${ending}`, null).then(result => {
      affected += result.affectedRows
    })
    before.catch(() => undefined)
    // It is on its way before the next one is made.
    await new Promise(resolve => setImmediate(resolve))
  }
  await before
  return affected
}

/** The rows as SQL, those of one statement at a time. */
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
 * Makes values SQL. mysql2 and the query builder take seven times as long for a bulk (356 ms against 49 ms for 11 MB). It
 * needs utf8mb4 and a sql_mode without NO_BACKSLASH_ESCAPES, which connect.ts sets.
 */
function cellLiterals(): (value: WrittenCell) => string {
  // The rows of a bulk have one time, whose text takes as long as the rest of a row.
  let time: Date | undefined
  let timeText = ''
  return value => {
    if (typeof value === 'string')
      return special.test(value) ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : `'${value}'`
    if (value === null) return 'NULL'
    if (typeof value === 'number') return String(value)
    if (value instanceof Hex) return `X'${value.digits}'`
    if (!(value instanceof Date)) return mysql.escape(value)
    if (value !== time) {
      time = value
      timeText = mysql.escape(value)
    }
    return timeText
  }
}

/** Characters that stand for others in a literal. */
const special = /['\\]/
