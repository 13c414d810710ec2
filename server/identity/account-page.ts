// The page of a person's own account: the password, and the second factors.
import type { Context, Middleware } from 'koa'
import type { Account } from '../../db/identity/accounts.js'
import type { Factor } from '../../db/identity/second-factors.js'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'
import type { Log } from '../../runtime/observe/log.js'
import { badRequest } from '../../runtime/problems/problem.js'
import type { SecretHasher } from '../../runtime/secrets/secrets.js'
import { smallForm } from '../middleware/small-form.js'
import type { ComparePassword } from './compare-password.js'
import type { FactorSetup } from './factor-setup.js'
import { newRecoveryCodes } from './factors.js'
import { requireOwnForm, showPage } from './pages.js'
import { minPasswordLength, newPasswordFault, storedPassword } from './passwords.js'
import { asPerson } from './person-action.js'
import { keepSession, type Session, type SignedInPerson } from './signed-in-person.js'

interface AccountPageOptions extends Pick<SignInStores, 'changePassword' | 'secondFactors'> {
  comparePassword: ComparePassword
  passwords: SecretHasher
  setup: FactorSetup
  person: SignedInPerson
  log: Log
}

export const accountPath = '/account'
export const setupPath = `${accountPath}/second-factor`
export const isAccountPath = (path: string): boolean => path === accountPath || path === setupPath

/** How long ago the person may have signed in to see the page, in seconds. To press a button on it takes a while longer. */
const freshSeconds = 900
const patienceSeconds = 1_800

/** What was done, as the address says it after a redirect. */
const done = new Map([
  ['password', 'Your password is changed. Everywhere else you are signed out; the console asks you to sign in again.'],
  ['factor', 'The second factor is set up. From now on you are asked for it.'],
  [
    'removed',
    'The second factor is removed. Everywhere else you are signed out; the console asks you to sign in again.',
  ],
])

interface Request {
  ctx: Context
  account: Account
  session: Session
  fields: ReadonlyMap<string, string>
}

/** Creates the page, for people who have signed in a short while ago. Others are asked to sign in, and led back. */
export function accountPage(options: AccountPageOptions): Middleware {
  const { changePassword, comparePassword, passwords, person, secondFactors, setup, log } = options

  async function show(ctx: Context, account: Account, refusal?: string): Promise<void> {
    const factors = await secondFactors.of(account)
    showPage(ctx, refusal ? 400 : 200, 'account', {
      title: 'Your account',
      ...account,
      done: refusal ? null : (done.get(String(ctx.query.done)) ?? null),
      hasPassword: account.passwordHash !== undefined,
      minLength: minPasswordLength,
      factors: factors.flatMap(shown),
      recoveryLeft: factors.reduce((sum, { data }) => sum + (data.kind === 'recovery' ? data.hashes.length : 0), 0),
      ...(refusal === undefined ? {} : { refusal }),
    })
  }

  function leadBack(ctx: Context, what: string): void {
    ctx.status = 303
    ctx.redirect(`${ctx.state.basePath}/identity${accountPath}?done=${what}`)
  }

  const actions: Record<string, (request: Request) => Promise<void>> = {
    async password({ ctx, account, session, fields }) {
      const compared = await comparePassword(ctx, account, fields.get('present') ?? '')
      if (typeof compared === 'string')
        return show(ctx, account, 'Your present password is wrong, or was typed wrongly too often.')
      const refusal = newPasswordFault(fields, account)
      if (refusal !== undefined) return show(ctx, account, refusal)
      const hash = await passwords.hash(storedPassword(fields.get('password') ?? ''))
      const version = await asPerson(ctx, account, 'changePassword', () => changePassword(account, hash, session.jti))
      await keepSession(session, version)
      log.info({ tenantKey: account.tenantKey, accountId: account.id }, 'a password was changed')
      return leadBack(ctx, 'password')
    },

    async remove({ ctx, account, session, fields }) {
      const factor = fields.get('factor') ?? ''
      const version = await asPerson(ctx, account, 'removeSecondFactor', () =>
        secondFactors.remove(account, factor, session.jti),
      )
      await keepSession(session, version)
      return leadBack(ctx, 'removed')
    },

    async recovery({ ctx, account }) {
      const { codes, data } = newRecoveryCodes()
      await asPerson(ctx, account, 'replaceRecoveryCodes', () => secondFactors.replaceRecovery(account, data))
      showPage(ctx, 200, 'recoveryCodes', { title: 'Your recovery codes', codes, next: `/identity${accountPath}` })
    },
  }

  async function setUp({ ctx, account, session, fields }: Request): Promise<void> {
    const codes = await setup.finish(ctx, account, session.jti, false, fields)
    if (!codes) return
    if (codes.length === 0) return leadBack(ctx, 'factor')
    const next = `/identity${accountPath}?done=factor`
    showPage(ctx, 200, 'recoveryCodes', { title: 'Your recovery codes', codes, next })
  }

  return async ctx => {
    const isSetup = ctx.path === setupPath
    const isPost = ctx.method === 'POST'
    const found = await person(ctx, isPost ? patienceSeconds : freshSeconds)
    if (!found) return
    const { account, session } = found
    if (!isPost) return isSetup ? setup.show(ctx, account, session.jti, false) : show(ctx, account)
    requireOwnForm(ctx)
    const fields = await smallForm(ctx)
    const act = isSetup ? setUp : actions[fields.get('action') ?? '']
    if (!act) throw badRequest('action', 'There is no such action.')
    return act({ ctx, account, session, fields })
  }
}

const shown = ({ id, data, usedAt }: Factor) => {
  if (data.kind === 'recovery') return []
  const kind = data.kind === 'app' ? 'Authenticator app' : 'Passkey'
  const used = usedAt ? `last used on ${usedAt.toISOString().slice(0, 10)}` : 'not used yet'
  return [{ id, name: data.name, used: data.name === kind ? used : `${kind}, ${used}` }]
}
