// Notes in MySQL which workers poll which queue.
import type { Knex } from 'knex'
import type { Log } from '../../runtime/log.js'
import { upsertRows } from '../rows.js'

/** Says every 2 s that a process polls a queue, while it does. @returns what ends it. */
export function heartbeat(of: { db: Knex; log: Log; process: string; queue: string; isRunning: () => boolean }) {
  const timer = setInterval(() => {
    if (!of.isRunning()) return
    sayAlive(of.db, of.process, of.queue).catch(err => of.log.warn({ err }, 'heartbeat'))
  }, 2_000)
  return () => clearInterval(timer)
}

/** A worker says that it polls a queue; names that have been silent for a day are forgotten. */
async function sayAlive(db: Knex, worker: string, queue: string): Promise<void> {
  await upsertRows(db, 'worker_heartbeats', ['worker', 'queue', 'seen_at'], [[worker, queue, new Date()]], ['seen_at'])
  await db('worker_heartbeats')
    .where('seen_at', '<', new Date(Date.now() - 86_400_000))
    .delete()
}

/** True when any worker of the queue has spoken in the last `withinMs`. */
export async function isAlive(db: Knex, queue: string, withinMs: number): Promise<boolean> {
  const since = new Date(Date.now() - withinMs)
  return (await db('worker_heartbeats').where({ queue }).where('seen_at', '>=', since).first('worker')) !== undefined
}
