// Locks an account after too many wrong passwords and codes, except in browsers in which its person has signed in before.
import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'
import type { Account } from '../../db/identity/accounts.js'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'

/**
 * How many wrong passwords and codes of an account are compared in a quarter of an hour. A password takes more than 10^8 guesses, see
 * passwords.ts: at a thousand a day, longer than anybody waits. Whoever guesses codes has the password already.
 */
const maxWrong = 10

export const lockedText =
  'Too many wrong passwords or codes for this account. Wait a quarter of an hour, or choose another password by a link: that unlocks it at once.'

/** Names a browser in which a person has signed in. What is wrong there is counted apart, so that strangers do not lock the person out. */
const cookie = 'armature-device'
const cookieLifeMs = 180 * 86_400_000

/** Whom an attempt is about: an account, whether or not there is one. */
type Whom = Pick<Account, 'tenantKey' | 'email'> & { id?: string | undefined }

export type LockOut = ReturnType<typeof lockOut>

export function lockOut({ devices, wrongPasswords: wrong }: Pick<SignInStores, 'devices' | 'wrongPasswords'>) {
  const deviceOf = (ctx: Context, whom: Whom) => devices.open(whom, ctx.cookies.get(cookie) ?? '')
  /** Returns the name under which attempts in this browser count. */
  function counted(ctx: Context, whom: Whom): [string, string] {
    const device = deviceOf(ctx, whom)
    return [whom.tenantKey, device === undefined ? whom.email : `${whom.email}/${device}`]
  }
  const isLocked = async (ctx: Context, whom: Whom) => (await wrong.count(...counted(ctx, whom))) >= maxWrong

  return {
    isLocked,
    countWrong: (ctx: Context, whom: Whom): Promise<void> => wrong.add(...counted(ctx, whom), whom.id),

    /** Counts an attempt before it is made. Returns whether the account is locked, so that it may not be made. */
    async countAttempt(ctx: Context, whom: Whom): Promise<boolean> {
      if (await isLocked(ctx, whom)) return true
      await wrong.add(...counted(ctx, whom), whom.id)
      return (await wrong.count(...counted(ctx, whom))) > maxWrong
    },

    /** Forgets the attempts in the browser of somebody who has signed in, and knows it from then on. */
    async forget(ctx: Context, whom: Whom): Promise<void> {
      await wrong.clear(...counted(ctx, whom))
      ctx.cookies.set(cookie, devices.seal(whom, deviceOf(ctx, whom) ?? randomUUID()), {
        path: `${ctx.state.basePath}/identity`,
        httpOnly: true,
        sameSite: 'lax',
        maxAge: cookieLifeMs,
      })
    },
  }
}
