// Refuses requests that do not say clearly which host they are for.
import type { Middleware } from 'koa'
import { badRequest } from '../../runtime/problems/problem.js'

/** A host, by name or address, and optionally a port (RFC 9110, 7.2). */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

/**
 * Refuses a request with several `Host` headers, with an invalid one, or, in HTTP/1.1, with none (RFC 9112, 3.2). A proxy in front of us
 * may have read another of them than we would. Node keeps the first and tells nobody.
 * @throws Problem 400
 */
export const oneHost: Middleware = (ctx, next) => {
  const { rawHeaders, headers, httpVersion } = ctx.req
  const count = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length
  const isNeeded = httpVersion !== '1.0'
  if (count > 1 || (count === 0 && isNeeded) || !hostPattern.test(headers.host ?? ''))
    throw badRequest('malformed-request', 'Send exactly one Host header: a name or an address, and at most a port.')
  return next()
}
