// Notes which rows of a tenant change while it moves, and refuses its writes while it is frozen: by triggers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { codeOf, frozenState } from '../errors.js'
import { insertRows, slices } from '../rows.js'
import { keySql, MoveRefused, type TenantTable } from './tenant-tables.js'

/** A tenant in the database of a cell. */
export interface Side {
  db: Knex
  tenant: TenantId
}

/** A row that changed, in the table of changes. */
export interface ChangedRow {
  id: number
  table: string
  key: string
}

const events = ['INSERT', 'UPDATE', 'DELETE'] as const

/** How often a trigger is tried: it waits until no transaction has its table. */
const mostTries = 60

/**
 * Writes of the tenant note their rows from now on. A trigger has its table to itself for a moment, so it waits for
 * transactions under way. Safe to repeat.
 * @throws MoveRefused where the user of the database may not create triggers.
 */
export async function watchChanges({ db, tenant }: Side, tables: readonly TenantTable[]): Promise<void> {
  const present = new Set(await triggersOf({ db, tenant }))
  for (const { name, sql } of triggers(tenant, tables)) if (!present.has(name)) await inPatience(db, sql)
}

/** No writes are noted or refused any more. Safe to repeat. */
export async function forgetWatch(side: Side): Promise<void> {
  for (const name of await triggersOf(side)) await inPatience(side.db, `DROP TRIGGER IF EXISTS ${name}`)
}

async function inPatience(db: Knex, sql: string): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return await db.raw(sql)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ER_TRG_ALREADY_EXISTS') return
      if (code === 'ER_BINLOG_CREATE_ROUTINE_NEED_SUPER')
        throw new MoveRefused(
          'The server has a binary log and takes triggers of nobody: SET GLOBAL log_bin_trust_function_creators = ON.',
        )
      if (code === 'ER_TABLEACCESS_DENIED_ERROR' || code === 'ER_DBACCESS_DENIED_ERROR')
        throw new MoveRefused('The user of the database needs the privilege TRIGGER for a move.')
      if (code !== 'ER_LOCK_WAIT_TIMEOUT' || n === mostTries) throw error
      // Transactions that wait behind it go first.
      await sleep(200)
    }
  }
}

const prefixOf = (tenant: TenantId): string => `move_${tenant}_`

async function triggersOf({ db, tenant }: Side): Promise<string[]> {
  const [rows]: { name: string }[][] = await db.raw(
    'SELECT trigger_name AS name FROM information_schema.triggers WHERE trigger_schema = DATABASE()',
  )
  return (rows ?? []).map(({ name }) => name).filter(name => name.startsWith(prefixOf(tenant)))
}

/**
 * The state is read with a shared lock that the transaction keeps. So the freeze, which changes it, waits for every
 * transaction that wrote before, and every later one is refused.
 */
function* triggers(tenant: TenantId, tables: readonly TenantTable[]): Generator<{ name: string; sql: string }> {
  const body = (row: string, column: string, notes: string) =>
    `BEGIN
       DECLARE move_state VARCHAR(64);
       IF ${row}.${column} = ${tenant} THEN
         SELECT state INTO move_state FROM tenant_moves WHERE tenant_id = ${tenant} LOCK IN SHARE MODE;
         IF move_state IN ('frozen', 'moved', 'gone') THEN
           SIGNAL SQLSTATE '${frozenState}' SET MESSAGE_TEXT = 'The tenant is moving to another cell';
         END IF;
         ${notes}
       END IF;
     END`
  for (const table of tables) {
    for (const event of events) {
      const rows = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] }[event]
      const [row = ''] = rows
      const note = (each: string) =>
        `INSERT INTO tenant_move_changes (tenant_id, table_name, row_key) VALUES (${tenant}, '${table.name}', ${keySql(table, each)});`
      const again = `IF ${keySql(table, 'OLD')} <> ${keySql(table, 'NEW')} THEN ${note('NEW')} END IF;`
      const notes = event === 'UPDATE' && table.key.length > 0 ? `${note('OLD')} ${again}` : note(row)
      const name = `${prefixOf(tenant)}${event.slice(0, 1).toLowerCase()}_${table.name}`
      yield {
        name,
        sql: `CREATE TRIGGER ${name} AFTER ${event} ON ${table.name} FOR EACH ROW ${body(row, 'tenant_id', notes)}`,
      }
    }
  }
  // The tenant's own row is only held still: it moves in the moment of the switch, which deletes it.
  const name = `${prefixOf(tenant)}u_tenants`
  yield { name, sql: `CREATE TRIGGER ${name} AFTER UPDATE ON tenants FOR EACH ROW ${body('NEW', 'id', '')}` }
}

/** Rows that changed and are not settled yet, the oldest first. One is found because it is there, whatever its number. */
export async function changedRows({ db, tenant }: Side, limit: number): Promise<ChangedRow[]> {
  const rows: { id: number; table_name: string; row_key: string }[] = await db('tenant_move_changes')
    .where({ tenant_id: tenant })
    .orderBy('id')
    .limit(limit)
    .select('id', 'table_name', 'row_key')
  return rows.map(({ id, table_name: table, row_key: key }) => ({ id, table, key }))
}

/** Has rows looked at again. */
export const noteRows = ({ db, tenant }: Side, table: string, keys: readonly string[]): Promise<void> =>
  insertRows(
    db,
    'tenant_move_changes',
    ['tenant_id', 'table_name', 'row_key'],
    keys.map(key => [tenant, table, key]),
  )

export async function settleChanges({ db, tenant }: Side, ids: readonly number[]): Promise<void> {
  for (const slice of slices(ids))
    await db('tenant_move_changes').where({ tenant_id: tenant }).whereIn('id', slice).delete()
}

/** Forgets all changes, some thousand at a time. */
export async function forgetChangedRows({ db, tenant }: Side): Promise<void> {
  while ((await db('tenant_move_changes').where({ tenant_id: tenant }).limit(5_000).delete()) > 0);
}
