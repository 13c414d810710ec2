// Directs reads to a replica that has everything the reader must see, or else to the primary (decision record 0067).
import type { Knex } from 'knex'
import { Counter } from 'prom-client'
import type { Log } from '../runtime/observe/log.js'
import { processMetrics } from '../runtime/observe/metrics.js'
import { Problem } from '../runtime/problems/problem.js'
import type { Db } from './connect.js'
import { isOutage, isTooSlow } from './errors.js'

/** A time on the primary's clock, in ms since 1970. */
export type Moment = number

/** Runs a read at a server that it chooses. May run it again at another server, so the read must have no side effects. */
export type Read = <Result>(work: (db: Knex) => Promise<Result>) => Promise<Result>

/** The state of a replica. `behind`: its last heartbeat is too old. `away`: it does not answer, or has never shown a heartbeat. */
export type ReplicaState = 'used' | 'behind' | 'away'

export interface Reads {
  /**
   * Returns the function that runs reads for a reader.
   * @param reader a name under which the reads are counted in metrics.
   * @param since the reader sees everything that was committed before this moment. Without it, a replica may be behind by as much as the
   *   settings allow.
   */
  by(reader: string, since?: Moment): Read
  /** Returns a moment after all commits until now, or undefined without replicas. @throws an error of the database. */
  now(): Promise<Moment | undefined>
  /** Lists the replicas. Their names are their numbers in DATABASE_REPLICA_URLS. */
  replicas(): { name: string; state: ReplicaState; lagMs: number | undefined }[]
}

/** Returns the function that runs all reads at one given server. */
export const readsAt =
  (db: Knex): Read =>
  work =>
    work(db)

/** Creates the reads of a process without replicas. */
export function noReplicas(primary: Knex): Reads {
  const read = readsAt(primary)
  return { by: () => read, now: async () => undefined, replicas: () => [] }
}

/** A replica as a process has last seen it. */
export interface Replica {
  /** Its number in DATABASE_REPLICA_URLS. */
  name: string
  db: Knex
  /** The time of the last heartbeat seen in it. The replica has everything that was committed before. */
  beat: Moment | undefined
  /** True after a failure, until its heartbeat can be read again. */
  isAway: boolean
  /** Aborted, and replaced, when the heartbeat cannot be read, so that reads under way stop waiting. The reason is the failure. */
  life: AbortController
}

const reads = new Counter({
  name: 'armature_reads_total',
  help: 'Reads that a replica may answer, by reader and by the server that answered: primary, or the number of a replica',
  labelNames: ['reader', 'server'],
  registers: [processMetrics],
})

const primaries = new WeakMap<Db, Knex>()

/** Returns the primary to which a replica's pool belongs. Use it for reads that a replica must not answer, and for caches that all share. */
export const primaryOf = <Server extends Db>(db: Server): Server | Knex => primaries.get(db) ?? db

/** Thrown by a read at a replica that finds out that only the primary can answer it. */
export class OnlyPrimary extends Error {}

/** Returns the state of a replica. @param now see {@link Reads.now}; undefined as long as the primary has not answered. */
export function stateOf({ beat, isAway }: Replica, now: Moment | undefined, maxLagMs: number): ReplicaState {
  if (isAway || beat === undefined) return 'away'
  // A heartbeat from the future means that the primary's clock was set back. Until it has caught up, the lag is not known.
  return now !== undefined && beat <= now && now - beat <= maxLagMs ? 'used' : 'behind'
}

interface Choice {
  primary: Knex
  replicas: readonly Replica[]
  now(): Moment | undefined
  maxLagMs: number
  log: Log
}

/**
 * Gives each read to the next replica, in rotation, that is in use and has everything the reader must see. If the read fails there, runs
 * it at the primary, whose answer counts: only the primary may refuse a request.
 */
export function chooseReads({ primary, replicas, now, maxLagMs, log }: Choice): Pick<Reads, 'by' | 'replicas'> {
  for (const { db } of replicas) primaries.set(db, primary)
  let turn = 0

  function next(since: Moment): Replica | undefined {
    const current = now()
    turn++
    for (let n = 0; n < replicas.length; n++) {
      const replica = replicas[(turn + n) % replicas.length]
      if (replica?.beat !== undefined && replica.beat >= since && stateOf(replica, current, maxLagMs) === 'used')
        return replica
    }
    return undefined
  }

  return {
    by:
      (reader, since = 0) =>
      async work => {
        const replica = next(since)
        if (replica) {
          try {
            const result = await unlessGone(work(replica.db), replica.life.signal)
            reads.inc({ reader, server: replica.name })
            return result
          } catch (err) {
            // The primary would take as long, and has more to do.
            if (isTooSlow(err)) throw err
            if (isOutage(err)) replica.isAway = true
            // A problem is not logged, because it may only mean that the replica does not have the requested data yet.
            if (!(err instanceof Problem || err instanceof OnlyPrimary))
              log.warn({ err, reader, replica: replica.name }, 'a read at a replica failed; the primary does it')
          }
        }
        reads.inc({ reader, server: 'primary' })
        return work(primary)
      },
    replicas() {
      const current = now()
      return replicas.map(replica => ({
        name: replica.name,
        state: stateOf(replica, current, maxLagMs),
        lagMs: replica.beat === undefined || current === undefined ? undefined : Math.max(0, current - replica.beat),
      }))
    },
  }
}

/** Waits for a read. @throws the reason of the signal if that is aborted first. */
function unlessGone<Result>(reading: Promise<Result>, gone: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(gone.reason)
    gone.addEventListener('abort', leave, { once: true })
    reading.then(resolve, reject).finally(() => gone.removeEventListener('abort', leave))
  })
}
