// Signs people in and out by OpenID Connect (authorization code with PKCE), and holds the session. The token stays in the browser's session
// storage until the tab is closed. Signing in and out loads the page anew, so no component has to watch the session.
import * as oauth from 'oauth4webapi'

export interface Session {
  token: string
  /** What the person looks after: a tenant, or all tenants of the installation. */
  part: 'tenant' | 'platform'
  tenantKey: string
  /** Whether the token lets into forms. */
  hasForms: boolean
  /** The person's name. */
  name: string
  /** When the token ends, in ms since 1970. */
  until: number
}

/** A sign-in that was begun in this tab, and the address to come back to. */
interface Begun {
  verifier: string
  state: string
  nonce: string
  from: string
}

const sessionKey = 'armature-session'
const begunKey = 'armature-sign-in'
const found: Session | null = JSON.parse(sessionStorage.getItem(sessionKey) ?? 'null')

/** The session, or undefined if nobody is signed in. */
export const session: Session | undefined = found && found.until > Date.now() ? found : undefined

/** Tells whether the session looks after all tenants. */
export const isOfPlatform: boolean = session?.part === 'platform'

const said = (name: string): string => document.querySelector(`meta[name=${name}]`)?.getAttribute('content') ?? ''
const client: oauth.Client = { client_id: said('client-id') }
const scopes = 'openid FrameApi FormsApi PlatformAdmin'
/** Where people change their password and their second factors; undefined if the issuer is not our own. */
export const ownAccount: string | undefined =
  said('issuer') === new URL('../identity', document.baseURI).href ? `${said('issuer')}/account` : undefined
/** Where the issuer leads the browser back to. */
const redirectUri = new URL('signed-in', document.baseURI).href
// A page that came by http has no secrets from the network anyway.
const insecure = { [oauth.allowInsecureRequests]: location.protocol === 'http:' }

/** Tells whether the issuer has led the browser back to this page. */
export const isComingBack: boolean = location.pathname === new URL(redirectUri).pathname

async function readIssuer(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(said('issuer'))
  try {
    return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  } catch (cause) {
    throw new Error('The service that signs people in cannot be reached. Try again in a moment.', { cause })
  }
}

/** Leads the browser to the issuer, and back to this address once somebody is signed in. @throws if the issuer does not answer. */
export async function signIn(): Promise<void> {
  const { authorization_endpoint: endpoint = '' } = await readIssuer()
  const begun: Begun = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    from: isComingBack ? document.baseURI : location.href,
  }
  sessionStorage.setItem(begunKey, JSON.stringify(begun))
  const url = new URL(endpoint)
  const parameters = {
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
    state: begun.state,
    nonce: begun.nonce,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  location.assign(url)
}

/** Exchanges the code that the issuer has led back with for a token, and goes on where the sign-in began. @throws if it is refused. */
export async function finishSignIn(): Promise<void> {
  const begun: Begun | null = JSON.parse(sessionStorage.getItem(begunKey) ?? 'null')
  if (!begun) throw new Error('This sign-in was not begun in this tab. Press the button to begin again.')
  sessionStorage.removeItem(begunKey)
  const issuer = await readIssuer()
  const answer = oauth.validateAuthResponse(issuer, client, new URL(location.href), begun.state)
  const response = await oauth.authorizationCodeGrantRequest(
    issuer,
    client,
    oauth.None(),
    answer,
    redirectUri,
    begun.verifier,
    insecure,
  )
  const expected = { expectedNonce: begun.nonce, requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(issuer, client, response, expected)
  const claims = oauth.getValidatedIdTokenClaims(tokens)
  const granted = (tokens.scope ?? '').split(' ')
  const made: Session = {
    token: tokens.access_token,
    part: granted.includes('PlatformAdmin') ? 'platform' : 'tenant',
    tenantKey: String(claims?.tenant_key ?? ''),
    hasForms: granted.includes('FormsApi'),
    name: String(claims?.name ?? ''),
    until: Date.now() + (tokens.expires_in ?? 0) * 1_000,
  }
  sessionStorage.setItem(sessionKey, JSON.stringify(made))
  location.replace(begun.from)
}

/**
 * Forgets the token, which is not valid any longer, and loads the page anew. The browser asks first where somebody has corrected refused rows and has
 * not sent them.
 */
export function forgetSession(): void {
  sessionStorage.removeItem(sessionKey)
  location.reload()
}

/** Forgets the token, and signs out at the issuer too: the next person at this browser has to sign in. */
export async function signOut(): Promise<void> {
  sessionStorage.removeItem(sessionKey)
  const { end_session_endpoint: endpoint } = await readIssuer().catch(() => ({ end_session_endpoint: undefined }))
  if (endpoint === undefined) return location.reload()
  const url = new URL(endpoint)
  url.searchParams.set('client_id', client.client_id)
  url.searchParams.set('post_logout_redirect_uri', document.baseURI)
  return location.assign(url)
}
