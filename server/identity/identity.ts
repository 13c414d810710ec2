// Creates the embedded OAuth identity service.
import type { JWK } from 'jose'
import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import mount from 'koa-mount'
import type { Configuration, ErrorOut, KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import type { ClientStore } from '../../db/identity/clients.js'
import type { SignInStores } from '../../db/identity/sign-in-stores.js'
import type { Log } from '../../runtime/observe/log.js'
import { scopes } from '../../runtime/secrets/scopes.js'
import { createSecretHasher, passwordRounds } from '../../runtime/secrets/secrets.js'
import { answerAsset } from '../assets.js'
import { undeclaredAnswer } from '../middleware/declared-answers.js'
import { problemOf } from '../middleware/problem.js'
import { limitSignIns } from '../middleware/rate-limit.js'
import { accountPage, isAccountPath } from './account-page.js'
import { clientCredentials, fields, tokenLife } from './client-credentials.js'
import { passwordComparison } from './compare-password.js'
import { factorSetup } from './factor-setup.js'
import { passkeyParty } from './factors.js'
import { forgotPage, forgotPath } from './forgot-page.js'
import { formSignIn, formSignInPath, formSignOut } from './form-sign-in.js'
import type { SendMail } from './link-mail.js'
import { lockOut } from './lock-out.js'
import { protectPage, script, scriptPath, showPage, showProblem } from './pages.js'
import { passwordPage, passwordPath } from './password-page.js'
import { peopleConfiguration, type TemporalUi } from './people-configuration.js'
import { type SecondFactorRule, secondStep } from './second-step.js'
import type { SecretCheck } from './secret-check.js'
import { isSignInPath, signInPage, upstreamReturn } from './sign-in.js'
import { signedInPerson } from './signed-in-person.js'
import { compareSecret, storage, tenantOf } from './storage.js'
import { tokenErrors } from './token-description.js'
import { createUpstream, type UpstreamSettings, upstreamPath } from './upstream.js'

interface IdentityOptions {
  /** Exact text of the `iss` claim: the public address and `/identity`. */
  issuer: string
  /** The `aud` claim of every token. */
  audience: string
  clients: ClientStore
  people: SignInStores
  /** Undefined if no mails are sent. */
  sendMail: SendMail | undefined
  /** The other issuer with which people may sign in, if there is one. */
  signIn: UpstreamSettings | undefined
  temporalUi: TemporalUi | undefined
  /** Who needs a second factor. */
  secondFactor: SecondFactorRule
  /**
   * Cost of the hash that stands in for unknown clients. It should be that of stored secrets, so that both take equally
   * long.
   */
  secretHashCost: number
  checkSecret: SecretCheck
  /** Compares passwords. It does so apart from secrets, so that people who guess do not delay programs. */
  checkPassword: SecretCheck
  /** Private RSA keys with `kid`. The first one signs. */
  keys: JWK[]
  log: Log
}

const discovery = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
const routes = { token: '/connect/token', jwks: '/jwks', authorization: '/auth', end_session: '/session/end' }
/** What browsers are led to: authorization and its continuation, signing out, and the sign-in page. */
const isForPeople = (path: string): boolean => /^\/(auth(\/[\w-]+)?|session\/end(\/confirm|\/success)?)$/.test(path)
const served = new Set([...discovery, routes.token, routes.jwks])

/**
 * Creates the identity service below `/identity`: its metadata and keys, a token endpoint, and for people pages to sign in and out. Access
 * tokens are not stored. Use it before any body parser. All other paths are passed on. Errors are OAuth errors in JSON, or pages for
 * browsers.
 */
export function createIdentity(options: IdentityOptions): Middleware {
  const { issuer, audience, people, secretHashCost, checkSecret, checkPassword, log } = options
  const provider = new Provider(issuer, configuration(options))
  provider.Client.prototype.compareClientSecret = compareSecret(checkSecret)
  // The library would build addresses from the Host header, which a proxy may have changed.
  provider.OIDCContext.prototype.urlFor = (name: string, parameters?: UnknownObject) =>
    provider.urlFor(name, parameters)
  provider.registerGrantType('client_credentials', clientCredentials(audience), fields)
  logEvents(provider, log)

  const answer = mount('/', provider)
  const { sendMail } = options
  const publicUrl = publicUrlOf(issuer)
  const forgot = sendMail && forgotPage({ ...people, publicUrl, sendMail, log })
  const pathToForgot = forgot ? `/identity${forgotPath}` : null
  const upstream = options.signIn && createUpstream(options.signIn, publicUrl, people.recordsOf('Upstream'))
  const party = passkeyParty(publicUrl)
  const setup = factorSetup({ ...people, records: people.recordsOf('FactorSetup'), party })
  const locks = lockOut(people)
  const comparePassword = passwordComparison({ ...people, checkPassword, lockOut: locks, secretHashCost })
  const second = secondStep({ ...people, rule: options.secondFactor, setup, lockOut: locks, party })
  const signIn = signInPage(provider, {
    ...people,
    comparePassword,
    lockOut: locks,
    second,
    log,
    forgotPath: pathToForgot,
    upstream,
  })
  const fromUpstream = upstream && upstreamReturn(upstream)
  const passwords = createSecretHasher(secretHashCost, passwordRounds)
  const choosePassword = passwordPage({ ...people, passwords, log })
  const person = signedInPerson(provider, people.accounts, publicUrl)
  const ownAccount = accountPage({ ...people, comparePassword, passwords, setup, person, log })
  const toForms = formSignIn({ provider, person, publicUrl, audience })
  const pageAt = (path: string): Middleware | undefined => {
    if (isForPeople(path)) return answer
    if (path === passwordPath) return choosePassword
    if (path === forgotPath) return forgot
    if (path === upstreamPath) return fromUpstream
    if (isAccountPath(path)) return ownAccount
    if (path === formSignInPath) return toForms
    return isSignInPath(path) ? signIn : undefined
  }
  // Signing in ends there, and browsers follow a form no further than they are told.
  const formsTo = options.temporalUi ? new URL(options.temporalUi.url).origin : ''
  const isHttps = issuer.startsWith('https:')
  // The library would list endpoints that are turned off.
  const metadata = {
    issuer,
    authorization_endpoint: provider.urlFor('authorization'),
    token_endpoint: provider.urlFor('token'),
    end_session_endpoint: provider.urlFor('end_session'),
    jwks_uri: provider.urlFor('jwks'),
    grant_types_supported: ['client_credentials', 'authorization_code'],
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ['openid', ...scopes],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
  }
  const service: Middleware = async (ctx, next) => {
    const page = pageAt(ctx.path)
    if (page) {
      ctx.state.formsTo = formsTo
      protectPage(ctx)
      // Cookies are secure if browsers use https, even where a proxy speaks http to us.
      if (isHttps) Object.defineProperty(ctx.request, 'protocol', { value: 'https' })
      try {
        // Each may store something until the session or the sign-in ends.
        if (isForPeople(ctx.path)) await limitSignIns(ctx)
        await page(ctx, next)
        return await formSignOut(ctx, people.accounts)
      } catch (error) {
        return showProblem(ctx, problemOf(ctx, error))
      }
    }
    if (ctx.path === scriptPath && answerAsset(ctx, script)) return undefined
    if (!served.has(ctx.path)) return next()
    await answer(ctx, next)
    if (ctx.path === routes.token) reportUndeclared(ctx, log)
    if (ctx.status === 200 && discovery.includes(ctx.path)) ctx.body = metadata
    // Verifiers may use an outdated key set for this long. That is safe, as a new key signs only 15 minutes after it is
    // published.
    if (ctx.status === 200 && ctx.path === routes.jwks) ctx.set('Cache-Control', 'public, max-age=300')
    if (ctx.status === 503 && !ctx.response.get('Retry-After')) ctx.set('Retry-After', '5')
  }
  return compose([mount('/identity', service), metadataOf(metadata)])
}

/** Serves the metadata at the address of RFC 8414, 3.1, where the well-known part comes before the path of the issuer. */
function metadataOf(metadata: { issuer: string }): Middleware {
  const path = `/.well-known/oauth-authorization-server${new URL(metadata.issuer).pathname}`
  return async (ctx, next) => {
    if (ctx.path !== path || !['GET', 'HEAD'].includes(ctx.method)) return next()
    // The library allows pages of all origins to read the metadata at its other addresses, so it is allowed here too.
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.body = metadata
  }
}

/** Logs an error that the API description does not declare, as is done for the API's own operations. */
function reportUndeclared({ status, body, method }: Context, log: Log): void {
  const { error }: { error?: string } = Object(body)
  const isDeclared = method !== 'POST' || status < 400 || tokenErrors[status]?.includes(error ?? '')
  if (!isDeclared) log.warn({ operationId: 'getToken', status, code: error }, undeclaredAnswer)
}

const off = { enabled: false }

const publicUrlOf = (issuer: string): string => issuer.replace(/\/identity$/, '')

function configuration(options: IdentityOptions): Configuration {
  const { issuer, audience, clients, secretHashCost, keys } = options
  const { accounts, recordsOf } = options.people
  const people = peopleConfiguration({
    publicUrl: publicUrlOf(issuer),
    audience,
    accounts,
    temporalUi: options.temporalUi,
  })
  return {
    ...people,
    adapter: storage(clients, recordsOf, secretHashCost),
    jwks: { keys },
    scopes: ['openid', ...scopes],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic', 'none'],
    extraClientMetadata: { properties: ['tenant_key'] },
    async extraTokenClaims(_ctx, token) {
      if (!('accountId' in token)) return { tenant_key: tenantOf(token.client) }
      const account = await accounts.byId(token.accountId)
      return account && { tenant_key: account.tenantKey, token_version: account.tokenVersion }
    },
    features: {
      ...people.features,
      clientCredentials: { enabled: true },
      claimsParameter: off,
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      userinfo: off,
    },
    // Pages of all origins may call the token endpoint. It reads no cookie, so a page can use only a secret that it
    // already has.
    clientBasedCORS: () => true,
    renderError,
    routes,
    ttl: { ...people.ttl, ClientCredentials: tokenLife },
  }
}

/** Answers a browser that was led here with a page, and a program with JSON. */
function renderError(ctx: KoaContextWithOIDC, error: ErrorOut): void {
  if (!isForPeople(ctx.path)) {
    ctx.body = error
    return
  }
  const text = `${error.error_description ?? error.error}. Begin again.`
  showPage(ctx, ctx.status, 'notice', { title: 'Not signed in', text })
}

/** Logs issued tokens, refusals and failures: the client and the error, but never what was sent. */
function logEvents(provider: InstanceType<typeof Provider>, log: Log) {
  provider.on('grant.success', ctx => log.debug({ clientId: ctx.oidc.client?.clientId }, 'token issued'))
  provider.on('grant.error', (ctx, error) => {
    if (error.statusCode === 503 && error.cause)
      return log.error({ err: error.cause }, 'no token issued: the database is not available')
    const { client_id: clientId } = ctx.oidc.params ?? {}
    const who = typeof clientId === 'string' ? clientId.slice(0, 100) : undefined
    return log.info(
      { clientId: who, error: error.error, reason: error.error_detail ?? error.error_description },
      'no token issued',
    )
  })
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'the identity service failed'))
}
