// Records which task queues of limited providers are in use, and which single process works each of them.
import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import { rowsOf } from '../../rows.js'

/**
 * A queue that has not been used for this long loses its worker. Temporal times out a task on a queue without a worker
 * after a minute, and the task is scheduled again.
 */
const idleMinutes = 5
/** How many seconds a process owns a queue. A running process renews its ownership well before. */
const heldSeconds = 6
/** How often one process writes that a queue is in use, at most. */
const writeIntervalMs = 10_000

const recentlyWritten = new WeakMap<Knex, LRUCache<string, true>>()

/**
 * Records that a provider's queue is in use; call it before a task is scheduled there. A worker starts on the queue
 * within about half a second.
 */
export async function markQueueUsed(db: Knex, queue: string): Promise<void> {
  const recent = recentlyWritten.get(db) ?? new LRUCache<string, true>({ max: 10_000, ttl: writeIntervalMs })
  recentlyWritten.set(db, recent)
  if (recent.has(queue)) return
  await db.raw(
    `INSERT INTO provider_queues (queue, used_at) VALUES (?, UTC_TIMESTAMP(3))
     ON DUPLICATE KEY UPDATE used_at = VALUES(used_at)`,
    [queue],
  )
  recent.set(queue, true)
}

export interface QueueInUse {
  queue: string
  /** True if this process owns the queue or nobody does. */
  isOurs: boolean
  isIdle: boolean
}

/** Reads and claims queues on behalf of one process. `process` is its name in the heartbeats. */
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

  /** Claims a queue that no other process owns. Returns false if another process was first. */
  async hold(queue: string): Promise<boolean> {
    const [{ affectedRows }] = await db.raw(
      `UPDATE provider_queues SET process = ?, held_until = UTC_TIMESTAMP(3) + INTERVAL ${heldSeconds} SECOND
       WHERE queue = ? AND (process IS NULL OR process = ? OR held_until < UTC_TIMESTAMP(3))`,
      [process, queue, process],
    )
    return affectedRows > 0
  },

  /**
   * Extends this process's ownership of its queues.
   * @param busy queues with a call under way, which therefore count as used now.
   */
  async renew(busy: readonly string[]): Promise<void> {
    const own = db('provider_queues').where({ process })
    await own.clone().update({ held_until: db.raw(`UTC_TIMESTAMP(3) + INTERVAL ${heldSeconds} SECOND`) })
    if (busy.length > 0)
      await own
        .clone()
        .whereIn('queue', busy)
        .update({ used_at: db.raw('UTC_TIMESTAMP(3)') })
  },

  /** Deletes a queue, unless it has been used again in the meantime. */
  async forget(queue: string): Promise<void> {
    await db('provider_queues')
      .where({ queue })
      .whereRaw(`used_at < UTC_TIMESTAMP(3) - INTERVAL ${idleMinutes} MINUTE`)
      .delete()
  },

  /** Gives up this process's queues so that other processes can claim them. */
  async release(): Promise<void> {
    await db('provider_queues').where({ process }).update({ process: null, held_until: null })
  },
})
