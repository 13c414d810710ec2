// Records in MySQL which processes poll which task queue, and the build of each.
import type { Knex } from 'knex'
import type { Log } from '../../runtime/observe/log.js'
import { ago, presentTime } from '../clock.js'
import { upsertRows } from '../rows.js'

/** After this silence, in ms, a process counts as gone: five missed heartbeats. */
const silenceTimeoutMs = 10_000

/** A process that polls a task queue. */
interface Poller {
  process: string
  queue: string
  /** Empty if runs are not versioned by build. */
  build?: string
}

/**
 * Records every 2 s that a process polls a queue, unless `isRunning` says that it does not.
 * @returns a function that ends this.
 */
export function heartbeat(of: Poller & { db: Knex; log: Log; isRunning: () => boolean }) {
  const timer = setInterval(() => {
    if (!of.isRunning()) return
    sayAlive(of.db, of).catch(err => of.log.warn({ err }, 'heartbeat'))
  }, 2_000)
  return () => clearInterval(timer)
}

/** Records that a process polls a queue. Also deletes processes that have been silent for a day. */
async function sayAlive(db: Knex, { process, queue, build = '' }: Poller): Promise<void> {
  const columns = ['worker', 'queue', 'build', 'seen_at']
  const row = [process, queue, build, presentTime]
  await upsertRows(db, 'worker_heartbeats', columns, [row], ['seen_at'])
  await db('worker_heartbeats').where('seen_at', '<', ago(db, 86_400_000)).delete()
}

/** Tells whether any process has polled the queue in the last `withinMs`. */
export async function isAlive(db: Knex, queue: string, withinMs: number): Promise<boolean> {
  const alive = db('worker_heartbeats').where({ queue }).where('seen_at', '>=', ago(db, withinMs))
  return (await alive.first('worker')) !== undefined
}

/** Returns the builds that had a live process in the last 10 s, once for each queue that they poll. */
export const liveBuilds = (db: Knex): Promise<{ queue: string; build: string }[]> =>
  db('worker_heartbeats').distinct('queue', 'build').where('seen_at', '>=', ago(db, silenceTimeoutMs))
