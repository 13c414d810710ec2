// Compares the password that somebody has typed with that of an account.
import type { Context } from 'koa'
import { type Account, type AccountFinder, storedEmail } from '../../db/identity/accounts.js'
import { passwordRounds, unmatchableHash } from '../../runtime/secrets/secrets.js'
import { addressOf } from '../middleware/rate-limit.js'
import { type LockOut, lockedText } from './lock-out.js'
import { storedPassword } from './passwords.js'
import { type SecretCheck, SecretNotChecked } from './secret-check.js'

interface Dependencies {
  accounts: AccountFinder
  checkPassword: SecretCheck
  lockOut: LockOut
  secretHashCost: number
}

/**
 * Compares a password with that of an account, which need not exist.
 * @returns the account, or why nobody is signed in. It is the same for whatever is wrong, and takes as long, so that nobody learns who
 *   has an account.
 */
export type ComparePassword = (
  ctx: Context,
  whom: { tenantKey: string; email: string },
  password: string,
) => Promise<Account | string>

/** Longest password that is compared, in characters. */
const maxLength = 1_000

const wrong = 'The tenant, the e-mail address or the password is wrong.'

export const passwordComparison =
  ({ accounts, checkPassword, lockOut, secretHashCost }: Dependencies): ComparePassword =>
  async (ctx, { tenantKey, email: typed }, password) => {
    if (tenantKey.length > 255 || typed.length > 255) return wrong
    const whom = { tenantKey, email: storedEmail(typed) }
    if (await lockOut.isLocked(ctx, whom)) return lockedText
    const account = await accounts.byEmail(tenantKey, typed)
    const known = account?.disabled ? undefined : account
    const hash = known?.passwordHash ?? unmatchableHash(secretHashCost, passwordRounds)
    const who = `account/${tenantKey}/${whom.email}`
    try {
      const secret = storedPassword(password.slice(0, maxLength))
      const isRight = await checkPassword({ address: addressOf(ctx), clientId: who, secret, hashes: [hash] })
      if (isRight && known) return known
      await lockOut.countWrong(ctx, { ...whom, id: known?.id })
      return wrong
    } catch (error) {
      if (!(error instanceof SecretNotChecked)) throw error
      ctx.set('Retry-After', String(error.retryAfterSeconds))
      return error.reason === 'busy'
        ? 'Too many people are signing in. Try again in a moment.'
        : `Too many wrong passwords for this account, or from here. Try again in ${error.retryAfterSeconds} s.`
    }
  }
