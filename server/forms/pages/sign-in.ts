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
import { pageIn, setToken, signedInToken } from './page-cookie.js'
import { pages } from './page-declarations.js'
import { pageProblems, showNotice, wantsPage } from './page-problems.js'
import { refuseForeignToken } from './posted-token.js'

/** Longest token, in characters. Browsers silently drop cookies of more than 4096 bytes (RFC 6265, 6.1). */
const maxTokenLength = 4_000

export interface SignInDependencies extends Authenticator {
  /** Address of the platform for browsers. */
  publicUrl: string
  /** Whether people have accounts here, with which they sign in to pages. */
  hasPeople: boolean
}

const access: Access = { scopes: ['FormsApi'], unauthenticated: 403 }

/** Creates the middleware that authenticates browsers by the cookie of the sign-in, or by a token in a header. */
export const signedIn = (
  { hasPeople, ...dependencies }: Authenticator & Pick<SignInDependencies, 'hasPeople'>,
  permission: readonly string[],
): Middleware =>
  compose([
    pageProblems,
    strangers(hasPeople),
    authenticate(dependencies, access, tokenInRequest),
    ofTenant,
    rateLimit(),
    requirePermission(permission),
  ])

/**
 * Registers the route that signs a user in: a tenant's application posts the user's token and the target page. The token is kept
 * in a cookie until it expires, and appears in no URL.
 * @param settingsOf reads the settings of a tenant for its forms.
 */
export function signInRoute(
  router: Router,
  { publicUrl, hasPeople, ...dependencies }: SignInDependencies,
  settingsOf: (tenantKey: string) => Promise<FormSettings>,
): void {
  const byForm: Middleware = async (ctx, next) => {
    const fields = await smallForm(ctx)
    const { tenantKey } = ctx.params
    const to = pageIn(ctx, tenantKey, fields.get('to') ?? '', publicUrl)
    const token = fields.get('token') ?? ''
    ctx.state.postedToken = token
    await next()
    if (token.length > maxTokenLength) {
      throw badRequest('token', `The token is longer than the ${maxTokenLength} characters that browsers keep.`)
    }
    setToken(ctx, tenantKey, token, publicUrl)
    ctx.status = 303
    ctx.redirect(to)
  }
  const authenticated = authenticate(dependencies, access, ctx => ctx.state.postedToken)
  const ofApplication: Middleware = async (ctx, next) => {
    refuseForeignToken(ctx, await settingsOf(ctx.state.caller.tenantKey))
    await next()
  }
  serve(
    router,
    pages.signIn,
    pageProblems,
    strangers(hasPeople),
    byForm,
    authenticated,
    ofTenant,
    rateLimit(),
    ofApplication,
  )
}

/**
 * Returns the token in the header, or else in the cookie. For requests that change something, the cookie counts only if they
 * come from our own pages: some browsers send it along with requests of other sites too.
 */
function tokenInRequest(ctx: Context): string | undefined {
  if (ctx.get('authorization')) return bearerToken(ctx.get('authorization'))
  const isOurs = ctx.method === 'GET' || ['', 'same-origin', 'none'].includes(ctx.get('sec-fetch-site'))
  return isOurs ? signedInToken(ctx) : undefined
}

/**
 * Tells people whose token is missing or has expired what to do. Whoever opens a page without any is led to sign in, if people have accounts
 * here: the users of an application have a cookie, which outlasts its token.
 */
const strangers =
  (hasPeople: boolean): Middleware =>
  async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const isStranger = error instanceof Problem && error.code === 'forbidden' && ctx.state.caller === undefined
      if (!isStranger || !wantsPage(ctx)) throw error
      const signIn = hasPeople && ctx.method === 'GET' ? signInAddress(ctx) : undefined
      // The sign-in cannot be shown in a frame.
      const isWhole = ['', 'document'].includes(ctx.get('sec-fetch-dest'))
      if (signIn && isWhole && !signedInToken(ctx)) {
        ctx.status = 303
        return ctx.redirect(signIn)
      }
      const links = signIn ? [{ href: signIn, label: 'Sign in with your account' }] : []
      showNotice(ctx, 403, { title: 'You are not signed in', text: whatToDo(ctx), links })
    }
  }

/** Returns where people sign in, and are led back to the page from. */
const signInAddress = ({ state: { basePath }, url }: Context): string =>
  `${basePath}/identity/forms?${new URLSearchParams({ state: basePath + url })}`

/** Explains how to sign in again. After a POST the input is not lost, because browsers send the fields again on a reload. */
const whatToDo = ({ method, params }: Context): string =>
  method === 'POST' && params.instanceGuid
    ? 'Nothing was saved yet, and nothing is lost as long as you leave this page open.\n\n' +
      '1. Open a form again in another window, from your application or by its address, and sign in there.\n' +
      '2. Load this page again. Your browser asks whether to send what you have filled in once more.'
    : 'Signing in counts for a limited time. Open the form from your application again.'

const ofTenant: Middleware = (ctx, next) => {
  if (ctx.params.tenantKey === ctx.state.caller.tenantKey) return next()
  throw notFound('There is no such page.')
}
