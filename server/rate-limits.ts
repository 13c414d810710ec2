// Limits requests per minute across all API processes.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { RateCounts } from '../db/admin/rate-counts.js'
import type { Log } from '../runtime/observe/log.js'

/** Counts requests per minute by name (decision 0042). */
export interface RateLimits {
  /** Counts one request. Returns how many seconds the caller must wait; 0 if it is within the limit. */
  take(name: string, perMinute: number): Promise<number>
  /** Returns how many seconds it takes until all of the names are below the limit. Counts nothing. */
  secondsLeft(names: readonly string[], perMinute: number): Promise<number>
  /** Counts a failure for each name. */
  add(names: readonly string[]): Promise<void>
}

const windowMs = 60_000
/** Counts that no caller waits for are collected for this long, and written together. */
const collectMs = 100
/**
 * How long a caller waits for the database, and how long the process counts alone after the database has failed, in ms.
 */
const timeoutMs = 1_000
const aloneMs = 5_000
const maxNames = 100_000

/**
 * Names are hashed, so that dumps of memory or the database contain no addresses, and because callers choose the length
 * of some names.
 */
const hashOf = (name: string): string => createHash('sha256').update(name).digest('base64url')

/** What this process knows of a name's present minute. */
interface Window {
  points: number
  endsAt: number
}

/** The points of a name in a batch that is written at once. */
interface Share {
  window: Window
  points: number
  /** The sum of all processes without this batch's points; known once the batch is written. */
  before: number
}

/**
 * Creates the rate limits. Up to four fifths of a limit, requests are answered first and counted afterwards, in batches
 * of at most a tenth of the limit; beyond that, they are counted before they are answered. A name that is over its
 * limit needs no statement.
 * @param of where to share the counts. Without it, or while the database is unavailable, the process counts alone.
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

  /**
   * Writes all collected points once the present batch is written, so that even a flood of requests uses one
   * connection.
   */
  function writeAll(): Promise<void> {
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
      const sums = await withTimeout(of.counts(new Map([...batch].map(([name, { points }]) => [name, points]))))
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

  function writeSoon(): void {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      void writeAll()
    }, collectMs).unref()
  }

  return {
    async take(who, perMinute) {
      const name = hashOf(who)
      const known = windowOf(name)
      if (known.points >= perMinute) return secondsOf(known)
      const share = shareOf(name)
      const place = ++share.points
      if (place <= perMinute / 10 && share.window.points + place <= perMinute * 0.8) {
        writeSoon()
        return 0
      }
      await writeAll()
      return share.before + place > perMinute ? secondsOf(share.window) : 0
    },
    async secondsLeft(whose, perMinute) {
      const names = whose.map(hashOf)
      if (!names.some(name => windowOf(name).points >= perMinute)) {
        for (const name of names) shareOf(name)
        await writeAll()
      }
      const full = names.map(windowOf).filter(({ points }) => points >= perMinute)
      return Math.max(0, ...full.map(secondsOf))
    },
    async add(names) {
      for (const name of names) shareOf(hashOf(name)).points++
      await writeAll()
    },
  }
}

const secondsOf = ({ endsAt }: Window): number => Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000))

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
