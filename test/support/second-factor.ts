// Sets up authenticator apps for people, and follows them through the pages that ask for their codes.
import { TOTP } from 'otpauth'
import { inject } from 'vitest'
import type { Person } from './console.js'
import { clockSeconds } from './modes.js'
import { authorizeUrl, type Browser, newBrowser } from './people.js'

/** Returns the code of an app. @param ahead how many steps of 30 s later; a code of the next step is accepted too. */
export const codeAt = (secret: string, ahead = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + (clockSeconds + 30 * ahead) * 1_000 })

/** Returns the secret that a page shows. */
export const secretIn = (text: string): string =>
  (/class="secret">([A-Z2-7 ]+)/.exec(text)?.[1] ?? '').replaceAll(' ', '')

/** Returns the recovery codes that a page shows. */
export const recoveryIn = (text: string): string[] =>
  [...text.matchAll(/<li><code>([^<]+)/g)].map(([, code = '']) => code)

/** Returns what a page refuses, or says of a refusal. */
export const refusalIn = (text: string): string | undefined => /role="alert">([^<]+)/.exec(text)?.[1]

/** Opens an address, and follows where it leads, as far as it stays at our pages. */
export async function follow(browser: Browser, address: string | URL, form?: Record<string, string>) {
  let answer = await browser.send(address, form)
  let at = new URL(address, inject('baseUrl'))
  for (let steps = 0; (answer.status === 303 || answer.status === 302) && steps < 10; steps++) {
    at = new URL(answer.location, at)
    if (!/^\/(identity|forms)\//.test(at.pathname)) break
    answer = await browser.send(at)
  }
  return { ...answer, at }
}

/** Signs a person in at the page of the own account. @returns the page after the password. */
export async function openAccount(browser: Browser, { tenantKey, email, password }: Omit<Person, 'id'>) {
  const { at } = await follow(browser, '/identity/account')
  return at.pathname === '/identity/account'
    ? follow(browser, at)
    : follow(browser, at, { tenant: tenantKey, email, password })
}

/** Begins a sign-in and types the password. @returns the page after it, and its address. */
export async function signInTo(browser: Browser, { tenantKey, email, password }: Omit<Person, 'id'>) {
  const { location } = await browser.send(authorizeUrl())
  return follow(browser, location, { tenant: tenantKey, email, password })
}

/** Sets up an authenticator app. @returns its secret, the recovery codes, and the browser in which the person is signed in. */
export async function setUpApp(person: Omit<Person, 'id'>, browser = newBrowser()) {
  await openAccount(browser, person)
  const { text } = await browser.send('/identity/account/second-factor')
  const secret = secretIn(text)
  const done = await browser.send('/identity/account/second-factor', { code: codeAt(secret), name: 'My phone' })
  if (done.status !== 200) throw new Error(`No app was set up: ${refusalIn(done.text)}`)
  return { secret, recovery: recoveryIn(done.text), browser }
}
