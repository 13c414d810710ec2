// Calls of the router to the APIs of a cell.
import type { Readable } from 'node:stream'
import { type Dispatcher, Pool } from 'undici'
import { Problem } from '../../runtime/problem.js'

/** Connections to the APIs of one cell. As many calls wait for one; more are refused, so a cell that hangs holds up no other. */
const mostConnections = 1_000
const connectTimeoutMs = 5_000
/** An API answers within JOB_WAIT_SECONDS, of which the greatest is ten minutes. */
const headersTimeoutMs = 660_000
/** Longest pause within an answer. */
const pauseMs = 300_000

export type CellAnswer = Dispatcher.ResponseData

export interface CellCall {
  method: string
  /** Path and query as they were sent. */
  path: string
  /** Names and values in turn. */
  headers: string[]
  body: Buffer | Readable | null
  signal: AbortSignal
  /** In place of the common one, in ms. */
  headersTimeout?: number
}

export interface CellCalls {
  name: string
  /** @returns its answer, whose body must be read. @throws undici's error where there is none. */
  send(call: CellCall): Promise<CellAnswer>
  close(): Promise<void>
}

/** @param address of the cell's APIs, or of what balances them. Connections are kept and used again. */
export function cellCalls(name: string, address: string): CellCalls {
  const { origin, pathname } = new URL(address)
  const prefix = pathname.replace(/\/$/, '')
  const pool = new Pool(origin, {
    connections: mostConnections,
    pipelining: 1,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: pauseMs,
  })
  return {
    name,
    async send({ path, ...call }) {
      if (pool.stats.queued >= mostConnections) throw busy
      return pool.request<null>({ ...call, path: prefix + path })
    },
    close: () => pool.destroy(),
  }
}

const busy = new Problem('busy', 'Too many calls wait for the cell. Nothing was changed. Please try again.', [], {
  'Retry-After': '1',
})

/** Errors of a connection that was not made: nothing was sent. */
const notConnected = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Whether a call failed before anything of it was sent. */
export const isUnsent = (error: unknown): boolean => notConnected.has(Object(error).code)

/** Whether a cell did not begin its answer in time. */
export const isSilent = (error: unknown): boolean => Object(error).code === 'UND_ERR_HEADERS_TIMEOUT'
