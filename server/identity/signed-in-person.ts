// Finds out who is signed in at our own pages, and leads others through the sign-in and back.
import type { Context } from 'koa'
import type { ClientMetadata, Provider } from 'oidc-provider'
import type { Account, AccountFinder } from '../../db/identity/accounts.js'
import { pagesClient } from '../../runtime/secrets/actors.js'

/** The cookie that holds a person's session. */
export const sessionCookie = 'armature-session'

export type Session = InstanceType<Provider['Session']>

/**
 * Returns the version of an account as its sessions have it since the sign-in. The library has a member for a class of sign-ins (`acr`),
 * which has no other use here. A session of another version was ended, and stored again by a request that was under way.
 */
export const versionOf = ({ tokenVersion }: Pick<Account, 'tokenVersion'>): string => String(tokenVersion)

/** Lets a session go on with a new version of its account. */
export async function keepSession(session: Session, tokenVersion: number): Promise<void> {
  session.acr = versionOf({ tokenVersion })
  await session.persist()
}

/** Returns the client of our own pages. It is given no tokens: to be led back says that somebody is signed in. @param paths where browsers are led back to, below the identity service. */
export const pagesClientOf = (publicUrl: string, paths: readonly string[]): ClientMetadata => ({
  client_id: pagesClient,
  client_name: 'Pages',
  token_endpoint_auth_method: 'none',
  grant_types: [],
  response_types: ['none'],
  redirect_uris: paths.map(path => `${publicUrl}/identity${path}`),
})

/**
 * Returns the person who is signed in. Somebody who is not, or who has signed in longer ago, is led to the sign-in and back, and the answer
 * is undefined.
 * @param maxAge how long ago the person may have signed in, in seconds; by default as long as the session lasts.
 */
export type SignedInPerson = (
  ctx: Context,
  maxAge?: number,
) => Promise<{ account: Account; session: Session } | undefined>

export const signedInPerson =
  (provider: Provider, accounts: AccountFinder, publicUrl: string): SignedInPerson =>
  async (ctx, maxAge) => {
    const session = await provider.Session.find(ctx.cookies.get(sessionCookie) ?? '')
    const account = session?.accountId === undefined ? undefined : await accounts.byId(session.accountId)
    const isOld = maxAge !== undefined && session?.past(maxAge)
    const isCurrent = account && !account.disabled && session?.acr === versionOf(account)
    if (session && isCurrent && !isOld) return { account, session }
    const parameters = new URLSearchParams({
      client_id: pagesClient,
      response_type: 'none',
      scope: 'openid',
      redirect_uri: `${publicUrl}/identity${ctx.path}`,
      ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
      ...(typeof ctx.query.state === 'string' ? { state: ctx.query.state } : {}),
    })
    ctx.status = 303
    ctx.redirect(`${ctx.state.basePath}/identity/auth?${parameters}`)
    return undefined
  }
