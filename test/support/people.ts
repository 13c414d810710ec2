// Signs people in without a browser, step by step, as one would.
import { createHash, randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { Person } from './console.js'

/** A browser without a window: it keeps cookies by their paths, and does not follow redirects by itself. */
export function newBrowser(headers: Record<string, string> = {}) {
  const jar = new Map<string, { path: string; value: string }>()
  return {
    jar,
    async send(address: string | URL, form?: Record<string, string>, more: Record<string, string> = {}) {
      const url = new URL(address, inject('baseUrl'))
      const cookies = [...jar].flatMap(([name, { path, value }]) =>
        url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')) ? [`${name}=${value}`] : [],
      )
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: cookies.join('; '), accept: 'text/html', ...headers, ...more },
        ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
        const path = /path=([^;]*)/.exec(cookie)?.[1] ?? '/'
        if (value === '') jar.delete(name)
        else jar.set(name, { path, value })
      }
      return {
        status: response.status,
        location: response.headers.get('location') ?? '',
        text: await response.text(),
        response,
      }
    },
  }
}

export type Browser = ReturnType<typeof newBrowser>

export const verifier = randomBytes(32).toString('base64url')

/** Returns the address at which a sign-in begins. @param changed parameters that differ; undefined leaves one out. */
export function authorizeUrl(changed: Record<string, string | undefined> = {}, baseUrl = inject('baseUrl')): URL {
  const url = new URL('/identity/auth', baseUrl)
  const parameters = {
    client_id: 'armature-console',
    redirect_uri: `${baseUrl}/console/signed-in`,
    response_type: 'code',
    scope: 'openid FrameApi FormsApi PlatformAdmin',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'state',
    nonce: 'nonce',
    ...changed,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}

/** Types a person's password. @returns the answer to it: a redirect, or the page again. */
export async function sendPassword(browser: Browser, { tenantKey, email, password }: Omit<Person, 'id'>) {
  const { location } = await browser.send(authorizeUrl())
  return browser.send(location, { tenant: tenantKey, email, password })
}

/** Signs a person in. @returns the address that the console is led back to, with the code. */
export async function codeOf(browser: Browser, person: Omit<Person, 'id'>): Promise<URL> {
  const typed = await sendPassword(browser, person)
  if (typed.status !== 303) throw new Error(`Not signed in: ${typed.status} ${typed.text}`)
  return new URL((await browser.send(typed.location)).location)
}

/** Exchanges a code for tokens. */
export async function exchange(code: string | null, changed: Record<string, string> = {}) {
  const response = await fetch(`${inject('baseUrl')}/identity/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'armature-console',
      redirect_uri: `${inject('baseUrl')}/console/signed-in`,
      code: code ?? '',
      code_verifier: verifier,
      ...changed,
    }),
  })
  const body: { access_token?: string; id_token?: string; scope?: string; error?: string } = JSON.parse(
    await response.text(),
  )
  return { status: response.status, body }
}

/** Returns an access token of a person. */
export async function tokenOfPerson(person: Omit<Person, 'id'>, browser = newBrowser()): Promise<string> {
  const { body } = await exchange((await codeOf(browser, person)).searchParams.get('code'))
  if (!body.access_token) throw new Error(JSON.stringify(body))
  return body.access_token
}
