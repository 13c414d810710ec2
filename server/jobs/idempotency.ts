import { hash } from 'node:crypto'
import { badRequest } from '../../runtime/problem.js'
import type { JobRequest } from './accept.js'

/**
 * The request's `Idempotency-Key`, with what tells it from another request that comes with the same key; undefined when it has
 * none.
 * @throws Problem 400 when it is not of visible ASCII.
 */
export function idempotencyOf(request: JobRequest): { key: string; hash: string } | undefined {
  const key = request.header('idempotency-key')
  if (key === '') return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw badRequest('idempotency-key', 'Idempotency-Key takes 1 to 255 visible ASCII characters.')
  return { key, hash: hash('sha256', `${request.path}\n${request.bodyHash}`, 'hex') }
}
