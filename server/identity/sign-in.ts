// The page on which people sign in, with a password or with another issuer.
import type { Context, Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import { errors } from 'oidc-provider'
import { type Account, storedEmail } from '../../db/identity/accounts.js'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'
import type { Log } from '../../runtime/observe/log.js'
import { badRequest } from '../../runtime/problems/problem.js'
import { passwordRounds, unmatchableHash } from '../../runtime/secrets/secrets.js'
import { addressOf } from '../middleware/rate-limit.js'
import { smallForm } from '../middleware/small-form.js'
import { isFromOurPages, protectPage, showPage } from './pages.js'
import { asPerson } from './person-action.js'
import { type SecretCheck, SecretNotChecked } from './secret-check.js'
import type { Upstream, UpstreamPerson } from './upstream.js'

type Stores = Pick<SignInStores, 'accounts' | 'bindUpstream' | 'recordSignIn' | 'wrongPasswords'>

export interface SignInOptions extends Stores {
  /** Path of the page for those who forgot their password, below the public address; null if there is none. */
  forgotPath: string | null
  /** The other issuer, if there is one. */
  upstream: Upstream | undefined
  checkPassword: SecretCheck
  secretHashCost: number
  log: Log
}

/** Longest password that is compared, in characters. */
const maxLength = 1_000

/**
 * How many wrong passwords of an account are compared in a quarter of an hour. A password takes more than 10^8 guesses, see passwords.ts:
 * at a thousand a day, longer than anybody waits.
 */
const maxWrong = 10

const title = 'Sign in'
const locked =
  'Too many wrong passwords for this account. Wait a quarter of an hour, or choose another password by a link: that unlocks it at once.'
const wrong = 'The tenant, the e-mail address or the password is wrong.'

/** The paths of the page, and of what the other issuer's answer is taken up by. */
const paths = /^\/sign-in\/([\w-]+)(\/back)?$/
export const isSignInPath = (path: string): boolean => paths.test(path)

/**
 * Creates the page at `/sign-in/:uid`. The library leads a browser here with a cookie that belongs to this sign-in alone, and takes it up
 * again once the person is known.
 */
export function signInPage(provider: Provider, options: SignInOptions): Middleware {
  const { log, recordSignIn, forgotPath, upstream } = options
  const byPassword = passwordAccount(options)

  async function show(ctx: Context, status: number, page: { tenant?: string; email?: string; refusal?: string }) {
    const origin = await upstream?.origin()
    if (origin) protectPage(ctx, origin)
    const issuer = origin && upstream ? upstream.name : null
    showPage(ctx, status, 'signIn', { title, tenant: '', email: '', forgotPath, issuer, ...page })
  }

  /** Signs in whom it has found, or shows the page again, which says why nobody is signed in. */
  async function go(ctx: Context, found: Account | string, method: string, typed: { tenant?: string; email?: string }) {
    if (typeof found === 'string') {
      // What was typed is not logged: it may be a password in the wrong field.
      log.info({ method, reason: found }, 'nobody signed in')
      return show(ctx, 400, { ...typed, refusal: found })
    }
    log.info({ method, tenantKey: found.tenantKey, accountId: found.id }, 'signed in')
    await asPerson(ctx, found, 'signIn', () => recordSignIn(found))
    const login = { accountId: found.id, amr: [method] }
    ctx.status = 303
    return ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login }))
  }

  async function takeUp(ctx: Context, uid: string) {
    const answer = new URLSearchParams(ctx.querystring)
    const person = await upstream?.finish(uid, answer).catch((err: unknown) => {
      log.warn({ err }, 'the issuer of people has signed nobody in')
      return undefined
    })
    const refusal = `${upstream?.name} has not signed you in. Try again.`
    return go(ctx, person ? await upstreamAccount(options, person) : refusal, 'upstream', {})
  }

  return async ctx => {
    try {
      const { uid } = await provider.interactionDetails(ctx.req, ctx.res)
      const [, asked, isBack] = paths.exec(ctx.path) ?? []
      if (asked !== uid) throw new errors.SessionNotFound('another sign-in')
      if (isBack) return await takeUp(ctx, uid)
      if (ctx.method !== 'POST') return await show(ctx, 200, {})
      if (!isFromOurPages(ctx)) throw badRequest('malformed-request', 'The form was sent from another site.')
      const fields = await smallForm(ctx)
      const [tenant = '', email = '', password = ''] = ['tenant', 'email', 'password'].map(name => fields.get(name))
      if (fields.has('issuer') && upstream) {
        if (tenant.trim() === '') return await show(ctx, 400, { email, refusal: 'Name your tenant first.' })
        const address = await upstream.begin(uid, tenant.trim())
        ctx.status = 303
        return ctx.redirect(address)
      }
      return await go(ctx, await byPassword(ctx, tenant.trim(), email, password), 'pwd', { tenant, email })
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error
      const text = 'This sign-in has ended, or was begun in another window. Begin again.'
      return showPage(ctx, 400, 'notice', { title: 'Not signed in', text })
    }
  }
}

/** Leads a browser that comes back from the other issuer to its own sign-in, where its cookie is. */
export const upstreamReturn =
  (upstream: Upstream): Middleware =>
  async ctx => {
    const answer = new URLSearchParams(ctx.querystring)
    const uid = await upstream.interactionOf(answer)
    if (uid === undefined) {
      const text = 'This sign-in has ended. Begin again.'
      return showPage(ctx, 400, 'notice', { title: 'Not signed in', text })
    }
    ctx.status = 303
    return ctx.redirect(`${ctx.state.basePath}/identity/sign-in/${uid}/back?${answer}`)
  }

/**
 * Finds the account of a person whom the other issuer has named. The first time it is the one with the verified e-mail address, and from
 * then on the one of that person, whatever address the issuer names.
 */
async function upstreamAccount(
  { accounts, bindUpstream }: Stores,
  { tenantKey, subject, email }: UpstreamPerson,
): Promise<Account | string> {
  const none = 'You have no account in this tenant. Ask whoever looks after it.'
  const bound = await accounts.byUpstream(tenantKey, subject)
  if (bound) return bound.disabled ? none : bound
  const account = email === undefined ? undefined : await accounts.byEmail(tenantKey, email)
  if (!account || account.disabled || !(await bindUpstream(account, subject))) return none
  return account
}

/**
 * Creates the check of a password.
 * @returns the account, or why nobody is signed in. It is the same for whatever is wrong, and takes as long, so that nobody learns who
 *   has an account.
 */
const passwordAccount =
  ({ accounts, checkPassword, secretHashCost, wrongPasswords }: SignInOptions) =>
  async (ctx: Context, tenantKey: string, email: string, password: string): Promise<Account | string> => {
    if (tenantKey.length > 255 || email.length > 255) return wrong
    const counted = [tenantKey, storedEmail(email)] as const
    if ((await wrongPasswords.count(...counted)) >= maxWrong) return locked
    const account = await accounts.byEmail(tenantKey, email)
    const known = account?.disabled ? undefined : account
    const hash = known?.passwordHash ?? unmatchableHash(secretHashCost, passwordRounds)
    const who = `account/${counted.join('/')}`
    try {
      const secret = password.slice(0, maxLength).normalize('NFC')
      const isRight = await checkPassword({ address: addressOf(ctx), clientId: who, secret, hashes: [hash] })
      if (isRight && known) {
        await wrongPasswords.clear(...counted)
        return known
      }
      await wrongPasswords.add(...counted)
      return wrong
    } catch (error) {
      if (!(error instanceof SecretNotChecked)) throw error
      ctx.set('Retry-After', String(error.retryAfterSeconds))
      return error.reason === 'busy'
        ? 'Too many people are signing in. Try again in a moment.'
        : `Too many wrong passwords for this account, or from here. Try again in ${error.retryAfterSeconds} s.`
    }
  }
