// The page of a link, on which a person chooses a password.
import type { Middleware } from 'koa'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'
import type { Log } from '../../runtime/observe/log.js'
import type { SecretHasher } from '../../runtime/secrets/secrets.js'
import { countWrongCredential } from '../middleware/rate-limit.js'
import { smallForm } from '../middleware/small-form.js'
import { requireOwnForm, showPage } from './pages.js'
import { minPasswordLength, newPasswordFault, storedPassword } from './passwords.js'
import { asPerson } from './person-action.js'

interface PasswordPageOptions extends Pick<SignInStores, 'accounts' | 'choosePasswordByLink' | 'links'> {
  passwords: SecretHasher
  log: Log
}

/** The path of the page below the identity service. The link's secret is in the query, which is not logged. */
export const passwordPath = '/password'

const title = 'Choose a password'

/**
 * Creates the page. To open it uses nothing up, because programs that check mails open links too; saving the password does. It ends all
 * sessions of the account, and forgets the wrong passwords of all browsers.
 */
export const passwordPage =
  ({ accounts, choosePasswordByLink, links, passwords, log }: PasswordPageOptions): Middleware =>
  async ctx => {
    const secret = String(ctx.query.link ?? '')
    const id = await links.accountOf(secret)
    const account = id === undefined ? undefined : await accounts.byId(id)
    const over = () => {
      const text = 'The link was used before, or is too old. Ask whoever looks after your tenant for another.'
      showPage(ctx, 400, 'notice', { title: 'This link has ended', text })
    }
    if (!account || account.disabled) {
      await countWrongCredential(ctx)
      return over()
    }
    const page = { title, email: account.email, minLength: minPasswordLength }
    if (ctx.method !== 'POST') return showPage(ctx, 200, 'password', page)
    requireOwnForm(ctx)
    const fields = await smallForm(ctx)
    const refusal = newPasswordFault(fields, account)
    if (refusal !== undefined) return showPage(ctx, 400, 'password', { ...page, refusal })
    const hash = await passwords.hash(storedPassword(fields.get('password') ?? ''))
    if (!(await asPerson(ctx, account, 'choosePassword', () => choosePasswordByLink(account, secret, hash))))
      return over()
    log.info({ tenantKey: account.tenantKey, accountId: account.id }, 'a password was chosen')
    const text = `The password of ${account.email} in the tenant ${account.tenantKey} is saved. Sign in with it.`
    return showPage(ctx, 200, 'notice', { title: 'Your password is saved', text })
  }
