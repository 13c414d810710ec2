// Writes a heartbeat to the primary, and reads it in each replica to find out how far the replica is behind.
import type { Knex } from 'knex'
import { Gauge } from 'prom-client'
import type { Log } from '../runtime/observe/log.js'
import { processMetrics } from '../runtime/observe/metrics.js'
import { repeat } from '../runtime/process/repeat.js'
import { type ReplicaConfig, replicaSetting } from '../runtime/settings/config.js'
import { readDatabaseUrl } from '../runtime/settings/database-url.js'
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

/** The time between two looks of a process at a server, in ms. */
const lookMs = 250
/** A heartbeat is only written if the last one is older than this, in ms. All processes together thus write one every {@link lookMs}. */
const youngMs = 200
/** How long a server may take to answer before it counts as away, in ms. */
const silenceTimeoutMs = 2_000
/** An upper bound for how fast the clocks of two machines drift apart: each is wrong by at most half a thousandth. */
const drift = 0.001

const table = 'replica_heartbeats'

interface Replicated {
  primary: Knex
  databaseUrl: string
  replicas: ReplicaConfig
  /** The options of the primary's pool. The pools of the replicas get the same. */
  options: ConnectOptions
  log: Log
}

/**
 * Starts the reads of a process, and keeps watching each replica until `stop` is called. Separate connections do that, so that a busy
 * pool is not mistaken for a replica that is behind.
 */
export function startReads(of: Replicated): Reads & { stop(): Promise<void> } {
  const { primary, databaseUrl, log } = of
  const { urls, maxLagMs } = of.replicas
  if (urls.length === 0) return { ...noReplicas(primary), stop: async () => undefined }

  const watch = connect(databaseUrl, { poolSize: 1, silenceTimeoutMs })
  const clock = createClock()
  const watched = urls.map((url, n) => {
    const own = { ...of.options, readOnly: true, setting: replicaSetting(n + 1) }
    const db = connect(url, own)
    const replica: Replica = { name: String(n + 1), db, beat: undefined, isAway: false, life: new AbortController() }
    const { hostname, port } = new URL(readDatabaseUrl(url).uri)
    return {
      replica,
      address: `${hostname}:${port || 3306}`,
      watch: connect(url, { poolSize: 1, silenceTimeoutMs, readOnly: true }),
    }
  })
  const replicas = watched.map(({ replica }) => replica)

  async function beat(): Promise<void> {
    const sentAt = performance.now()
    const [rows = []]: { now: Date; beat: Date | null }[][] = await watch.raw(
      `SELECT UTC_TIMESTAMP(3) AS \`now\`, (SELECT beat_at FROM ${table} WHERE id = 1) AS beat`,
    )
    const [row] = rows
    if (!row) return
    clock.set(row.now.getTime(), sentAt)
    if (row.beat && row.now.getTime() - row.beat.getTime() < youngMs) return
    // The heartbeat has the time at which its statement began. Everything committed before that time is committed before the heartbeat.
    await watch.raw(
      `INSERT INTO ${table} (id, beat_at) VALUES (1, UTC_TIMESTAMP(3)) ON DUPLICATE KEY UPDATE beat_at =
         IF(beat_at < UTC_TIMESTAMP(3) - INTERVAL ${youngMs}000 MICROSECOND, UTC_TIMESTAMP(3), beat_at)`,
    )
  }

  const stops = [
    watchServer(log, 'the heartbeat of the primary', beat),
    ...watched.map(({ replica, address, watch }) => {
      const logState = logChanges(log, { replica: replica.name, address })
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
          logState(stateOf(replica, clock.now(), maxLagMs))
        }
      }
      return watchServer(log, `the replica ${replica.name}`, look)
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

/** Creates an estimate of the primary's clock that is never behind the real one. */
export function createClock(monotonic: () => number = () => performance.now()) {
  let read: { time: number; sentAt: number } | undefined
  return {
    /** Sets the clock. @param time what the primary answered. @param sentAt when it was asked, by this process's own clock. */
    set(time: number, sentAt: number): void {
      read = { time, sentAt }
    },
    /**
     * Returns a moment that is not before the primary's current time, or undefined if the clock was never set. Counts from when the
     * question was sent, which is before the answer, and adds a millisecond because the primary cuts off fractions of one.
     */
    now(): Moment | undefined {
      return read && Math.ceil(read.time + 1 + (monotonic() - read.sentAt) * (1 + drift))
    },
  }
}

/** Looks at a server repeatedly, until the returned function is called. Of several failures in a row, logs only the first. */
function watchServer(log: Log, what: string, look: () => Promise<void>): () => Promise<void> {
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

/** Returns a function that logs the state of a replica whenever it has changed. */
function logChanges(log: Log, replica: object): (state: ReplicaState) => void {
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

/** Registers the metrics of the replicas of this process. Without replicas they have no values. */
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
