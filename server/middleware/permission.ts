// Checks the permissions of a caller.
import type { Middleware } from 'koa'
import { forbidden } from '../../runtime/problem.js'

/** Lets in who has the permission, or one of several where the handler decides item by item. */
export function requirePermission(permission: string | readonly string[] | undefined): Middleware {
  const any = permission === undefined ? [] : [permission].flat()
  return (ctx, next) => {
    if (any.length > 0 && !any.some(name => ctx.state.caller.allows(name))) {
      throw forbidden(`The client needs the permission ${any.join(' or ')}.`)
    }
    return next()
  }
}
