// Opens the console in a browser.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'
import type { Tenant } from './api.js'
import { sharedBrowser } from './test-programs.js'

type Credentials = Pick<Tenant, 'tenantKey' | 'clientId' | 'clientSecret'>

/** Opens a page of the console, where nobody is signed in yet. It is closed when the test ends. */
export async function openConsole(path = '', options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await sharedBrowser()).newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${inject('baseUrl')}/console/${path}`)
  return page
}

/** Signs a client in. @param lookAfter what it looks after, as the page calls it. */
export async function signIn(
  page: Page,
  { tenantKey, clientId, clientSecret }: Credentials,
  lookAfter = 'My tenant',
): Promise<void> {
  await page.getByLabel(lookAfter).check()
  await page.getByLabel('Tenant', { exact: true }).fill(tenantKey)
  await page.getByLabel('Client').fill(clientId)
  await page.getByLabel('Secret').fill(clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens a page of the console as a client of the tenant, or of the platform. */
export async function consoleOf(
  client: Credentials,
  path = '',
  options?: BrowserContextOptions,
  lookAfter?: string,
): Promise<Page> {
  const page = await openConsole(path, options)
  await signIn(page, client, lookAfter)
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
  return page
}
