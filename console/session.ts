// Who is signed in: a client of a tenant, by a token of the identity service. The token is kept until the tab is closed; the secret is not kept.
import { signal } from './signal.js'

export interface Session {
  token: string
  /** When the token ends, in ms since 1970. */
  until: number
  tenantKey: string
  clientId: string
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
export async function signIn(tenantKey: string, clientId: string, clientSecret: string): Promise<string | undefined> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    tenant_key: tenantKey,
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'FrameApi',
  })
  const answer = await fetch(tokenUrl, { method: 'POST', body }).catch(() => undefined)
  if (!answer) return 'The identity service cannot be reached. Try again in a moment.'
  const { access_token: token, expires_in: seconds, error_description: reason } = await answer.json()
  if (!answer.ok) return `You are not signed in: ${reason}. Check the tenant, the client and its secret.`
  const made = { token, until: Date.now() + seconds * 1_000, tenantKey, clientId }
  sessionStorage.setItem(kept, JSON.stringify(made))
  session.set(made)
  return undefined
}

/** Forgets the token. */
export function signOut(): void {
  sessionStorage.removeItem(kept)
  session.set(undefined)
}
