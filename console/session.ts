// Who is signed in: a client, with a token of the identity service. The browser keeps the token until the tab is closed, and never the secret.
// Signing in and out loads the page anew, at the same address, so nothing else has to follow who is signed in.

/** What a client looks after: its own tenant, or all tenants of the installation. */
export type Part = 'tenant' | 'platform'

/** The scopes of the token for a part, the widest first. A client that does not have these is asked for with the next ones. */
const scopesOf: Record<Part, readonly string[]> = {
  tenant: ['FrameApi FormsApi', 'FrameApi'],
  platform: ['PlatformAdmin'],
}

interface Credentials {
  tenantKey: string
  clientId: string
  clientSecret: string
  part: Part
}

export interface Session extends Omit<Credentials, 'clientSecret'> {
  token: string
  /** Whether the token lets into forms. */
  hasForms: boolean
  /** When the token ends, in ms since 1970. */
  until: number
}

const kept = 'armature-session'
const found: Session | null = JSON.parse(sessionStorage.getItem(kept) ?? 'null')

/** The session, or undefined if nobody is signed in. */
export const session: Session | undefined = found && found.until > Date.now() ? found : undefined

/** Tells whether the session looks after all tenants. */
export const isOfPlatform: boolean = session?.part === 'platform'

/** Where tokens come from, as the page says. */
const tokenUrl = document.querySelector('meta[name=token-url]')?.getAttribute('content') ?? ''

/**
 * Signs a client in, and loads the page anew.
 * @returns what is wrong, or undefined if it is signed in.
 */
export async function signIn({ clientSecret, ...who }: Credentials): Promise<string | undefined> {
  const [widest = '', ...others] = scopesOf[who.part]
  let answer = await askForToken(who, clientSecret, widest)
  for (const scope of others)
    if (answer?.error === 'invalid_scope') answer = await askForToken(who, clientSecret, scope)
  if (!answer) return 'The identity service does not answer. Try again in a moment.'
  const { access_token: token, scope = '', expires_in: seconds = 0, error_description: reason } = answer
  if (token === undefined) return `You are not signed in: ${reason}. Check the tenant, the client and its secret.`
  const hasForms = scope.split(' ').includes('FormsApi')
  const made: Session = { ...who, token, hasForms, until: Date.now() + seconds * 1_000 }
  sessionStorage.setItem(kept, JSON.stringify(made))
  location.reload()
  return undefined
}

/** What the identity service answers: a token, or why there is none. */
interface TokenAnswer {
  access_token?: string
  expires_in?: number
  scope?: string
  error?: string
  error_description?: string
}

/** Asks for a token. Returns undefined if the identity service does not answer. */
async function askForToken(
  { tenantKey, clientId }: Pick<Credentials, 'tenantKey' | 'clientId'>,
  secret: string,
  scope: string,
): Promise<TokenAnswer | undefined> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    tenant_key: tenantKey,
    client_id: clientId,
    client_secret: secret,
    scope,
  })
  const answer = await fetch(tokenUrl, { method: 'POST', body }).catch(() => undefined)
  return answer?.json().catch(() => undefined)
}

/** Forgets the token, and loads the page anew. */
export function signOut(): void {
  sessionStorage.removeItem(kept)
  location.reload()
}
