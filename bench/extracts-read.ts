// Reads extracts and their floor.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Dispatcher, Pool } from 'undici'
import type { Population } from '../test/support/extract-population.js'
import { extractPath } from '../test/support/extracts.js'
import type { Stack } from '../test/support/stack.js'
import { floorQueries } from './extracts-floor-queries.js'
import { memory } from './measure.js'

/** Size and times of an answer that was read and discarded. */
export interface Taken {
  bytes: number
  /** Time since the request was sent, in ms. */
  firstByte: number
  lastByte: number
}

/** Creates a client that reads answers as fast as they arrive, without parsing them. */
export function reader(url: string) {
  const pool = new Pool(url, { connections: 1, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 })
  return {
    async take(options: Omit<Dispatcher.RequestOptions, 'origin'>): Promise<Taken> {
      const started = performance.now()
      const { statusCode, body } = await pool.request(options)
      let firstByte = Number.NaN
      let bytes = 0
      for await (const some of body) {
        if (bytes === 0) firstByte = performance.now() - started
        bytes += some.length
      }
      if (statusCode !== 200) throw new Error(`${options.path} is answered ${statusCode}`)
      return { bytes, firstByte, lastByte: performance.now() - started }
    },
    stop: () => pool.close(),
  }
}

/** Creates a reader of one tenant's extracts through the API. */
export function extractReader(baseUrl: string, { forms }: Pick<Population, 'forms'>) {
  const { take, stop } = reader(baseUrl)
  const authorization = `Bearer ${forms.token}`
  return {
    stop,
    extract: (body: object, accept = 'application/x-ndjson') =>
      take({
        method: 'POST',
        path: extractPath,
        body: JSON.stringify(body),
        headers: { authorization, accept, 'content-type': 'application/json' },
      }),
    result: (jobId: string) =>
      take({
        method: 'GET',
        path: `/api/v1/jobs/${jobId}/result`,
        headers: { authorization, accept: 'application/x-ndjson' },
      }),
  }
}

/** Names of the queries that return the latest submissions of each subject. */
export const latestQueries = Object.keys(floorQueries).filter(name => name !== 'recent')

/** Starts a process that streams the queries of extracts-floor-queries.ts, and creates its reader. */
export async function floorReader({ databaseUrl }: Pick<Stack, 'databaseUrl'>, tenantId: number) {
  const child = fork(fileURLToPath(new URL('./extracts-floor.js', import.meta.url)), [String(tenantId)], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  const [address] = await once(child, 'message')
  const { take, stop } = reader(`http://127.0.0.1:${address.port}`)
  return {
    read: (query: string, limit: number) => take({ method: 'GET', path: `/${query}?limit=${limit}` }),
    async stop() {
      await stop()
      child.kill()
    },
  }
}

/**
 * Measures how much the memory of processes grows at most while `work` runs, in MB. The figures are in the order of
 * `pids`.
 */
export async function grown<T>(
  pids: readonly (number | undefined)[],
  work: () => Promise<T>,
): Promise<{ result: T; megabytes: number[] }> {
  const now = () => pids.map(pid => memory(pid, 'VmRSS'))
  const before = now()
  const max = [...before]
  const watch = setInterval(() => {
    for (const [n, megabytes] of now().entries()) max[n] = Math.max(max[n] ?? 0, megabytes)
  }, 50)
  try {
    const result = await work()
    return { result, megabytes: max.map((megabytes, n) => megabytes - (before[n] ?? 0)) }
  } finally {
    clearInterval(watch)
  }
}
