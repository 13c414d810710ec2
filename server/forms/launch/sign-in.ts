// Sign-in of users' browsers by token and cookie.
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import { badRequest, notFound, Problem } from '../../../runtime/problem.js'
import { type Access, type Authenticator, authenticate, bearerToken } from '../../middleware/authenticate.js'
import { requirePermission } from '../../middleware/permission.js'
import { rateLimit } from '../../middleware/rate-limit.js'
import { smallForm } from '../../middleware/small-form.js'
import { serve } from '../../operation.js'
import { pages } from '../pages/page-declarations.js'
import { pageProblems, showNotice, wantsPage } from '../pages/page-problems.js'

const cookie = 'armature-forms'

/** Browsers keep no cookie of more than 4096 bytes (RFC 6265, 6.1), and say nothing. */
const maxTokenLength = 4_000

export interface SignInDependencies extends Authenticator {
  /** Where browsers find the platform: over https the cookie is for https only. */
  publicUrl: string
}

const access: Access = { scopes: ['FormsApi'], unauthenticated: 403 }

/** Lets a person's browser in: by the cookie that signing in has set, or with a token in a header. */
export const signedIn = (dependencies: Authenticator, permission: readonly string[]): Middleware =>
  compose([
    pageProblems,
    strangers,
    authenticate(dependencies, access, tokenInRequest),
    ofTenant,
    rateLimit(),
    requirePermission(permission),
  ])

/**
 * Signs a user in: a tenant's application posts the user's token and the target page. The token is kept in a cookie
 * until it expires. No script can read the cookie, no other site's form sends it, and it appears in no URL.
 */
export function signInRoute(router: Router, { publicUrl, ...dependencies }: SignInDependencies): void {
  const byForm: Middleware = async (ctx, next) => {
    const fields = await smallForm(ctx)
    const within = `/forms/${encodeURIComponent(ctx.params.tenantKey)}/`
    const to = pageIn(fields.get('to') ?? '', within, publicUrl)
    const token = fields.get('token') ?? ''
    ctx.state.postedToken = token
    await next()
    if (token.length > maxTokenLength) {
      throw badRequest('token', `The token is longer than the ${maxTokenLength} characters that browsers keep.`)
    }
    ctx.cookies.secure = publicUrl.startsWith('https:')
    ctx.cookies.set(cookie, token, { path: within, httpOnly: true, sameSite: 'lax', secure: ctx.cookies.secure })
    ctx.status = 303
    ctx.redirect(to)
  }
  const authenticated = authenticate(dependencies, access, ctx => ctx.state.postedToken)
  serve(router, pages.signIn, pageProblems, strangers, byForm, authenticated, ofTenant, rateLimit())
}

/** The path that a text names. @throws Problem 400 where it is not below `pages`: another site could make its own look like them. */
function pageIn(text: string, pages: string, publicUrl: string): string {
  const named = new URL(URL.canParse(text, publicUrl) ? text : '/', publicUrl)
  if (named.origin === new URL(publicUrl).origin && named.pathname.startsWith(pages)) {
    return named.pathname + named.search + named.hash
  }
  throw badRequest('to', `The field 'to' must be a page below ${pages}.`)
}

/** The token with which a person's browser was signed in; undefined where it was not. */
export const signedInToken = (ctx: Context): string | undefined => ctx.headers.cookie && ctx.cookies.get(cookie)

/**
 * The token in the header, else in the cookie. The cookie does not count for what another site's page sends, even where a
 * browser sends it along.
 */
function tokenInRequest(ctx: Context): string | undefined {
  if (ctx.get('authorization')) return bearerToken(ctx.get('authorization'))
  const isOurs = ctx.method === 'GET' || ['', 'same-origin', 'none'].includes(ctx.get('sec-fetch-site'))
  return isOurs ? signedInToken(ctx) : undefined
}

/** Tells people whose token is missing or has expired what to do. */
const strangers: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    const isStranger = error instanceof Problem && error.code === 'forbidden' && ctx.state.caller === undefined
    if (!isStranger || !wantsPage(ctx)) throw error
    showNotice(ctx, 403, { title: 'You are not signed in', text: whatToDo(ctx) })
  }
}

/** A browser keeps the fields that it has posted, and posts them again when the page is reloaded. */
const whatToDo = ({ method, params }: Context): string =>
  method === 'POST' && params.instanceGuid
    ? 'Nothing was saved yet, and nothing is lost as long as you leave this page open.\n\n' +
      '1. Open a form from your application again, in another window.\n' +
      '2. Load this page again. Your browser asks whether to send what you have filled in once more.'
    : 'Signing in counts for a limited time. Open the form from your application again.'

const ofTenant: Middleware = (ctx, next) => {
  if (ctx.params.tenantKey === ctx.state.caller.tenantKey) return next()
  throw notFound('There is no such page.')
}
