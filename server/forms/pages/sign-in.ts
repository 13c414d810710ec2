// Signs in users' browsers by token and cookie.
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import type { FormSettings } from '../../../db/forms/settings.js'
import { badRequest, notFound, Problem } from '../../../runtime/problems/problem.js'
import { type Access, type Authenticator, authenticate, bearerToken } from '../../middleware/authenticate.js'
import { requirePermission } from '../../middleware/permission.js'
import { rateLimit } from '../../middleware/rate-limit.js'
import { smallForm } from '../../middleware/small-form.js'
import { serve } from '../../operation.js'
import { pages } from './page-declarations.js'
import { pageProblems, showNotice, wantsPage } from './page-problems.js'
import { refuseForeignToken } from './posted-token.js'

const cookie = 'armature-forms'

/** Longest token, in characters. Browsers silently drop cookies of more than 4096 bytes (RFC 6265, 6.1). */
const maxTokenLength = 4_000

export interface SignInDependencies extends Authenticator {
  /** Address of the platform for browsers. If it is https, the cookie is sent over https only. */
  publicUrl: string
}

const access: Access = { scopes: ['FormsApi'], unauthenticated: 403 }

/** Creates the middleware that authenticates browsers by the cookie of the sign-in, or by a token in a header. */
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
 * Registers the route that signs a user in: a tenant's application posts the user's token and the target page. The token is kept
 * in a cookie until it expires. Scripts cannot read the cookie, forms of other sites neither set nor send it, and it appears in no URL.
 * @param settingsOf reads the settings of a tenant for its forms.
 */
export function signInRoute(
  router: Router,
  { publicUrl, ...dependencies }: SignInDependencies,
  settingsOf: (tenantKey: string) => Promise<FormSettings>,
): void {
  const byForm: Middleware = async (ctx, next) => {
    const fields = await smallForm(ctx)
    const within = `/forms/${encodeURIComponent(ctx.params.tenantKey)}/`
    const { basePath } = ctx.state
    const to = pageIn(fields.get('to') ?? '', { basePath, within, publicUrl })
    const token = fields.get('token') ?? ''
    ctx.state.postedToken = token
    await next()
    if (token.length > maxTokenLength) {
      throw badRequest('token', `The token is longer than the ${maxTokenLength} characters that browsers keep.`)
    }
    ctx.cookies.secure = publicUrl.startsWith('https:')
    ctx.cookies.set(cookie, token, {
      path: basePath + within,
      httpOnly: true,
      sameSite: 'lax',
      secure: ctx.cookies.secure,
    })
    ctx.status = 303
    ctx.redirect(to)
  }
  const authenticated = authenticate(dependencies, access, ctx => ctx.state.postedToken)
  const ofApplication: Middleware = async (ctx, next) => {
    refuseForeignToken(ctx, await settingsOf(ctx.state.caller.tenantKey))
    await next()
  }
  serve(router, pages.signIn, pageProblems, strangers, byForm, authenticated, ofTenant, rateLimit(), ofApplication)
}

/**
 * Returns the path of the page to go to after the sign-in. It may be named by its whole address, or by a path such as a
 * `viewLink`, which is below the public address.
 * @throws Problem 400 if it is not below `within`, so that nobody can use the sign-in to redirect to another site.
 */
function pageIn(
  text: string,
  { basePath, within, publicUrl }: { basePath: string; within: string; publicUrl: string },
): string {
  const named = new URL(URL.canParse(text, publicUrl) ? text : '/', publicUrl)
  const path = [named.pathname, basePath + named.pathname].find(each => each.startsWith(basePath + within))
  if (named.origin === new URL(publicUrl).origin && path !== undefined) return path + named.search + named.hash
  throw badRequest('to', `The field 'to' must be a page below ${within}.`)
}

/** Returns the token in the sign-in cookie. Undefined if the browser is not signed in. */
export const signedInToken = (ctx: Context): string | undefined => ctx.headers.cookie && ctx.cookies.get(cookie)

/**
 * Returns the token in the header, or else in the cookie. For requests that change something, the cookie counts only if they
 * come from our own pages: some browsers send it along with requests of other sites too.
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

/** Explains how to sign in again. After a POST the input is not lost, because browsers send the fields again on a reload. */
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
