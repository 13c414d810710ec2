import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import { forbidden, notFound } from '../../runtime/problem.js'
import type { EndpointDependencies } from '../endpoint.js'
import { authenticate } from '../middleware/authenticate.js'
import { formFields } from '../middleware/form-fields.js'
import { requirePermission } from '../middleware/permission.js'
import { rateLimit } from '../middleware/rate-limit.js'
import { pageProblems } from './page-problems.js'

const cookie = 'armature-forms'

export interface SignInDependencies extends EndpointDependencies {
  /** Where browsers find the platform: over https the cookie is for https only. */
  publicUrl: string
}

/** Lets a person's browser in: with a token in a header, or by the cookie that signing in has set. */
export const signedIn = (dependencies: EndpointDependencies, permission: readonly string[]): Middleware =>
  compose([
    pageProblems,
    byCookie,
    authenticate(dependencies, { scopes: ['FormsApi'], unauthenticated: 403 }),
    ofTenant,
    rateLimit(),
    requirePermission(permission),
  ])

/**
 * Signing in: an application of the tenant posts the token of its user and the page to go to. The token is in a cookie that
 * no script reads, no other site's form sends, and no URL carries; it counts for as long as the token does.
 */
export function signInRoute(router: Router, { publicUrl, ...dependencies }: SignInDependencies): void {
  const readFields: Middleware = async (ctx, next) => {
    const fields = new Map(await formFields(ctx))
    const pages = `/forms/${encodeURIComponent(ctx.params.tenantKey)}/`
    const to = fields.get('to') ?? ''
    // Only to pages of ours: another site could make its own look like them.
    if (!new URL(to, 'http://here').href.startsWith(`http://here${pages}`)) throw notFound('There is no such page.')
    const token = fields.get('token') ?? ''
    ctx.req.headers.authorization = `Bearer ${token}`
    await next()
    ctx.cookies.secure = publicUrl.startsWith('https:')
    ctx.cookies.set(cookie, token, { path: pages, httpOnly: true, sameSite: 'lax', secure: ctx.cookies.secure })
    ctx.status = 303
    ctx.redirect(new URL(to, 'http://here').href.slice('http://here'.length))
  }
  const authenticated = authenticate(dependencies, { scopes: ['FormsApi'], unauthenticated: 403 })
  router.post('/forms/:tenantKey/sign-in', compose([pageProblems, readFields, authenticated, ofTenant]))
}

/** The cookie counts as the header would. Forms of other sites are refused even where a browser sends it with them. */
const byCookie: Middleware = (ctx, next) => {
  const token = ctx.cookies.get(cookie)
  if (token && !ctx.get('authorization')) {
    if (ctx.method !== 'GET' && isFromElsewhere(ctx)) throw forbidden('The page was sent by another site.')
    ctx.req.headers.authorization = `Bearer ${token}`
  }
  return next()
}

const isFromElsewhere = (ctx: Context): boolean => !['', 'same-origin', 'none'].includes(ctx.get('sec-fetch-site'))

const ofTenant: Middleware = (ctx, next) => {
  if (ctx.params.tenantKey === ctx.state.caller.tenantKey) return next()
  throw notFound('There is no such page.')
}
