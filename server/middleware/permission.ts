// Checks the permission of a caller.
import type { Middleware } from 'koa'
import { forbidden } from '../../runtime/problems/problem.js'

/**
 * Creates middleware that requires a permission. If there are several, any one suffices, and the handler checks each
 * item.
 */
export function requirePermission(permission: string | readonly string[] | undefined): Middleware {
  const any = permission === undefined ? [] : [permission].flat()
  return (ctx, next) => {
    if (any.length > 0 && !any.some(name => ctx.state.caller.allows(name))) {
      throw forbidden(`The caller needs the permission ${any.join(' or ')}.`)
    }
    return next()
  }
}
