// Reads the `Idempotency-Key` of a request.
import { hash } from 'node:crypto'
import type { Context } from 'koa'
import { badRequest, Problem } from '../runtime/problem.js'

/** The idempotency data of a request, by which a repeated request takes effect once. */
export interface Idempotency {
  /** The `Idempotency-Key`. */
  key: string
  /** Tells the request from another one with the same key: see {@link requestHash}. */
  hash: string
}

/** Hash of a request. @param bodyHash SHA-256 of its body; empty where it has none. */
export const requestHash = (path: string, bodyHash: string): string => hash('sha256', `${path}\n${bodyHash}`, 'hex')

/**
 * The idempotency that a request asks for; undefined without an `Idempotency-Key`.
 * @throws Problem 400 when the key is not of visible ASCII.
 */
export function idempotencyOf(ctx: Context): Idempotency | undefined {
  const key = ctx.get('idempotency-key')
  if (key === '') return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw badRequest('idempotency-key', 'Idempotency-Key takes 1 to 255 visible ASCII characters.')
  return { key, hash: requestHash(ctx.path, ctx.state.bodyHash ?? '') }
}

/** 422 for an `Idempotency-Key` that another request has taken. */
export const keyReused = (): Problem =>
  new Problem(
    'idempotency-key-reused',
    'This Idempotency-Key was used for another request. Send the same request again, or a new key.',
  )
