// Reads at a replica that has what the reader must see, otherwise at the primary (decision record 0067).
import type { Knex } from 'knex'
import { Counter } from 'prom-client'
import type { Log } from '../runtime/log.js'
import { processMetrics } from '../runtime/metrics.js'
import { Problem } from '../runtime/problem.js'
import type { Db } from './connect.js'
import { isOutage, isTooSlow } from './errors.js'

/** A moment of the primary's clock, in ms since 1970. */
export type Moment = number

/** Does a read at a server of this function's choice. The read may be done again at another one, so it has no other effect. */
export type Read = <Result>(work: (db: Knex) => Promise<Result>) => Promise<Result>

/** `behind`: its heartbeat is too old. `away`: it does not answer, or was never heard of. */
export type ReplicaState = 'used' | 'behind' | 'away'

export interface Reads {
  /**
   * Reads for a reader, whose name is counted.
   * @param since the reader sees all that was committed before. Without it a replica may be as far behind as is allowed.
   */
  by(reader: string, since?: Moment): Read
  /** A moment after all commits until now; undefined without replicas. @throws an error of the database. */
  now(): Promise<Moment | undefined>
  /** Each replica by its number in DATABASE_REPLICA_URLS. */
  replicas(): { name: string; state: ReplicaState; lagMs: number | undefined }[]
}

/** Reads at one server, whichever it is. */
export const readsAt =
  (db: Knex): Read =>
  work =>
    work(db)

/** Reads where there are no replicas. */
export function noReplicas(primary: Knex): Reads {
  const read = readsAt(primary)
  return { by: () => read, now: async () => undefined, replicas: () => [] }
}

/** A replica as a process has last seen it. */
export interface Replica {
  /** Its number in DATABASE_REPLICA_URLS. */
  name: string
  db: Knex
  /** The last heartbeat in it: it has all that was committed before. */
  beat: Moment | undefined
  /** Set by a failure, until its heartbeat is read again. */
  isAway: boolean
  /** Aborted, with the failure, where its heartbeat cannot be read; then another one. Reads under way do not wait any longer. */
  life: AbortController
}

const reads = new Counter({
  name: 'armature_reads_total',
  help: 'Reads that a replica may answer, by reader and by the server that answered: primary, or the number of a replica',
  labelNames: ['reader', 'server'],
  registers: [processMetrics],
})

const primaries = new WeakMap<Db, Knex>()

/** The primary of a pool: what a replica must not be asked for, or what all servers share. */
export const primaryOf = <Server extends Db>(db: Server): Server | Knex => primaries.get(db) ?? db

/** Thrown by a read that finds that only the primary can do it. */
export class OnlyPrimary extends Error {}

/** @param now see {@link Reads.now}; undefined before the primary was heard of. */
export function stateOf({ beat, isAway }: Replica, now: Moment | undefined, maxLagMs: number): ReplicaState {
  if (isAway || beat === undefined) return 'away'
  // A heartbeat of the future: the primary's clock was set back, and says nothing until it has caught up.
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
 * Gives each read to the next replica that is used and has what the reader must see. A read that fails there is done at the
 * primary, whose answer counts: a replica refuses nothing.
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
            // The primary would take as long, and has less time.
            if (isTooSlow(err)) throw err
            if (isOutage(err)) replica.isAway = true
            // A problem may only be that the replica does not know yet what is asked for.
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

/** The result of a read. @throws the reason of the signal where that comes first. */
function unlessGone<Result>(reading: Promise<Result>, gone: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(gone.reason)
    gone.addEventListener('abort', leave, { once: true })
    reading.then(resolve, reject).finally(() => gone.removeEventListener('abort', leave))
  })
}
