// Notes in MySQL which processes poll which queue, and of which build each is.
import type { Knex } from 'knex'
import type { Log } from '../../runtime/observe/log.js'
import { upsertRows } from '../rows.js'

/** Five times the interval of the heartbeats. */
const silenceTimeoutMs = 10_000

/** A process that polls a queue. */
interface Poller {
  process: string
  queue: string
  /** Empty where its runs are not versioned. */
  build?: string
}

/** Says every 2 s that a process polls a queue, while it does. @returns what ends it. */
export function heartbeat(of: Poller & { db: Knex; log: Log; isRunning: () => boolean }) {
  const timer = setInterval(() => {
    if (!of.isRunning()) return
    sayAlive(of.db, of).catch(err => of.log.warn({ err }, 'heartbeat'))
  }, 2_000)
  return () => clearInterval(timer)
}

/** A worker says that it polls a queue; names that have been silent for a day are forgotten. */
async function sayAlive(db: Knex, { process, queue, build = '' }: Poller): Promise<void> {
  const columns = ['worker', 'queue', 'build', 'seen_at']
  const row = [process, queue, build, new Date()]
  await upsertRows(db, 'worker_heartbeats', columns, [row], ['seen_at'])
  await db('worker_heartbeats')
    .where('seen_at', '<', new Date(Date.now() - 86_400_000))
    .delete()
}

/** True when any worker of the queue has spoken in the last `withinMs`. */
export async function isAlive(db: Knex, queue: string, withinMs: number): Promise<boolean> {
  const since = new Date(Date.now() - withinMs)
  return (await db('worker_heartbeats').where({ queue }).where('seen_at', '>=', since).first('worker')) !== undefined
}

/** Builds of which a process has spoken in the last 10 s, each with a queue that it polls. */
export const liveBuilds = (db: Knex): Promise<{ queue: string; build: string }[]> =>
  db('worker_heartbeats')
    .distinct('queue', 'build')
    .where('seen_at', '>=', new Date(Date.now() - silenceTimeoutMs))
