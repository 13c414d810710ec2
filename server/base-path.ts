// Knows under which path callers reach the platform.
import type { Middleware } from 'koa'

/**
 * Returns the path of the platform's public address, '' if it has none. A proxy strips it from requests. So every reference from the root
 * of the host begins with it: `Location`, `Link`, a problem's `type` and `instance`, and the links of pages. Paths in other members,
 * such as `links.self` and `viewLink`, are appended to the public address by whoever uses them.
 */
export const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')

/** Tells all that answers a request the path, as `ctx.state.basePath`. */
export function tellBasePath(publicUrl: string): Middleware {
  const basePath = basePathOf(publicUrl)
  return (ctx, next) => {
    ctx.state.basePath = basePath
    return next()
  }
}

/** Puts the path in front of the references of an answer's headers. */
export function referencesBelow(basePath: string, headers: Record<string, string>): Record<string, string> {
  const { Location, Link } = headers
  return {
    ...headers,
    ...(Location === undefined ? {} : { Location: basePath + Location }),
    ...(Link === undefined ? {} : { Link: Link.replace(/^</, `<${basePath}`) }),
  }
}
