// Opens the console in a browser, and creates people who sign in to it.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import { admin, aKey, type Tenant, tokenOf } from './api.js'
import { sharedBrowser } from './test-programs.js'

type Credentials = Pick<Tenant, 'tenantKey' | 'clientId' | 'clientSecret'>

/** A person with an account, and what the person types to sign in. */
export interface Person {
  id: string
  tenantKey: string
  email: string
  password: string
}

const password = 'seven quiet lanterns drift'

/** Opens a page of the console, where nobody is signed in yet. It is closed when the test ends. */
export async function openConsole(path = '', options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await sharedBrowser()).newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${inject('baseUrl')}/console/${path}`)
  return page
}

/** Creates the account of a person, without a password. */
export async function anAccount(
  tenantKey: string,
  roles: string[],
  email = `${aKey()}@example.org`,
  name = 'Ada Byron',
): Promise<Omit<Person, 'password'>> {
  const platform = await admin(inject('baseUrl'))
  const path = `/admin/v1/tenants/${tenantKey}/accounts`
  const { status, body } = await platform.post<{ id: string }>(path, { email, name, roles })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return { id: body.id, tenantKey, email }
}

/** Makes a link with which a person chooses a password. */
export async function aLink({ tenantKey, id }: Pick<Person, 'tenantKey' | 'id'>): Promise<string> {
  const platform = await admin(inject('baseUrl'))
  const { body } = await platform.post<{ link: string }>(`/admin/v1/tenants/${tenantKey}/accounts/${id}/link`)
  return body.link
}

/** Creates a person of a tenant, who has chosen a password. */
export const aPerson = async (tenantKey: string, ...roles: string[]): Promise<Person> =>
  withPassword(await anAccount(tenantKey, roles))

/** Chooses the password of an account, as its person does. */
export async function withPassword(account: Omit<Person, 'password'>): Promise<Person> {
  const body = new URLSearchParams({ password, again: password })
  const { status } = await fetch(await aLink(account), { method: 'POST', body })
  if (status !== 200) throw new Error(`No password was saved: ${status}`)
  return { ...account, password }
}

/** Fills in the page of the identity service, where the console leads who signs in. */
export async function typePassword(page: Page, { tenantKey, email, password }: Omit<Person, 'id'>): Promise<void> {
  await page.getByLabel('Tenant').fill(tenantKey)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Signs a person in, from a page of the console on which nobody is. */
export async function signIn(page: Page, person: Person): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await typePassword(page, person)
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
}

/**
 * Opens a page of the console with the rights of a client of the tenant, or of the platform, as if a person with these had signed in.
 * Signing in itself takes a second, and has tests of its own.
 */
export async function consoleOf(
  { tenantKey, clientId, clientSecret }: Credentials,
  path = '',
  options: BrowserContextOptions = {},
  lookAfter = 'My tenant',
): Promise<Page> {
  const part = lookAfter === 'My tenant' ? 'tenant' : 'platform'
  const asked = (scope: string) => tokenOf(inject('baseUrl'), { id: clientId, secret: clientSecret, tenantKey, scope })
  const widest = part === 'platform' ? 'PlatformAdmin' : 'FrameApi FormsApi'
  const whole = await asked(widest).catch(() => undefined)
  const token = whole ?? (await asked('FrameApi'))
  const hasForms = whole !== undefined && part === 'tenant'
  const session = { token, part, hasForms, tenantKey, name: clientId, until: Date.now() + 3_600_000 }
  const context = await (await sharedBrowser()).newContext(options)
  onTestFinished(() => context.close())
  await context.addInitScript(`sessionStorage.setItem('armature-session', ${JSON.stringify(JSON.stringify(session))})`)
  const page = await context.newPage()
  await page.goto(`${inject('baseUrl')}/console/${path}`)
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
  return page
}
