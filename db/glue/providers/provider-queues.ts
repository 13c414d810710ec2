// The queues of providers with limits that are in use, and the one process that works each.
import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import { rowsOf } from '../../rows.js'

/** A queue without use for so long has no worker. A task there that no worker takes is put back after a minute. */
const idleMinutes = 5
/** Seconds for which a process holds a queue; those that live renew it before. */
const heldSeconds = 6
/** One process notes a queue's use so often. */
const noteMs = 10_000

const noted = new WeakMap<Knex, LRUCache<string, true>>()

/** Notes, before a task is scheduled, that a provider's queue is in use: a worker takes it within about half a second. */
export async function markQueueUsed(db: Knex, queue: string): Promise<void> {
  const known = noted.get(db) ?? new LRUCache<string, true>({ max: 10_000, ttl: noteMs })
  noted.set(db, known)
  if (known.has(queue)) return
  await db.raw(
    `INSERT INTO provider_queues (queue, used_at) VALUES (?, UTC_TIMESTAMP(3))
     ON DUPLICATE KEY UPDATE used_at = VALUES(used_at)`,
    [queue],
  )
  known.set(queue, true)
}

export interface QueueInUse {
  queue: string
  /** True where this process holds it, or nobody does. */
  isOurs: boolean
  isIdle: boolean
}

/** The queues as one process sees them; `process` is its name in heartbeats. */
export const providerQueues = (db: Knex, process: string) => ({
  async inUse(): Promise<QueueInUse[]> {
    const rows = await rowsOf<{ queue: string; isOurs: number; isIdle: number }>(
      db,
      `SELECT queue, process IS NULL OR process = ? OR held_until < UTC_TIMESTAMP(3) AS isOurs,
         used_at < UTC_TIMESTAMP(3) - INTERVAL ${idleMinutes} MINUTE AS isIdle FROM provider_queues`,
      [process],
    )
    return rows.map(({ queue, isOurs, isIdle }) => ({ queue, isOurs: isOurs === 1, isIdle: isIdle === 1 }))
  },

  /** Takes a queue that nobody holds. @returns false where another process was first. */
  async hold(queue: string): Promise<boolean> {
    const [{ affectedRows }] = await db.raw(
      `UPDATE provider_queues SET process = ?, held_until = UTC_TIMESTAMP(3) + INTERVAL ${heldSeconds} SECOND
       WHERE queue = ? AND (process IS NULL OR process = ? OR held_until < UTC_TIMESTAMP(3))`,
      [process, queue, process],
    )
    return affectedRows > 0
  },

  /** Holds all of this process for longer. @param busy those with a call under way: they are in use. */
  async renew(busy: readonly string[]): Promise<void> {
    const own = db('provider_queues').where({ process })
    await own.clone().update({ held_until: db.raw(`UTC_TIMESTAMP(3) + INTERVAL ${heldSeconds} SECOND`) })
    if (busy.length > 0)
      await own
        .clone()
        .whereIn('queue', busy)
        .update({ used_at: db.raw('UTC_TIMESTAMP(3)') })
  },

  /** Forgets a queue unless it was used again. */
  async forget(queue: string): Promise<void> {
    await db('provider_queues')
      .where({ queue })
      .whereRaw(`used_at < UTC_TIMESTAMP(3) - INTERVAL ${idleMinutes} MINUTE`)
      .delete()
  },

  /** Gives all queues to other processes. */
  async release(): Promise<void> {
    await db('provider_queues').where({ process }).update({ process: null, held_until: null })
  },
})
