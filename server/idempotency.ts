// Reads the `Idempotency-Key` of a request.
import { hash } from 'node:crypto'
import type { Context } from 'koa'
import { badRequest, Problem } from '../runtime/problems/problem.js'

/** Identifies a request, so that it takes effect only once when it is repeated. */
export interface Idempotency {
  /** The `Idempotency-Key`. */
  key: string
  /** Hash by which a repetition is distinguished from another request with the same key, see {@link requestHash}. */
  hash: string
}

/**
 * Hashes a request.
 * @param bodyHash SHA-256 of its body; empty without a body.
 */
export const requestHash = (path: string, bodyHash: string): string => hash('sha256', `${path}\n${bodyHash}`, 'hex')

/**
 * Returns the request's idempotency, or undefined without an `Idempotency-Key`.
 * @throws Problem 400 if the key is not 1 to 255 visible ASCII characters.
 */
export function idempotencyOf(ctx: Context): Idempotency | undefined {
  const key = ctx.get('idempotency-key')
  if (key === '') return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw badRequest('idempotency-key', 'Idempotency-Key must have 1 to 255 visible ASCII characters.')
  return { key, hash: requestHash(ctx.path, ctx.state.bodyHash ?? '') }
}

/** Creates the problem 422 for an `Idempotency-Key` that another request has used. */
export const keyReused = (): Problem =>
  new Problem(
    'idempotency-key-reused',
    'This Idempotency-Key was used for another request. Send the same request again, or use a new key.',
  )
