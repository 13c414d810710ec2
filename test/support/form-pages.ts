// Form pages in a browser.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'

/** Widths at which pages are looked at: a phone and a desk, in px. */
export const phone = { viewport: { width: 390, height: 844 } }
export const desk = { viewport: { width: 1280, height: 900 } }

export interface OpenedPage {
  page: Page
  /** What must not happen: errors, violations of the page's policy, dialogs, requests to elsewhere. */
  wrong: string[]
}

/** Opens a page in a browser of its own kind, and waits until its script, if it has one, is ready. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const page = await newPage(browser, options)
  const wrong = watched(page, url)
  await page.goto(url)
  if (options.javaScriptEnabled !== false) await ready(page)
  return { page, wrong }
}

/** An empty page in a browser of its own kind. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ ...desk, ...options })
  // A hang, not a slow machine, is what ends a wait: a test's own limit is longer.
  context.setDefaultTimeout(30_000)
  return context.newPage()
}

/** What happens from now on and must not, see {@link OpenedPage}. @param site a URL of the one site that may be asked. */
export function watched(page: Page, site: string): string[] {
  const wrong: string[] = []
  page.on('pageerror', error => wrong.push(String(error)))
  page.on('dialog', dialog => {
    wrong.push(`dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('console', message => {
    // That a form was refused is said by the status of the page itself.
    const isRefusal = message.text().startsWith('Failed to load resource') && message.location().url === page.url()
    if (message.type() === 'error' && !isRefusal) wrong.push(message.text())
  })
  page.on('request', request => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== new URL(site).origin) {
      wrong.push(`request: ${request.url()}`)
    }
  })
  return wrong
}

/** Clicks a link or a button that the server answers with a page, and waits for that page: a click alone does not. */
export async function follow(link: Locator): Promise<void> {
  await Promise.all([link.page().waitForEvent('load'), link.click()])
}

/** The page to fill in is there, and its script works. */
export const ready = (page: Page): Promise<unknown> => page.waitForSelector('main[data-ready]')

/** The messages that are shown, by the fields that they stand at. */
export const messages = async (page: Page): Promise<Record<string, string>> =>
  Object.fromEntries(
    await page.$$eval('.error:not([hidden])', all =>
      all.map(each => [each.id.replace(/-error$/, ''), each.textContent?.trim() ?? '']),
    ),
  )

/** The lines of the list above the form; empty where it is not shown. */
export const summary = (page: Page): Promise<string[]> =>
  page.locator('[data-summary]:not([hidden]) li').allTextContents()

/** What has the focus: its name, or what it says. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`{
    const { activeElement: element, body } = document
    const name = element.matches('button') ? null : element.getAttribute('name')
    element === body ? '' : (name ?? element.textContent.trim())
  }`)

/** The numbered headings of iterations, in their order. */
export const iterations = async (page: Page): Promise<string[]> =>
  (await page.locator('[data-iteration] > legend').allTextContents()).map(text => text.trim())

export const pins = (page: Page): Locator => page.locator('.picture .pin')

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface AxeResult {
  violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[]
}

/** What keeps people from using a page, by the rules of axe-core: its violations that are serious or critical. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  // Of the rules that a page keeps only their names are noted, which takes half the time.
  const { violations } = await page.evaluate<AxeResult>(`axe.run({ resultTypes: ['violations'] })`)
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    )
}

/** For a person who wants to see it: SCREENSHOTS names a folder. */
export async function show(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
