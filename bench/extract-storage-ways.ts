// Two layouts for stored form values.
import type { Connection, RowDataPacket } from 'mysql2'
import { membersOf } from '../forms/json-members.js'

/** A document by its building block, or a value by its control, as JSON text. */
export interface StoredRow {
  name: string
  text: string
}

interface Row extends StoredRow {
  instance_id: string
}

type Way<What> = (connection: Connection, what: What) => Promise<number>

/** Bytes of a table with its indexes. */
export async function sizeOf(connection: Connection, table: string): Promise<number> {
  const promised = connection.promise()
  await promised.query('ANALYZE TABLE ??', [table])
  const [[row]] = await promised.query<RowDataPacket[]>(
    'SELECT data_length + index_length AS bytes FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
    [table],
  )
  return Number(row?.bytes)
}

/** Reads so many submissions and writes what there is of each as one JSON text. @returns how many values there were. */
export const readInstances: Record<'documents' | 'rows', Way<number>> = {
  async documents(connection, count) {
    const sql = `SELECT v.instance_id, v.block_key AS name, v.document AS text FROM ${first('documents')} JOIN documents v USING (instance_id)
      WHERE v.tenant_id = 1 ORDER BY v.instance_id, v.block_key`
    return written(streamed(connection, sql, [count]), ({ text }) =>
      [...membersOf(text)].map(([name, values]) => `"${name}":${values}`),
    )
  },
  async rows(connection, count) {
    const sql = `SELECT v.instance_id, v.control_id AS name, v.content AS text FROM ${first('value_rows')} JOIN value_rows v USING (instance_id)
      WHERE v.tenant_id = 1 ORDER BY v.instance_id, v.control_id`
    return written(streamed(connection, sql, [count]), ({ name, text }) => [`"${name}":[${text}]`])
  },
}

/** Reads one control of all submissions. @returns how many values there were. */
export const readControl: Record<'documents' | 'rows', Way<string>> = {
  async documents(connection, control) {
    const sql = `SELECT instance_id, block_key AS name, document AS text FROM documents WHERE tenant_id = 1 AND block_key = ?`
    const rows = streamed(connection, sql, [control.replace(/\d+$/, '')])
    return written(rows, ({ text }) => {
      const values = membersOf(text).get(control)
      return values === undefined ? [] : [`"${control}":${values}`]
    })
  },
  async rows(connection, control) {
    const sql = `SELECT instance_id, control_id AS name, content AS text FROM value_rows WHERE tenant_id = 1 AND control_id = ?`
    return written(streamed(connection, sql, [control]), ({ name, text }) => [`"${name}":[${text}]`])
  },
}

/** The first submissions by the key. */
const first = (table: string) =>
  `(SELECT DISTINCT instance_id FROM ${table} WHERE tenant_id = 1 ORDER BY instance_id LIMIT ?) f`

/** Rows as they come, not all in memory at once. */
const streamed = (connection: Connection, sql: string, values: (string | number)[]): AsyncIterable<Row> =>
  connection.query(sql, values).stream()

/** Writes the values of each submission as a JSON object. @returns how many values there were. */
async function written(rows: AsyncIterable<Row>, membersIn: (row: Row) => string[]): Promise<number> {
  let last = ''
  let members: string[] = []
  let count = 0
  let length = 0
  const write = () => {
    length += Buffer.from(`{${members.join(',')}}`).length
    members = []
  }
  for await (const row of rows) {
    if (row.instance_id !== last) write()
    last = row.instance_id
    const found = membersIn(row)
    count += found.length
    members.push(...found)
  }
  write()
  if (length === 0) throw new Error('nothing was read')
  return count
}
