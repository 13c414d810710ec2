// Maintains the orders of subjects and entities by a custom field. An order is built when it is first asked for; from then on every
// writer updates it.
import type { Knex } from 'knex'
import { smallPage } from '../../../runtime/load/page-budget.js'
import { Problem } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { OnlyPrimary, primaryOf } from '../../replicas.js'
import { upsertRows } from '../../rows.js'
import { fittingRows, type Sized } from '../../sized-rows.js'
import type { FieldOrder } from '../fields/custom-field.js'
import type { StoredValues } from '../fields/custom-fields.js'
import { sortTextOf } from './sort-text.js'

export type OrderedList = 'subject' | 'entity'

/**
 * The tables of each list: its rows (`owners`) with their key column (`owner`), their places in orders (`values`), and the table whose
 * row for the tenant every writer of the list locks (`settings`). That row also names the orders.
 */
export const orderTables = {
  subject: { owners: 'subjects', owner: 'id', values: 'subject_order_values', settings: 'subject_settings' },
  entity: {
    owners: 'structural_entities',
    owner: 'entity_key',
    values: 'entity_order_values',
    settings: 'hierarchies',
  },
} as const

/** A subject or an entity with its values. */
export interface Owner {
  id: string
  values: StoredValues
}

/**
 * Updates the tenant's orders for the subjects or entities that a transaction writes.
 * @param orders all orders of the list. The transaction must have read them with a lock, so that nobody adds one until its end.
 */
export async function syncOrders(
  trx: Knex.Transaction,
  tenant: TenantId,
  list: OrderedList,
  orders: readonly FieldOrder[],
  written: () => Owner[],
): Promise<void> {
  if (orders.length > 0) await writePlaces(trx, tenant, list, orders, written())
}

/** Removes a subject or entity, which the transaction deletes, from all orders. The transaction must have locked the orders of the list. */
export async function leaveOrders(trx: Knex.Transaction, tenant: TenantId, list: OrderedList, id: string) {
  await trx(orderTables[list].values).where({ tenant_id: tenant, owner: id }).delete()
}

const columns = ['tenant_id', 'owner', 'order_id', 'missing', 'sort_text']

async function writePlaces(
  db: Db,
  tenant: TenantId,
  list: OrderedList,
  orders: readonly FieldOrder[],
  owners: readonly Owner[],
): Promise<void> {
  const rows = owners.flatMap(({ id, values }) =>
    orders.map(({ id: order, key }) => {
      const text = sortTextOf(values, key)
      return [tenant, id, order, text === undefined ? 1 : 0, text ?? '']
    }),
  )
  await upsertRows(db, orderTables[list].values, columns, rows, columns.slice(3))
}

/** How long a caller waits for an order that is being built, in ms. */
const orderTimeoutMs = 2_000

/**
 * Returns the id of the order by a field. Builds the order if it does not exist yet: in small steps, for at most `timeoutMs`. The next
 * call continues where this one stopped.
 * @throws Problem 503 while the order is not complete. OnlyPrimary if `db` is a replica that does not have the complete order.
 */
export async function orderBy(
  db: Knex,
  tenant: TenantId,
  list: OrderedList,
  key: string,
  timeoutMs = orderTimeoutMs,
): Promise<number> {
  const wanted = { tenant_id: tenant, list, field_key: key }
  const order = await db('field_orders').where(wanted).first('order_id', 'is_built')
  if (order?.is_built) return order.order_id
  if (db !== primaryOf(db)) throw new OnlyPrimary(`The order by '${key}' is not in this replica`)
  const id = order?.order_id ?? (await beginOrder(db, tenant, list, key))
  const end = Date.now() + timeoutMs
  do if (await buildNext(db, tenant, list, { id, key })) return id
  while (Date.now() < end)
  const detail = `The order by '${key}' is being built, which happens only once. Please try again.`
  throw new Problem('order-in-preparation', detail, [], { 'Retry-After': '1' })
}

/** Registers an order, so that writers update it. Waits for writers that began before: all later ones see the new order. */
const beginOrder = (db: Knex, tenant: TenantId, list: OrderedList, key: string): Promise<number> =>
  transaction(db, 'unqueued', async trx => {
    const settings = () => trx(orderTables[list].settings).where({ tenant_id: tenant })
    const orders: FieldOrder[] = JSON.parse((await settings().forUpdate().first('orders')).orders)
    const known = orders.find(each => each.key === key)
    if (known) return known.id
    const id = orders.length + 1
    await settings().update({ orders: JSON.stringify([...orders, { id, key }]) })
    const begun = { tenant_id: tenant, list, field_key: key, order_id: id, position: '', is_built: 0 }
    await trx('field_orders').insert(begun)
    return id
  })

/** How many owners one step adds to an order at most; of large values, only as many as one small page has. Writers of these owners wait for it, some 40 ms. */
const perStep = 1_000

/** Adds the next owners to an order. @returns true if the order is complete. */
const buildNext = (db: Knex, tenant: TenantId, list: OrderedList, order: FieldOrder): Promise<boolean> =>
  transaction(db, 'unqueued', async trx => {
    const { owners, owner } = orderTables[list]
    const mine = () => trx('field_orders').where({ tenant_id: tenant, list, field_key: order.key })
    const { position, is_built } = await mine().forUpdate().first('position', 'is_built')
    if (is_built) return true
    const next = () => trx(owners).where({ tenant_id: tenant }).where(owner, '>', position).orderBy(owner)
    const sizes: (Sized & { id: string })[] = await next().limit(perStep).select({ id: owner }, 'bytes')
    const fitting = sizes.slice(0, fittingRows(sizes, smallPage))
    const last = fitting.at(-1)?.id ?? position
    const rows: { id: string; custom_values: string | null }[] = await next()
      .where(owner, '<=', last)
      .forShare()
      .select({ id: owner }, 'custom_values')
    const found = rows.map(({ id, custom_values }) => ({ id, values: JSON.parse(custom_values ?? '{}') }))
    await writePlaces(trx, tenant, list, [order], found)
    const isLast = fitting.length < perStep && fitting.length === sizes.length
    await mine().update({ position: last, is_built: isLast ? 1 : 0 })
    return isLast
  })
