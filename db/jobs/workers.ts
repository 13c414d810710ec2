import type { Knex } from 'knex'
import { upsertRows } from '../rows.js'

/** A worker says that it polls a queue; names that have been silent for a day are forgotten. */
export async function sayAlive(db: Knex, worker: string, queue: string): Promise<void> {
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
