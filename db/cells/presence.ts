// Whether a tenant is in this cell, or has moved, or stands still because it is about to.
import type { Knex } from 'knex'
import { type Cached, cached } from '../../runtime/cache.js'
import { Problem } from '../../runtime/problem.js'
import { isOutage, tenantMoving } from '../errors.js'
import type { MoveState } from './move-states.js'

/** A process hears of a move after at most so long, in ms: the freeze lasts longer. */
export const presenceMs = 500

interface Moving {
  tenant_key: string
  state: MoveState
  address: string | null
  changed_at: Date
}

interface Moves {
  byKey: ReadonlyMap<string, Moving>
  /** Another one after each change of any state. */
  version: string
}

const readers = new WeakMap<Knex, Cached<'all', Moves>>()

function movesOf(db: Knex): Promise<Moves> {
  const known = readers.get(db)
  if (known) return known('all')
  let last: Moves = { byKey: new Map(), version: '' }
  const read = cached<'all', Moves>(
    async () => {
      try {
        const rows: Moving[] = await db('tenant_moves').select('tenant_key', 'state', 'address', 'changed_at')
        const version = JSON.stringify(rows.map(({ tenant_key, changed_at }) => [tenant_key, changed_at]))
        last = { byKey: new Map(rows.map(row => [row.tenant_key, row])), version }
      } catch (error) {
        // Nothing is read of any tenant while the database is away.
        if (!isOutage(error)) throw error
      }
      return last
    },
    { ttlMs: presenceMs },
  )
  readers.set(db, read)
  return read('all')
}

/**
 * Lets a tenant pass that this cell serves, or does not know.
 * @returns another text after each move of any tenant: then the numbers of tenants are read again.
 * @throws Problem 503 while the tenant stands still for its move; 421 with its address when it has moved.
 */
export async function requireHere(db: Knex, tenantKey: string): Promise<string> {
  const { byKey, version } = await movesOf(db)
  const moving = byKey.get(tenantKey)
  if (moving?.state === 'frozen' || moving?.state === 'arriving') throw tenantMoving()
  if (moving?.state === 'moved') throw tenantMoved(moving.address ?? '')
  return version
}

const tenantMoved = (address: string): Problem =>
  new Problem('tenant-moved', `The tenant has moved to another cell: ${address}.`, [], { 'Armature-Cell': address })
