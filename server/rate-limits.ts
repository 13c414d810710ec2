// Limits of a minute that hold for all API processes together.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { RateCounts } from '../db/admin/rate-counts.js'
import type { Log } from '../runtime/log.js'

/** Counts of a minute by name (decision 0042). */
export interface RateLimits {
  /** Counts one request. @returns seconds to wait; 0 where it is within the limit. */
  take(name: string, perMinute: number): Promise<number>
  /** Seconds until all of the names are below the limit; counts nothing. */
  secondsLeft(names: readonly string[], perMinute: number): Promise<number>
  /** Counts a failure of each name. */
  add(names: readonly string[]): Promise<void>
}

const windowMs = 60_000
/** Points that nobody waits for are written together. */
const paceMs = 100
/** How long a caller waits for the database, and how long the process counts alone after that. */
const patienceMs = 1_000
const aloneMs = 5_000
const maxNames = 100_000

/** A dump of memory or of the database holds no address, and no name that a caller has chosen the length of. */
const hashOf = (name: string): string => createHash('sha256').update(name).digest('base64url')

/** A name's minute, as far as this process knows. */
interface Window {
  points: number
  endsAt: number
}

/** A name in a batch of points that are written together. */
interface Share {
  window: Window
  points: number
  /** The sum of all processes without the points of this batch; known once the batch is written. */
  before: number
}

/**
 * Four fifths of a limit are counted behind the answers, in pieces of a tenth at most; the rest before them. A name
 * above its limit costs no statement.
 * @param of without it, or while the database is away, the process counts alone.
 */
export function createRateLimits(of?: { counts: RateCounts; log: Pick<Log, 'warn'> }): RateLimits {
  const windows = new LRUCache<string, Window>({ max: maxNames })
  let shares = new Map<string, Share>()
  let last = Promise.resolve()
  let next: Promise<void> | undefined
  let isDue = false
  let aloneUntil = 0

  function windowOf(name: string): Window {
    const known = windows.get(name)
    if (known && known.endsAt > Date.now()) return known
    const window = { points: 0, endsAt: Date.now() + windowMs }
    windows.set(name, window)
    return window
  }

  function shareOf(name: string): Share {
    const window = windowOf(name)
    const known = shares.get(name)
    const share = known?.window === window ? known : { window, points: 0, before: 0 }
    shares.set(name, share)
    return share
  }

  /** Writes all points, after the batch under way: a flood of strangers takes one connection. */
  function written(): Promise<void> {
    next ??= last = last.then(() => {
      next = undefined
      return write()
    })
    return next
  }

  async function write(): Promise<void> {
    const batch = shares
    shares = new Map()
    for (const share of batch.values()) {
      share.before = share.window.points
      share.window.points += share.points
    }
    if (!of || Date.now() < aloneUntil) return
    try {
      const sums = await inTime(of.counts(new Map([...batch].map(([name, { points }]) => [name, points]))))
      for (const [name, share] of batch) {
        const sum = sums.get(name)
        if (!sum) continue
        share.before = sum.points - share.points
        Object.assign(share.window, { points: sum.points, endsAt: Date.now() + sum.msLeft })
      }
    } catch (err) {
      aloneUntil = Date.now() + aloneMs
      of.log.warn({ err }, 'rate limits are counted in this process alone')
    }
  }

  function writtenSoon(): void {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      void written()
    }, paceMs).unref()
  }

  return {
    async take(who, perMinute) {
      const name = hashOf(who)
      const known = windowOf(name)
      if (known.points >= perMinute) return secondsOf(known)
      const share = shareOf(name)
      const place = ++share.points
      if (place <= perMinute / 10 && share.window.points + place <= perMinute * 0.8) {
        writtenSoon()
        return 0
      }
      await written()
      return share.before + place > perMinute ? secondsOf(share.window) : 0
    },
    async secondsLeft(whose, perMinute) {
      const names = whose.map(hashOf)
      if (!names.some(name => windowOf(name).points >= perMinute)) {
        for (const name of names) shareOf(name)
        await written()
      }
      const full = names.map(windowOf).filter(({ points }) => points >= perMinute)
      return Math.max(0, ...full.map(secondsOf))
    },
    async add(names) {
      for (const name of names) shareOf(hashOf(name)).points++
      await written()
    },
  }
}

const secondsOf = ({ endsAt }: Window): number => Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000))

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${patienceMs} ms`)), patienceMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
