// Writes the primary's heartbeat, and reads it in each replica.
import type { Knex } from 'knex'
import { Gauge } from 'prom-client'
import { type ReplicaConfig, replicaSetting } from '../runtime/config.js'
import { readDatabaseUrl } from '../runtime/database-url.js'
import type { Log } from '../runtime/log.js'
import { processMetrics } from '../runtime/metrics.js'
import { repeat } from '../runtime/repeat.js'
import { type ConnectOptions, connect } from './connect.js'
import {
  chooseReads,
  type Moment,
  noReplicas,
  type Reads,
  type Replica,
  type ReplicaState,
  stateOf,
} from './replicas.js'

/** Between two looks of a process, in ms. */
const lookMs = 250
/** A heartbeat that is younger is not written again: about one each {@link lookMs}, of all processes together. */
const youngMs = 200
/** A server that says nothing for so long does not answer, in ms. */
const silenceMs = 2_000
/** Clocks of two machines part by half a thousandth at most. */
const drift = 0.001

const table = 'replica_heartbeats'

interface Replicated {
  primary: Knex
  databaseUrl: string
  replicas: ReplicaConfig
  /** Those of the primary's pool. */
  options: ConnectOptions
  log: Log
}

/**
 * Reads of a process, which looks at each replica all the time. Its own connections do that, so that a busy pool is not taken for
 * a lag.
 */
export function keepReads(of: Replicated): Reads & { stop(): Promise<void> } {
  const { primary, databaseUrl, log } = of
  const { urls, maxLagMs } = of.replicas
  if (urls.length === 0) return { ...noReplicas(primary), stop: async () => undefined }

  const watch = connect(databaseUrl, { poolSize: 1, silenceMs })
  const clock = createClock()
  const watched = urls.map((url, n) => {
    const own = { ...of.options, readOnly: true, setting: replicaSetting(n + 1) }
    const db = connect(url, own)
    const replica: Replica = { name: String(n + 1), db, beat: undefined, isAway: false, life: new AbortController() }
    const { hostname, port } = new URL(readDatabaseUrl(url).uri)
    return {
      replica,
      address: `${hostname}:${port || 3306}`,
      watch: connect(url, { poolSize: 1, silenceMs, readOnly: true }),
    }
  })
  const replicas = watched.map(({ replica }) => replica)

  async function beat(): Promise<void> {
    const sentAt = performance.now()
    const [rows = []]: { now: Date; beat: Date | null }[][] = await watch.raw(
      `SELECT UTC_TIMESTAMP(3) AS now, (SELECT beat_at FROM ${table} WHERE id = 1) AS beat`,
    )
    const [row] = rows
    if (!row) return
    clock.set(row.now.getTime(), sentAt)
    if (row.beat && row.now.getTime() - row.beat.getTime() < youngMs) return
    // The time of the statement, which is before its commit: what was committed before that time is before the heartbeat.
    await watch.raw(
      `INSERT INTO ${table} (id, beat_at) VALUES (1, UTC_TIMESTAMP(3)) ON DUPLICATE KEY UPDATE beat_at =
         IF(beat_at < UTC_TIMESTAMP(3) - INTERVAL ${youngMs}000 MICROSECOND, UTC_TIMESTAMP(3), beat_at)`,
    )
  }

  const stops = [
    looks(log, 'the heartbeat of the primary', beat),
    ...watched.map(({ replica, address, watch }) => {
      const note = noteChanges(log, { replica: replica.name, address })
      const look = async () => {
        try {
          const row: { beat_at: Date } | undefined = await watch(table).where({ id: 1 }).first('beat_at')
          replica.beat = row?.beat_at.getTime()
          replica.isAway = false
        } catch (err) {
          replica.isAway = true
          replica.life.abort(err)
          replica.life = new AbortController()
          throw err
        } finally {
          note(stateOf(replica, clock.now(), maxLagMs))
        }
      }
      return looks(log, `the replica ${replica.name}`, look)
    }),
  ]

  return {
    ...chooseReads({ primary, replicas, now: clock.now, maxLagMs, log }),
    async now(): Promise<Moment | undefined> {
      if (clock.now() === undefined) await beat()
      return clock.now()
    },
    async stop() {
      await Promise.all(stops.map(stop => stop()))
      const pools = [watch, ...watched.flatMap(each => [each.watch, each.replica.db])]
      await Promise.all(pools.map(pool => pool.destroy()))
    },
  }
}

/** The primary's clock as this process knows it. */
export function createClock(monotonic: () => number = () => performance.now()) {
  let read: { time: number; sentAt: number } | undefined
  return {
    /** @param time what the primary said. @param sentAt when it was asked, by the process's own clock. */
    set(time: number, sentAt: number): void {
      read = { time, sentAt }
    },
    /** Not before the primary's own time: it was asked before it answered, and leaves out what is less than a millisecond. */
    now(): Moment | undefined {
      return read && Math.ceil(read.time + 1 + (monotonic() - read.sentAt) * (1 + drift))
    },
  }
}

/** Looks at a server all the time. Only the first failure of several is logged. */
function looks(log: Log, what: string, look: () => Promise<void>): () => Promise<void> {
  let isFailing = false
  return repeat(async () => {
    try {
      await look()
      isFailing = false
    } catch (err) {
      if (!isFailing) log.warn({ err }, `${what} cannot be read`)
      isFailing = true
    }
    return lookMs
  })
}

function noteChanges(log: Log, replica: object): (state: ReplicaState) => void {
  let last: ReplicaState = 'away'
  return state => {
    if (state === last) return
    last = state
    log[state === 'used' ? 'info' : 'warn'](
      { ...replica, state },
      state === 'used' ? 'a replica is read' : 'a replica is left out',
    )
  }
}

/** Reports the replicas of this process: without any the metrics have no values. */
export function observeReplicas(reads: Reads): void {
  const registers = [processMetrics]
  new Gauge({
    name: 'armature_replica_lag_seconds',
    help: 'Age of the last heartbeat of the primary that this process has seen in a replica, by its number',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, lagMs } of reads.replicas()) if (lagMs !== undefined) this.set({ replica: name }, lagMs / 1000)
    },
  })
  new Gauge({
    name: 'armature_replica_used',
    help: '1 where this process reads at a replica, 0 where it leaves it out because it is behind or away',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, state } of reads.replicas()) this.set({ replica: name }, state === 'used' ? 1 : 0)
    },
  })
}
