// The states of a tenant that moves, in the two cells (decision record 0068).
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { codeOf, isDuplicate, transaction } from '../errors.js'
import type { Cell } from '../rows.js'
import { forgetChangedRows, forgetWatch, type Side, watchChanges } from './changed-rows.js'
import type { Sides } from './copied-rows.js'
import type { MoveState } from './move-states.js'
import { MoveRefused, type TenantTable, tablesOfFiles, tenantTables } from './tenant-tables.js'

/** A move of a tenant, as the cell that it leaves or comes to knows it. */
export interface Move {
  tenant: TenantId
  moveId: string
  state: MoveState
  /** Name of the other cell. */
  cell: string
  /** Where callers find the tenant, once it has moved. */
  address: string | null
  /** The row of `tenants`, until the move is forgotten. */
  row: TenantRow | null
}

/** The columns of a tenant's own row but its number, as text. */
type TenantRow = Record<string, string | null>

/** The move of a tenant; undefined where it never moved. */
export async function moveOf(db: Db, tenantKey: string): Promise<Move | undefined> {
  const row = await db('tenant_moves').where({ tenant_key: tenantKey }).first()
  return (
    row && {
      tenant: row.tenant_id,
      moveId: row.move_id,
      state: row.state,
      cell: row.cell,
      address: row.address,
      row: row.tenant === null ? null : JSON.parse(row.tenant),
    }
  )
}

const numberOf = async (db: Db, tenantKey: string): Promise<TenantId | undefined> =>
  (await db('tenants').where({ tenant_key: tenantKey }).first('id'))?.id

/**
 * The tables that move.
 * @throws MoveRefused where the two databases do not have the same schema.
 */
export async function movedTables(source: Knex, target: Knex): Promise<TenantTable[]> {
  const [ours, theirs] = await Promise.all([tenantTables(source), tenantTables(target)])
  const steps = (db: Knex): Promise<string[]> => db('schema_steps').orderBy('name').pluck('name')
  const [own, other] = await Promise.all([steps(source), steps(target)])
  if (JSON.stringify(own) !== JSON.stringify(other))
    throw new MoveRefused('The two cells have not the same version of the schema: upgrade both, then move.')
  const described = (tables: readonly TenantTable[]) =>
    JSON.stringify(tables.map(({ name, columns, key }) => [name, columns.map(each => each.name), key]))
  if (described(ours) !== described(theirs)) throw new MoveRefused('The tables of the two cells differ.')
  return ours
}

/** Rows of the processes of a cell that have spoken in the last 10 s. */
const livePollers = (db: Knex): Knex.QueryBuilder =>
  db('worker_heartbeats').where('seen_at', '>=', new Date(Date.now() - 10_000))

/** Ids of the keys that all processes of a cell can open that have spoken in the last 10 s; undefined where there is none. */
async function openedKeys(db: Knex): Promise<Set<string> | undefined> {
  const rows: string[] = await livePollers(db).distinct().pluck('key_ids')
  const [first, ...others] = rows.map(row => new Set(row.split(',')))
  return first && new Set([...first].filter(id => others.every(other => other.has(id))))
}

/**
 * Whether a tenant can move. Nothing is written.
 * @param keyIds of the keys of the process that asks.
 * @throws MoveRefused with the reason.
 */
export async function checkMove(
  { source, target }: { source: Knex; target: Knex },
  tenantKey: string,
  { moveId, keyIds, bucket }: { moveId: string; keyIds: readonly string[]; bucket: string | undefined },
): Promise<void> {
  await movedTables(source, target)
  const [own, other] = [await moveOf(source, tenantKey), await moveOf(target, tenantKey)]
  const tenant = await numberOf(source, tenantKey)
  const isOwn = own?.moveId === moveId
  if (tenant === undefined && !(isOwn && own.state === 'moved'))
    throw new MoveRefused(`There is no tenant '${tenantKey}'.`)
  if (!isOwn && (own?.state === 'copying' || own?.state === 'frozen'))
    throw new MoveRefused(`Another move of '${tenantKey}' to the cell '${own.cell}' is under way.`)
  const isThere = (await numberOf(target, tenantKey)) !== undefined
  if (isThere && other?.moveId !== moveId) throw new MoveRefused(`The other cell has a tenant '${tenantKey}' already.`)
  if (other?.moveId !== moveId && (other?.state === 'arriving' || (other?.state === 'moved' && other.row !== null)))
    throw new MoveRefused(`The other cell has rows of an earlier move of '${tenantKey}': forget or undo that first.`)
  const opened = await openedKeys(target)
  if (!opened) throw new MoveRefused('No process of the other cell is running: it would not serve the tenant.')
  const unknown = keyIds.filter(id => !opened.has(id))
  if (unknown.length > 0)
    throw new MoveRefused(
      `The other cell cannot open what the keys ${unknown.join(', ')} sealed: add them to its ENCRYPTION_KEYS_OLD.`,
    )
  if (tenant !== undefined) await requireFiles({ source: { db: source, tenant }, target }, bucket)
}

/**
 * Requires that the other cell can read the files of the tenant: those in S3 stay where they are.
 * @param bucket of the process that asks.
 * @throws MoveRefused where it has files in S3, and the other cell another bucket or none.
 */
export async function requireFiles(
  { source, target }: { source: Side; target: Knex },
  bucket: string | undefined,
): Promise<void> {
  const inS3 = tablesOfFiles.map(table =>
    source.db(table).where({ tenant_id: source.tenant }).where('storage', 'like', 's3%').first('id'),
  )
  if ((await Promise.all(inS3)).every(row => row === undefined)) return
  const others: string[] = await livePollers(target).distinct().pluck('bucket')
  if (others.length === 1 && others[0] === bucket) return
  const [own, there] = [bucket ?? 'none', others.map(each => each || 'none').join(' and ')]
  throw new MoveRefused(
    `The tenant has files in S3, and processes of the other cell do not have its bucket: it is '${own}' here, '${there}' there.`,
  )
}

/** Begins a move, or finds the one that was begun: changes are noted from now on, and the target has a number for the tenant. */
export async function beginMove(
  { source, target }: { source: Knex; target: Knex },
  tenantKey: string,
  { moveId, cell, from, address }: { moveId: string; cell: string; from: string; address: string },
  tables: readonly TenantTable[],
): Promise<Sides> {
  const there = await arrive(target, tenantKey, { moveId, from }, await ownRow(source, tenantKey))
  const known = await moveOf(source, tenantKey)
  if (known?.moveId !== moveId) {
    const tenant = await numberOf(source, tenantKey)
    if (tenant === undefined) throw new MoveRefused(`There is no tenant '${tenantKey}'.`)
    await putMove(source, {
      tenant_id: tenant,
      tenant_key: tenantKey,
      move_id: moveId,
      state: 'copying',
      cell,
      address,
      tenant: null,
    })
  }
  const own = await moveOf(source, tenantKey)
  if (!own) throw new Error(`The move of '${tenantKey}' is gone`)
  const side = { db: source, tenant: own.tenant }
  if (own.state === 'copying') await watchChanges(side, tables)
  return { source: side, target: { db: target, tenant: there } }
}

/** The two sides of a move that was begun. */
export async function sidesOf({ source, target }: { source: Knex; target: Knex }, tenantKey: string): Promise<Sides> {
  const [own, other] = [await moveOf(source, tenantKey), await moveOf(target, tenantKey)]
  if (!own || !other || own.moveId !== other.moveId)
    throw new MoveRefused(`'${tenantKey}' is in no move between these cells.`)
  return { source: { db: source, tenant: own.tenant }, target: { db: target, tenant: other.tenant } }
}

/** Writes the state of a move in place of an earlier one of the tenant. */
async function putMove(db: Knex, row: Record<string, Cell>): Promise<void> {
  await transaction(db, 'platform', async trx => {
    await trx('tenant_moves').where({ tenant_key: row.tenant_key }).delete()
    await trx('tenant_moves').insert({ ...row, changed_at: trx.fn.now(3) })
  })
}

/** Gives a tenant its number in the cell that it comes to. It has no row of `tenants` yet, so nobody serves it or looks after it. */
async function arrive(
  db: Knex,
  tenantKey: string,
  { moveId, from }: { moveId: string; from: string },
  row: TenantRow | undefined,
): Promise<TenantId> {
  const known = await moveOf(db, tenantKey)
  if (known?.moveId === moveId) return known.tenant
  if (!row) throw new MoveRefused(`There is no tenant '${tenantKey}'.`)
  try {
    return await transaction(db, 'platform', async trx => {
      // The server never gives a number again.
      const [tenant = 0] = await trx('tenants').insert(row)
      await trx('tenants').where({ id: tenant }).delete()
      await trx('tenant_moves').where({ tenant_key: tenantKey }).delete()
      const state: MoveState = 'arriving'
      const move = { tenant_id: tenant, tenant_key: tenantKey, move_id: moveId, state, cell: from }
      await trx('tenant_moves').insert({ ...move, changed_at: trx.fn.now(3) })
      return tenant
    })
  } catch (error) {
    if (isDuplicate(error)) throw new MoveRefused(`The other cell has a tenant '${tenantKey}' already.`)
    throw error
  }
}

/** The tenant's own row, without its number; undefined where it is not here. */
async function ownRow(db: Db, tenantKey: string): Promise<TenantRow | undefined> {
  const [[names, row]] = await Promise.all([
    db
      .raw('SELECT * FROM tenants WHERE tenant_key = ?', [tenantKey])
      .options({ typeCast: false, rowsAsArray: true })
      .then(
        ([rows, fields]: [(Buffer | null)[][], { name: string }[]]) =>
          [fields.map(({ name }) => name), rows[0]] as const,
      ),
  ])
  if (!row) return undefined
  const entries = names.map((name, n): [string, string | null] => [name, row[n]?.toString('utf8') ?? null])
  return Object.fromEntries(entries.filter(([name]) => name !== 'id'))
}

/**
 * Freezes a tenant: waits for the transactions that write it, and every later one is refused.
 * @returns false where a transaction under way holds it up; nothing is frozen then.
 */
export async function freeze(side: Side): Promise<boolean> {
  try {
    return await moveOn(side, 'copying', 'frozen')
  } catch (error) {
    if (codeOf(error) === 'ER_LOCK_WAIT_TIMEOUT' || codeOf(error) === 'ER_LOCK_DEADLOCK') return false
    throw error
  }
}

/** The tenant works on. @returns false where it was not frozen. */
export const unfreeze = (side: Side): Promise<boolean> => moveOn(side, 'frozen', 'copying')

async function moveOn({ db, tenant }: Side, from: MoveState, to: MoveState): Promise<boolean> {
  const changed = { state: to, changed_at: db.fn.now(3) }
  return (await db('tenant_moves').where({ tenant_id: tenant, state: from }).update(changed)) > 0
}

/**
 * The switch: a frozen tenant without open changes is in the other cell from now on.
 * @param state `gone` where it came and is taken back.
 * @returns false where it is not frozen any more, or changes are open: nothing is written then.
 */
export function leave({ db, tenant }: Side, tenantKey: string, state: 'moved' | 'gone'): Promise<boolean> {
  return transaction(db, 'platform', async trx => {
    const held = await trx('tenant_moves').where({ tenant_id: tenant }).forUpdate().first('state')
    if (held?.state === state) return true
    const open = await trx('tenant_move_changes').where({ tenant_id: tenant }).first('id')
    const row = await ownRow(trx, tenantKey)
    if (held?.state !== 'frozen' || open || !row) return false
    await trx('tenant_moves')
      .where({ tenant_id: tenant })
      .update({ state, tenant: JSON.stringify(row), changed_at: trx.fn.now(3) })
    await trx('tenants').where({ id: tenant }).delete()
    return true
  })
}

/** The cell serves the tenant from now on. Safe to repeat. @param row the one that it had where it left. */
export async function serve({ db, tenant }: Side, row: TenantRow): Promise<void> {
  await transaction(db, 'platform', async trx => {
    const held = await trx('tenant_moves').where({ tenant_id: tenant }).forUpdate().first('state')
    if (held?.state === 'here') return
    await trx('tenants').insert({ id: tenant, ...row })
    await trx('tenant_move_tables').where({ tenant_id: tenant }).delete()
    await trx('tenant_moves')
      .where({ tenant_id: tenant })
      .update({ state: 'here', tenant: null, address: null, changed_at: trx.fn.now(3) })
  })
}

/** Has a tenant that came be watched, so that it can be taken back. */
export const watchAgain = (side: Side): Promise<boolean> => moveOn(side, 'here', 'copying')

/** Ends a move that is not done, or one that is undone: the tenant works here, and nothing is noted any more. Safe to repeat. */
export async function stay(side: Side): Promise<void> {
  await unfreeze(side)
  await forgetWatch(side)
  await forgetChangedRows(side)
  await moveOn(side, 'copying', 'here')
}

/** Rows that are deleted by one statement. */
const perDelete = 5_000

/** Deletes the rows of a tenant that is not served here. Safe to repeat. @throws MoveRefused where it is served. */
export async function removeRows(side: Side, tables: readonly TenantTable[]): Promise<void> {
  const { db, tenant } = side
  if (await db('tenants').where({ id: tenant }).first('id')) throw new MoveRefused('The tenant is served by this cell.')
  await forgetWatch(side)
  for (const { name } of tables)
    while ((await db(name).where({ tenant_id: tenant }).limit(perDelete).delete()) === perDelete);
  await forgetChangedRows(side)
  await db('tenant_move_tables').where({ tenant_id: tenant }).delete()
}

/** Notes that a copy is taken back. */
export const goneFrom = ({ db, tenant }: Side): Promise<number> =>
  db('tenant_moves')
    .where({ tenant_id: tenant })
    .whereIn('state', ['arriving', 'gone'])
    .update({ state: 'gone', tenant: null, changed_at: db.fn.now(3) })

/** Notes that the rows of a tenant that moved are not kept any more: its move cannot be undone. */
export const forgotten = ({ db, tenant }: Side): Promise<number> =>
  db('tenant_moves')
    .where({ tenant_id: tenant, state: 'moved' })
    .update({ tenant: null, changed_at: db.fn.now(3) })
