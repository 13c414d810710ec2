// Who is signed in: a client, by a token of the identity service. The token is kept until the tab is closed; the secret is not kept.
import { signal } from './signal.js'

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
const restored: Session | undefined = JSON.parse(sessionStorage.getItem(kept) ?? 'null') ?? undefined

/** The session, or undefined if nobody is signed in. */
export const session = signal(restored && restored.until > Date.now() ? restored : undefined)

/** Where tokens come from, as the page says. */
const tokenUrl = document.querySelector('meta[name=token-url]')?.getAttribute('content') ?? ''

/**
 * Signs a client in.
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
  if (!answer) return 'The identity service cannot be reached. Try again in a moment.'
  const { access_token: token, expires_in: seconds, error_description: reason } = await answer.json()
  if (!answer.ok) return `You are not signed in: ${reason}. Check the tenant, the client and its secret.`
  const made = { ...who, token, until: Date.now() + seconds * 1_000 }
  sessionStorage.setItem(kept, JSON.stringify(made))
  session.set(made)
  return undefined
}

/** Tells whether the session looks after all tenants. */
export const isOfPlatform = (): boolean => session.get()?.scope === 'PlatformAdmin'

/** Forgets the token. */
export function signOut(): void {
  sessionStorage.removeItem(kept)
  session.set(undefined)
}
