// The page on which people sign in: with a password and a second factor, with a passkey, or with another issuer.
import type { Context, Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Account } from '../../db/identity/accounts.js'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'
import type { Log } from '../../runtime/observe/log.js'
import { limitSignIns } from '../middleware/rate-limit.js'
import { smallForm } from '../middleware/small-form.js'
import type { ComparePassword } from './compare-password.js'
import type { LockOut } from './lock-out.js'
import { protectPage, requireOwnForm, showPage } from './pages.js'
import { asPerson } from './person-action.js'
import type { SecondStep } from './second-step.js'
import { versionOf } from './signed-in-person.js'
import type { Upstream, UpstreamPerson } from './upstream.js'

type Stores = Pick<SignInStores, 'accounts' | 'bindUpstream' | 'recordSignIn'>

export interface SignInOptions extends Stores {
  /** Path of the page for those who forgot their password, below the public address; null if there is none. */
  forgotPath: string | null
  /** The other issuer, if there is one. */
  upstream: Upstream | undefined
  comparePassword: ComparePassword
  lockOut: LockOut
  second: SecondStep
  log: Log
}

const title = 'Sign in'
/** The paths of the page, and of what the other issuer's answer is taken up by. */
const paths = /^\/sign-in\/([\w-]+)(\/back)?$/
export const isSignInPath = (path: string): boolean => paths.test(path)

/** What a person has typed, besides the password. */
interface Typed {
  tenant?: string
  email?: string
}

/**
 * Creates the page at `/sign-in/:uid`. The library leads a browser here with a cookie that belongs to this sign-in alone, and takes it up
 * again once the person is known.
 */
export function signInPage(provider: Provider, options: SignInOptions): Middleware {
  const { comparePassword, log, lockOut, recordSignIn, forgotPath, second, upstream } = options

  async function show(ctx: Context, uid: string, status: number, page: Typed & { refusal?: string }) {
    const origin = await upstream?.origin()
    if (origin) protectPage(ctx, origin)
    const issuer = origin && upstream ? upstream.name : null
    const passkey = second.request(uid)
    showPage(ctx, status, 'signIn', { title, tenant: '', email: '', forgotPath, issuer, passkey, ...page })
  }

  /** Signs in whom it has found, or shows the page again, which says why nobody is signed in. */
  async function go(ctx: Context, uid: string, found: Account | string, methods: string[], typed: Typed = {}) {
    if (typeof found === 'string') {
      // What was typed is not logged: it may be a password in the wrong field.
      log.info({ methods, reason: found }, 'nobody signed in')
      return show(ctx, uid, 400, { ...typed, refusal: found })
    }
    log.info({ methods, tenantKey: found.tenantKey, accountId: found.id }, 'signed in')
    await lockOut.forget(ctx, found)
    await asPerson(ctx, found, 'signIn', () => recordSignIn(found))
    await second.end(uid)
    const login = { accountId: found.id, amr: methods, acr: versionOf(found) }
    ctx.status = 303
    return ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login }))
  }

  async function takePassword(ctx: Context, uid: string, fields: ReadonlyMap<string, string>) {
    const [tenant = '', email = '', password = ''] = ['tenant', 'email', 'password'].map(name => fields.get(name))
    const found = await comparePassword(ctx, { tenantKey: tenant.trim(), email }, password)
    if (typeof found !== 'string' && (await second.begin(ctx, uid, found))) return undefined
    return go(ctx, uid, found, ['pwd'], { tenant, email })
  }

  async function takePasskey(ctx: Context, uid: string, passkey: string) {
    const found = await second.byPasskey(ctx, uid, passkey)
    return go(ctx, uid, found ?? 'The passkey was not accepted. Sign in with your password.', ['pop', 'user'])
  }

  async function begin(ctx: Context, uid: string, to: Upstream, fields: ReadonlyMap<string, string>) {
    const [tenant = '', email = ''] = ['tenant', 'email'].map(name => fields.get(name))
    if (tenant.trim() === '') return show(ctx, uid, 400, { email, refusal: 'Name your tenant first.' })
    await limitSignIns(ctx)
    const address = await to.begin(uid, tenant.trim())
    ctx.status = 303
    return ctx.redirect(address)
  }

  async function takeUp(ctx: Context, uid: string, from: Upstream) {
    const answer = new URLSearchParams(ctx.querystring)
    const person = await from.finish(uid, answer).catch((err: unknown) => {
      log.warn({ err }, 'the issuer of people has signed nobody in')
      return undefined
    })
    const refusal = `${from.name} has not signed you in. Try again.`
    return go(ctx, uid, person ? await upstreamAccount(options, person) : refusal, ['upstream'])
  }

  return async ctx => {
    try {
      const { uid } = await provider.interactionDetails(ctx.req, ctx.res)
      const [, asked, isBack] = paths.exec(ctx.path) ?? []
      if (asked !== uid) throw new errors.SessionNotFound('another sign-in')
      if (isBack && upstream) return await takeUp(ctx, uid, upstream)
      const step = await second.under(uid)
      if (ctx.method !== 'POST') {
        if (step && !step.isProven) return await second.show(ctx, uid, step.account)
        // What is typed from now on counts, not who has set up a factor here before.
        await second.end(uid)
        return await show(ctx, uid, 200, {})
      }
      requireOwnForm(ctx)
      const fields = await smallForm(ctx)
      if (fields.has('restart')) {
        await second.end(uid)
        return await show(ctx, uid, 200, {})
      }
      if (step) {
        const isProven = step.isProven || (await second.take(ctx, uid, step.account, fields))
        return isProven ? await go(ctx, uid, step.account, ['pwd', 'mfa']) : undefined
      }
      const passkey = fields.get('passkey')
      if (passkey) return await takePasskey(ctx, uid, passkey)
      return await (fields.has('issuer') && upstream
        ? begin(ctx, uid, upstream, fields)
        : takePassword(ctx, uid, fields))
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
