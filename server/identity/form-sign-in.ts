// Signs people in to the pages of forms: gives the browser a token for them, in their cookie, and leads it to the page.
import type { Context, Middleware } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Account, AccountFinder } from '../../db/identity/accounts.js'
import { consoleClient } from '../../runtime/secrets/actors.js'
import { allowedBy } from '../../runtime/secrets/roles.js'
import type { Scope } from '../../runtime/secrets/scopes.js'
import { forgetToken, pageIn, pagesOf, setToken } from '../forms/pages/page-cookie.js'
import { tokenLife } from './client-credentials.js'
import { showPage } from './pages.js'
import { personTokens } from './person-tokens.js'
import type { SignedInPerson } from './signed-in-person.js'

interface FormSignInOptions {
  provider: Provider
  person: SignedInPerson
  publicUrl: string
  audience: string
}

/** The path of the page below the identity service. The page to go on to is in `state`. */
export const formSignInPath = '/forms'

const scope: Scope = 'FormsApi'

export const formSignIn =
  ({ provider, person, publicUrl, audience }: FormSignInOptions): Middleware =>
  async ctx => {
    const found = await person(ctx)
    if (!found) return
    const { account } = found
    const to = String(ctx.query.state ?? '')
    const refusal = refusalOf(account, URL.parse(to, publicUrl)?.pathname ?? '', ctx)
    if (refusal !== undefined)
      return showPage(ctx, 403, 'notice', { title: 'This form cannot be opened', text: refusal })
    const page = pageIn(ctx, account.tenantKey, to, publicUrl)
    const client = await provider.Client.find(consoleClient)
    if (!client) throw new Error('The identity service does not know the console.')
    const token = new provider.AccessToken({ accountId: account.id, client, scope, grantId: '', gty: 'session' })
    token.resourceServer = new provider.ResourceServer(publicUrl, personTokens(audience))
    setToken(ctx, account.tenantKey, await token.save(), publicUrl, tokenLife)
    ctx.status = 303
    ctx.redirect(page)
  }

/** Signs whoever has just signed out out of the pages of forms, too: nobody acts there in the name of who used the browser before. */
export async function formSignOut(ctx: Context, accounts: AccountFinder): Promise<void> {
  const { session }: Partial<KoaContextWithOIDC['oidc']> = ctx.oidc ?? {}
  if (!session || !('destroyed' in session) || session.accountId === undefined) return
  const account = await accounts.byId(session.accountId)
  if (account) forgetToken(ctx, account.tenantKey)
}

function refusalOf({ tenantKey, email, roles }: Account, path: string, { state: { basePath } }: Context) {
  const isOther = path.startsWith(`${basePath}/forms/`) && !path.startsWith(basePath + pagesOf(tenantKey))
  if (isOther)
    return `You are signed in as ${email} in the tenant ${tenantKey}, and the form belongs to another. Sign out in the console, and open the form again.`
  return allowedBy(tenantKey, roles).scopes.includes(scope)
    ? undefined
    : 'Your roles do not let you into forms. Ask whoever looks after your tenant.'
}
