// Who is signed in: a client, with a token of the identity service. The browser keeps the token until the tab is closed, and never the secret.
// Signing in and out loads the page anew, at the same address, so nothing else has to follow who is signed in.

/** What a client looks after: its own tenant, or all tenants of the installation. */
export type Scope = 'FrameApi' | 'PlatformAdmin'

interface Credentials {
  tenantKey: string
  clientId: string
  clientSecret: string
  scope: Scope
}

export interface Session extends Omit<Credentials, 'clientSecret'> {
  token: string
  /** When the token ends, in ms since 1970. */
  until: number
}

const kept = 'armature-session'
const found: Session | null = JSON.parse(sessionStorage.getItem(kept) ?? 'null')

/** The session, or undefined if nobody is signed in. */
export const session: Session | undefined = found && found.until > Date.now() ? found : undefined

/** Tells whether the session looks after all tenants. */
export const isOfPlatform: boolean = session?.scope === 'PlatformAdmin'

/** Where tokens come from, as the page says. */
const tokenUrl = document.querySelector('meta[name=token-url]')?.getAttribute('content') ?? ''

/**
 * Signs a client in, and loads the page anew.
 * @returns what is wrong, or undefined if it is signed in.
 */
export async function signIn({ clientSecret, ...who }: Credentials): Promise<string | undefined> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    tenant_key: who.tenantKey,
    client_id: who.clientId,
    client_secret: clientSecret,
    scope: who.scope,
  })
  const answer = await fetch(tokenUrl, { method: 'POST', body }).catch(() => undefined)
  const answered: { access_token?: string; expires_in?: number; error_description?: string } | undefined = await answer
    ?.json()
    .catch(() => undefined)
  if (!answered) return 'The identity service does not answer. Try again in a moment.'
  const { access_token: token, expires_in: seconds = 0, error_description: reason } = answered
  if (token === undefined) return `You are not signed in: ${reason}. Check the tenant, the client and its secret.`
  const made: Session = { ...who, token, until: Date.now() + seconds * 1_000 }
  sessionStorage.setItem(kept, JSON.stringify(made))
  location.reload()
  return undefined
}

/** Forgets the token, and loads the page anew. */
export function signOut(): void {
  sessionStorage.removeItem(kept)
  location.reload()
}
