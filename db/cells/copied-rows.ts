// Copies the rows of a tenant from one database to another, and compares them.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { isDuplicate, transaction } from '../errors.js'
import { groupedBy, insertLiterals, slices } from '../rows.js'
import { type ChangedRow, changedRows, noteRows, type Side, settleChanges } from './changed-rows.js'
import {
  between,
  type Condition,
  checksumSql,
  columnsOf,
  keyOf,
  literalSql,
  orderOf,
  type RawRow,
  selected,
  type TenantTable,
  withKeys,
} from './tenant-tables.js'

/** Rows of one transaction, and the bytes of their texts: files have 1 MB a row. */
const mostRows = 5_000
const mostBytes = 2 * 1024 * 1024
/** Of a table that may have such rows, the first ones are few. */
const firstRows = 8
/** Rows that are compared by one checksum. */
const rowsOfChecksum = 5_000
/** Keys of one statement: of one column, and of several. MariaDB plans alternatives of several by the square of their number. */
const keysAtOnce = 500
const wideKeysAtOnce = 100
/** Changed rows that are copied in one transaction, and that a freeze may begin with. */
export const changesAtOnce = 2_000

/** Where a tenant comes from, and where it goes. */
export interface Sides {
  source: Side
  target: Side
}

/** Another process has gone on with the move: this one was late, and wrote nothing. */
export class MoveGoesOn extends Error {
  override readonly name = 'MoveGoesOn'
}

type Phase = 'copy' | 'compare' | 'follow'

interface Progress {
  step: number
  /** The last key that is done; undefined before the first. */
  position: string | undefined
  isDone: boolean
}

/**
 * Copies the rows of a table, from where it is, as they are at the moment. Each step is one transaction of the target that
 * also moves the position on.
 * @param isOver ends it after the step under way.
 */
export async function copyTable(sides: Sides, table: TenantTable, isOver: () => boolean): Promise<void> {
  const { source, target } = sides
  let limit = table.columns.some(({ isLong }) => isLong) ? firstRows : mostRows
  const read = (after: string | undefined) => readAfter(source, table, after, limit)
  let { step, position, isDone } = await progressOf(target, 'copy', table.name)
  let rows = isDone ? [] : await read(position)
  while (!isDone && !isOver()) {
    const written = rows
    const last = written.at(-1)
    const next = last ? keyOf(table, last) : position
    const isLast = written.length < limit
    limit = nextLimit(limit, written)
    // The next rows are on their way while these are written.
    const following = isLast ? Promise.resolve([]) : read(next)
    following.catch(() => undefined)
    await advance(target, 'copy', table.name, { step, position: next, isDone: isLast }, written.length, async trx => {
      const taken = await writeRows(trx, target.tenant, table, written)
      await noteRows(source, table.name, taken)
    })
    step++
    position = next
    isDone = isLast
    rows = await following
  }
}

function nextLimit(limit: number, rows: readonly RawRow[]): number {
  const bytes = rows.reduce((sum, row) => sum + row.reduce((n, cell) => n + (cell?.length ?? 0), 0), 0)
  const fitting = Math.floor((mostBytes * rows.length) / Math.max(1, bytes))
  return Math.max(1, Math.min(limit * 4, fitting, mostRows))
}

/**
 * Copies the rows that changed, compares them, and settles those that are equal.
 * @returns how many changes were looked at; 0 where none is left.
 */
export async function followChanges(sides: Sides, tables: ReadonlyMap<string, TenantTable>): Promise<number> {
  const { source, target } = sides
  const { step, position } = await progressOf(target, 'follow', '')
  const changes = await changedRows(source, changesAtOnce)
  if (changes.length === 0) return 0
  const byTable = [...groupedBy(changes, change => change.table)].map(([name, ofTable]) => ({
    table: known(tables, name),
    ofTable,
    keys: [...new Set(ofTable.map(({ key }) => key))],
  }))
  const current = await Promise.all(byTable.map(({ table, keys }) => readKeys(source.db, source.tenant, table, keys)))
  await advance(target, 'follow', '', { step, position, isDone: false }, changes.length, async trx => {
    for (const [n, { table, keys }] of byTable.entries()) {
      for (const slice of ofStatements(table, keys)) {
        const { sql, values } = withKeys(table, target.tenant, slice)
        await trx.raw(`DELETE ${table.name} FROM ${fromKey(table)} WHERE ${sql}`, values)
      }
      // A row whose unique value another row has here is left for the change that took it from that one.
      await writeRows(trx, target.tenant, table, [...(current[n]?.values() ?? [])])
    }
  })
  const settled = byTable.map(async ({ table, ofTable, keys }) => {
    const unequal = new Set(await differingOf(sides, table, keys))
    return ofTable.filter(({ key }) => !unequal.has(key)).map(({ id }: ChangedRow) => id)
  })
  await settleChanges(source, (await Promise.all(settled)).flat())
  return changes.length
}

/**
 * Compares a table, range by range, from where it is. Rows that differ, because they change just now, are noted as changed.
 * @returns how many differed.
 */
export async function compareTable(sides: Sides, table: TenantTable, isOver: () => boolean): Promise<number> {
  const { source, target } = sides
  let differing = 0
  let { step, position, isDone } = await progressOf(target, 'compare', table.name)
  while (!isDone && !isOver()) {
    const upTo = await endOfRange(source, table, position)
    const range = { after: position, upTo }
    const [ours, theirs] = await Promise.all([source, target].map(side => checksumOf(side, table, range)))
    if (ours?.sum !== theirs?.sum || ours?.rows !== theirs?.rows) {
      const [own, other] = await Promise.all([source, target].map(side => checksumsOf(side, table, range)))
      const keys = new Set([...(own?.keys() ?? []), ...(other?.keys() ?? [])])
      const unequal = [...keys].filter(key => own?.get(key) !== other?.get(key))
      differing += unequal.length
      await noteRows(source, table.name, unequal)
    }
    isDone = upTo === undefined
    const next = { step, position: upTo ?? position, isDone }
    await advance(target, 'compare', table.name, next, ours?.rows ?? 0, async () => undefined)
    step++
    position = next.position
  }
  return differing
}

function known(tables: ReadonlyMap<string, TenantTable>, name: string): TenantTable {
  const table = tables.get(name)
  if (!table) throw new Error(`There is no table ${name}`)
  return table
}

/** How many rows each phase has done, and whether all its tables are done. */
export async function phaseOf({ db, tenant }: Side, phase: Phase): Promise<{ rows: number; done: Set<string> }> {
  const rows: { table_name: string; row_count: number; is_done: number }[] = await db('tenant_move_tables')
    .where({ tenant_id: tenant, phase })
    .select('table_name', 'row_count', 'is_done')
  return {
    rows: rows.reduce((sum, each) => sum + Number(each.row_count), 0),
    done: new Set(rows.flatMap(each => (each.is_done === 1 ? [each.table_name] : []))),
  }
}

async function progressOf({ db, tenant }: Side, phase: Phase, name: string): Promise<Progress> {
  const of = { tenant_id: tenant, phase, table_name: name }
  await db('tenant_move_tables').insert(of).onConflict().ignore()
  const row = await db('tenant_move_tables').where(of).first('step', 'position', 'is_done')
  return { step: row.step, position: row.position ?? undefined, isDone: row.is_done === 1 }
}

/** Does a step of a phase in one transaction. @throws MoveGoesOn where another process did it. */
async function advance(
  { db, tenant }: Side,
  phase: Phase,
  name: string,
  { step, position, isDone }: Progress,
  rows: number,
  work: (trx: Knex.Transaction) => Promise<void>,
): Promise<void> {
  await transaction(db, 'platform', async trx => {
    const mine = () => trx('tenant_move_tables').where({ tenant_id: tenant, phase, table_name: name })
    const held = await mine().forUpdate().first('step')
    const move = await trx('tenant_moves').where({ tenant_id: tenant }).forShare().first('state')
    const isServed = move?.state !== 'arriving' && move?.state !== 'moved'
    if (held?.step !== step || isServed)
      throw new MoveGoesOn(`Another process has gone on with ${name || 'the changes'}`)
    await work(trx)
    const more = { row_count: trx.raw('row_count + ?', [rows]) }
    await mine().update({ step: step + 1, position: position ?? null, is_done: isDone, ...more })
  })
}

/** Writes new rows. @returns keys of those that have a unique value which another row has here. */
async function writeRows(
  trx: Knex.Transaction,
  tenant: TenantId,
  table: TenantTable,
  rows: readonly RawRow[],
): Promise<string[]> {
  if (rows.length === 0) return []
  const insert = (some: readonly RawRow[]) =>
    trx.transaction(point => insertLiterals(point, table.name, columnsOf(table), literalsOf(tenant, table, some)))
  try {
    await insert(rows)
    return []
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  const taken: string[] = []
  for (const row of rows) {
    try {
      await insert([row])
    } catch (error) {
      if (!isDuplicate(error)) throw error
      taken.push(keyOf(table, row))
    }
  }
  return taken
}

function* literalsOf(tenant: TenantId, { name, columns }: TenantTable, rows: readonly RawRow[]): Generator<string> {
  for (const row of rows) {
    const literal = row.at(-1)
    if (!literal) throw new Error(`A row of ${name} is longer than max_allowed_packet of its server`)
    yield columns.length > 0 ? `${tenant},${literal.toString('utf8')}` : String(tenant)
  }
}

/** By its primary key: the statistics of a table that was just filled lead the servers to read all rows of the tenant. */
const fromKey = ({ name }: TenantTable): string => `${name} FORCE INDEX (PRIMARY)`

async function rawRows(db: Db, sql: string, { values }: Pick<Condition, 'values'>): Promise<RawRow[]> {
  const [rows]: RawRow[][] = await db.raw(sql, values).options({ typeCast: false, rowsAsArray: true })
  return rows ?? []
}

function readAfter({ db, tenant }: Side, table: TenantTable, after: string | undefined, limit: number) {
  const where = between(table, tenant, after, undefined)
  const rows = `SELECT ${selected(table, literalSql(table))} FROM ${fromKey(table)} WHERE ${where.sql}`
  return rawRows(db, `${rows} ORDER BY ${orderOf(table)} LIMIT ${limit}`, where)
}

const ofStatements = ({ key }: TenantTable, keys: readonly string[]): string[][] =>
  slices(keys, key.length > 1 ? wideKeysAtOnce : keysAtOnce)

async function readKeys(
  db: Db,
  tenant: TenantId,
  table: TenantTable,
  keys: readonly string[],
): Promise<Map<string, RawRow>> {
  const found = new Map<string, RawRow>()
  for (const slice of ofStatements(table, keys)) {
    const where = withKeys(table, tenant, slice)
    const literal = selected(table, literalSql(table))
    const rows = await rawRows(db, `SELECT ${literal} FROM ${fromKey(table)} WHERE ${where.sql}`, where)
    for (const row of rows) found.set(keyOf(table, row), row)
  }
  return found
}

/** Those of some keys whose rows differ, byte by byte. */
async function differingOf({ source, target }: Sides, table: TenantTable, keys: readonly string[]): Promise<string[]> {
  const [ours, theirs] = await Promise.all([source, target].map(({ db, tenant }) => readKeys(db, tenant, table, keys)))
  return keys.filter(key => {
    const [own, other] = [ours?.get(key), theirs?.get(key)]
    if (!own || !other) return own !== other
    const [literal, inOther] = [own.at(-1), other.at(-1)]
    return !literal || !inOther || !literal.equals(inOther)
  })
}

interface Range {
  after: string | undefined
  upTo: string | undefined
}

/** The last key of the next range; undefined where the rest is one range. */
async function endOfRange({ db, tenant }: Side, table: TenantTable, after: string | undefined) {
  const where = between(table, tenant, after, undefined)
  const rows = `SELECT ${selected(table)} FROM ${fromKey(table)} WHERE ${where.sql}`
  const [last] = await rawRows(db, `${rows} ORDER BY ${orderOf(table)} LIMIT 1 OFFSET ${rowsOfChecksum - 1}`, where)
  return last && keyOf(table, last)
}

async function checksumOf({ db, tenant }: Side, table: TenantTable, { after, upTo }: Range) {
  const where = between(table, tenant, after, upTo)
  const sum = `BIT_XOR(CAST(CONV(LEFT(${checksumSql(table)}, 16), 16, 10) AS UNSIGNED))`
  const [[row]] = await db.raw(
    `SELECT COUNT(*) AS row_count, ${sum} AS checksum FROM ${fromKey(table)} WHERE ${where.sql}`,
    where.values,
  )
  return { rows: Number(row.row_count), sum: String(row.checksum) }
}

/** The checksum of each row of a range, by key. */
async function checksumsOf({ db, tenant }: Side, table: TenantTable, { after, upTo }: Range) {
  const where = between(table, tenant, after, upTo)
  const columns = selected(table, checksumSql(table))
  const rows = await rawRows(db, `SELECT ${columns} FROM ${fromKey(table)} WHERE ${where.sql}`, where)
  return new Map(rows.map(row => [keyOf(table, row), String(row.at(-1))]))
}
