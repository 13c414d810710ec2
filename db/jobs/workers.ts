// Records in MySQL which processes poll which task queue, and the build of each.
import type { Knex } from 'knex'
import type { Log } from '../../runtime/observe/log.js'
import { ago, presentTime } from '../clock.js'
import { upsertRows } from '../rows.js'

/** After this silence, in ms, a process counts as gone: five missed heartbeats. */
export const silenceTimeoutMs = 10_000

/** A process that polls task queues. */
interface Poller {
  process: string
  /** Empty if runs are not versioned by build. */
  build: string
  /** Returns the queues that the process polls at present. */
  polled: () => readonly string[]
}

/**
 * Records every 2 s which queues a process polls.
 * @returns a function that ends this.
 */
export function heartbeat({ db, log, process, build, polled }: Poller & { db: Knex; log: Log }) {
  const columns = ['worker', 'queue', 'build', 'seen_at']
  const timer = setInterval(() => {
    const rows = polled().map(queue => [process, queue, build, presentTime])
    upsertRows(db, 'worker_heartbeats', columns, rows, ['seen_at']).catch(err => log.warn({ err }, 'heartbeat'))
  }, 2_000)
  return () => clearInterval(timer)
}

/** Deletes processes that have been silent for a day. */
export const forgetWorkers = (db: Knex): Promise<number> =>
  db('worker_heartbeats').where('seen_at', '<', ago(db, 86_400_000)).delete()

/** Tells whether any process has polled the queue in the last `withinMs`. */
export async function isAlive(db: Knex, queue: string, withinMs: number): Promise<boolean> {
  const alive = db('worker_heartbeats').where({ queue }).where('seen_at', '>=', ago(db, withinMs))
  return (await alive.first('worker')) !== undefined
}

/** Returns the builds that had a live process in the last 10 s, once for each queue that they poll. */
export const liveBuilds = (db: Knex): Promise<{ queue: string; build: string }[]> =>
  db('worker_heartbeats').distinct('queue', 'build').where('seen_at', '>=', ago(db, silenceTimeoutMs))
