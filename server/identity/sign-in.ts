// The page on which people sign in, and its check of the password.
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
import { isFromOurPages, showPage } from './pages.js'
import { asPerson } from './person-action.js'
import { type SecretCheck, SecretNotChecked } from './secret-check.js'

export interface SignInOptions extends Pick<SignInStores, 'accounts' | 'recordSignIn' | 'wrongPasswords'> {
  /** Path of the page for those who forgot their password, below the public address; null if there is none. */
  forgotPath: string | null
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

/**
 * Creates the page at `/sign-in/:uid`. The library leads a browser here with a cookie that belongs to this sign-in alone, and takes it up
 * again once the person is known.
 */
export function signInPage(
  provider: Provider,
  { log, recordSignIn, forgotPath, ...options }: SignInOptions,
): Middleware {
  const accountOf = passwordAccount(options)
  return async ctx => {
    try {
      const interaction = await provider.interactionDetails(ctx.req, ctx.res)
      if (ctx.path !== `/sign-in/${interaction.uid}`) throw new errors.SessionNotFound('another sign-in')
      if (ctx.method !== 'POST') return showPage(ctx, 200, 'signIn', { title, tenant: '', email: '', forgotPath })
      if (!isFromOurPages(ctx)) throw badRequest('malformed-request', 'The form was sent from another site.')
      const fields = await smallForm(ctx)
      const [tenant = '', email = '', password = ''] = ['tenant', 'email', 'password'].map(name => fields.get(name))
      const found = await accountOf(ctx, tenant.trim(), email, password)
      if (typeof found === 'string') {
        // What was typed is not logged: it may be a password in the wrong field.
        log.info({ reason: found }, 'nobody signed in')
        return showPage(ctx, 400, 'signIn', { title, tenant, email, forgotPath, refusal: found })
      }
      log.info({ tenantKey: found.tenantKey, accountId: found.id }, 'signed in')
      await asPerson(ctx, found, 'signIn', () => recordSignIn(found))
      const login = { accountId: found.id, amr: ['pwd'] }
      ctx.status = 303
      return ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, { login }))
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error
      const text = 'This sign-in has ended, or was begun in another window. Begin again.'
      return showPage(ctx, 400, 'notice', { title: 'Not signed in', text })
    }
  }
}

/**
 * Creates the check of a password.
 * @returns the account, or why nobody is signed in. It is the same for whatever is wrong, and takes as long, so that nobody learns who
 *   has an account.
 */
const passwordAccount =
  ({
    accounts,
    checkPassword,
    secretHashCost,
    wrongPasswords,
  }: Omit<SignInOptions, 'log' | 'recordSignIn' | 'forgotPath'>) =>
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
      const isRight = await checkPassword({ address: addressOf(ctx), clientId: who, secret, hash })
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
