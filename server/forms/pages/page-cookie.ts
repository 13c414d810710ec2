// The cookie with which browsers are signed in to the pages of a tenant's forms, and the pages that a sign-in may lead to.
import type { Context } from 'koa'
import { badRequest } from '../../../runtime/problems/problem.js'

const cookie = 'armature-forms'

/** The path of a tenant's pages, below the public address. */
export const pagesOf = (tenantKey: string): string => `/forms/${encodeURIComponent(tenantKey)}/`

/**
 * Keeps a token in the cookie. Scripts cannot read it, and forms of other sites neither set nor send it.
 * @param publicUrl address of the platform for browsers. If it is https, the cookie is sent over https only.
 * @param seconds how long browsers keep it; if undefined, until they are closed.
 */
export function setToken(ctx: Context, tenantKey: string, token: string, publicUrl: string, seconds?: number): void {
  ctx.cookies.secure = publicUrl.startsWith('https:')
  ctx.cookies.set(cookie, token, {
    path: ctx.state.basePath + pagesOf(tenantKey),
    httpOnly: true,
    sameSite: 'lax',
    secure: ctx.cookies.secure,
    ...(seconds === undefined ? {} : { maxAge: seconds * 1_000 }),
  })
}

/** Has the browser forget the token for the pages of a tenant. */
export const forgetToken = (ctx: Context, tenantKey: string): void => {
  ctx.cookies.set(cookie, null, { path: ctx.state.basePath + pagesOf(tenantKey) })
}

/** Returns the token in the cookie. Undefined if the browser is not signed in. */
export const signedInToken = (ctx: Context): string | undefined => ctx.headers.cookie && ctx.cookies.get(cookie)

/**
 * Returns the path of the page to go to after the sign-in. It may be named by its whole address, or by a path such as a
 * `viewLink`, which is below the public address.
 * @throws Problem 400 if it is no page of the tenant, so that nobody can use the sign-in to redirect to another site.
 */
export function pageIn(ctx: Context, tenantKey: string, text: string, publicUrl: string): string {
  const within = pagesOf(tenantKey)
  const { basePath } = ctx.state
  const named = new URL(URL.canParse(text, publicUrl) ? text : '/', publicUrl)
  const path = [named.pathname, basePath + named.pathname].find(each => each.startsWith(basePath + within))
  if (named.origin === new URL(publicUrl).origin && path !== undefined) return path + named.search + named.hash
  throw badRequest('to', `The field 'to' must be a page below ${within}.`)
}
