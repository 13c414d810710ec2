// Configures the identity service for people, who sign in with the authorization code flow.
import type { ClientMetadata, Configuration, Account as KnownAccount, KoaContextWithOIDC } from 'oidc-provider'
import { errors, interactionPolicy } from 'oidc-provider'
import type { Account, AccountFinder } from '../../db/identity/accounts.js'
import { consoleClient, temporalUiClient } from '../../runtime/secrets/actors.js'
import { allowedBy, platformTenant } from '../../runtime/secrets/roles.js'
import { basePathOf } from '../base-path.js'
import { accountPath, setupPath } from './account-page.js'
import { tokenLife } from './client-credentials.js'
import { formSignInPath } from './form-sign-in.js'
import { showPage } from './pages.js'
import { personTokens } from './person-tokens.js'
import { pagesClientOf, sessionCookie, versionOf } from './signed-in-person.js'

/** Where the console takes up a sign-in, below the public address. */
export const consoleRedirect = '/console/signed-in'

/** How long a person stays signed in without doing anything, in seconds: a working day. */
const sessionLife = 12 * 3600
/** How long a sign-in may take, in seconds. */
const interactionLife = 1800
/** How long a code can be exchanged, in seconds, on processes whose clocks differ by a minute. */
const codeLife = 120

/** A person, as the identity service knows one during a request. */
interface SignedIn extends KnownAccount {
  account: Account
}

interface PeopleOptions {
  publicUrl: string
  audience: string
  accounts: AccountFinder
  /** The Temporal UI, if people of the platform sign in to it with us. */
  temporalUi: TemporalUi | undefined
}

export interface TemporalUi {
  url: string
  clientSecret: string
}

/** Returns the part of the library's configuration that is about people. */
export function peopleConfiguration({ publicUrl, audience, accounts, temporalUi }: PeopleOptions): Configuration {
  const basePath = basePathOf(publicUrl)
  return {
    clients: [
      {
        client_id: consoleClient,
        client_name: 'Console',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [publicUrl + consoleRedirect],
        post_logout_redirect_uris: [`${publicUrl}/console/`],
      },
      pagesClientOf(publicUrl, [accountPath, setupPath, formSignInPath]),
      ...(temporalUi ? [temporalUiOf(temporalUi)] : []),
    ],
    responseTypes: ['code', 'none'],
    claims: { openid: ['sub', 'name', 'tenant_key'] },
    async findAccount(ctx, id): Promise<SignedIn | undefined> {
      const account = await accounts.byId(id)
      if (!account || account.disabled) return undefined
      // Where a code is exchanged there is no session, and the account counts alone.
      const { session }: Partial<KoaContextWithOIDC['oidc']> = ctx.oidc
      if (session && session.acr !== versionOf(account)) return undefined
      const claims = () => ({ sub: account.id, name: account.name, tenant_key: account.tenantKey })
      return { accountId: account.id, account, claims }
    },
    /** Grants what the person's roles allow. Nobody is asked for a consent: the console is ours. */
    async loadExistingGrant(ctx) {
      const { account, client, provider } = ctx.oidc
      if (!account || !client) return undefined
      const { tenantKey, roles } = signedIn(ctx)
      // Its runs are those of all tenants.
      if (client.clientId === temporalUiClient && tenantKey !== platformTenant)
        throw new errors.AccessDenied('Only people of the platform may open the Temporal UI.')
      const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
      grant.addOIDCScope('openid')
      grant.addResourceScope(publicUrl, allowedBy(tenantKey, roles).scopes.join(' '))
      await grant.save()
      return grant
    },
    interactions: {
      url: (_ctx, interaction) => `${basePath}/identity/sign-in/${interaction.uid}`,
      policy: policy(),
    },
    cookies: {
      names: { session: sessionCookie, interaction: 'armature-sign-in', resume: 'armature-sign-in-resume' },
      long: { httpOnly: true, sameSite: 'lax', path: `${basePath}/identity` },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    features: {
      resourceIndicators: {
        enabled: true,
        defaultResource: () => publicUrl,
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, resource) {
          if (resource !== publicUrl) throw new errors.InvalidTarget()
          return personTokens(audience)
        },
      },
      rpInitiatedLogout: { enabled: true, logoutSource: signOut(basePath), postLogoutSuccessSource: signedOut },
    },
    ttl: {
      AccessToken: tokenLife,
      IdToken: tokenLife,
      AuthorizationCode: codeLife,
      Grant: codeLife,
      Interaction: interactionLife,
      Session: sessionLife,
    },
  }
}

/** The Temporal UI as a client, which keeps a secret. */
const temporalUiOf = ({ url, clientSecret }: TemporalUi): ClientMetadata => ({
  client_id: temporalUiClient,
  client_name: 'Temporal UI',
  client_secret: clientSecret,
  token_endpoint_auth_method: 'client_secret_basic',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: [`${url}/auth/sso/callback`],
})

/** Returns the account of the person of a request. */
export const signedIn = (ctx: KoaContextWithOIDC): Account => {
  const { account } = ctx.oidc.account as SignedIn
  return account
}

/** People are asked to sign in if they are not, or if their account has gone or their session was ended since. */
function policy(): interactionPolicy.Prompt[] {
  const prompts = interactionPolicy.base()
  prompts.remove('consent')
  const { Check } = interactionPolicy
  prompts
    .get('login')
    ?.checks.add(
      new Check('no_account', 'The session of this account was ended.', ctx => ctx.oidc.account === undefined),
    )
  return [...prompts]
}

/** Signs a person out whom our own console sent. Whoever else leads a browser here must have the person agree. */
const signOut = (basePath: string) => async (ctx: KoaContextWithOIDC, form: string) => {
  const { session, params, provider } = ctx.oidc
  const returnTo = params?.post_logout_redirect_uri
  if (ctx.get('sec-fetch-site') !== 'same-origin' || !session || typeof returnTo !== 'string') {
    return showPage(ctx, 200, 'notice', { title: 'Sign out', text: 'Do you want to sign out?', form })
  }
  await session.destroy()
  ctx.cookies.set(provider.cookieName('session'), null, { path: `${basePath}/identity` })
  ctx.status = 303
  return ctx.redirect(returnTo)
}

const signedOut = (ctx: KoaContextWithOIDC) =>
  showPage(ctx, 200, 'notice', { title: 'Signed out', text: 'You are signed out.' })
