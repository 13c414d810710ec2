// Opens form pages in a browser and reads them.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'

/** Sizes at which pages are tested, a phone's and a desktop's, in px. */
export const phone = { viewport: { width: 390, height: 844 } }
export const desk = { viewport: { width: 1280, height: 900 } }

export interface OpenedPage {
  page: Page
  /** Incidents that must not happen: errors, violations of the content security policy, dialogs, requests to other sites. */
  wrong: string[]
}

/** Opens a page in a fresh browser context, and waits until its script, if it has one, is ready. */
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

/** Opens an empty page in a fresh browser context. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ ...desk, ...options })
  // Long enough for a slow machine, and shorter than the limit of a test, so that a hang is reported where it happens.
  context.setDefaultTimeout(30_000)
  return context.newPage()
}

/** Collects incidents, see {@link OpenedPage}. @param site URL of the only site that the page may send requests to. */
export function watched(page: Page, site: string): string[] {
  const wrong: string[] = []
  page.on('pageerror', error => wrong.push(String(error)))
  page.on('dialog', dialog => {
    wrong.push(`dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('console', message => {
    // A page that answers a refused form has an error status. The browser logs this, but it is expected.
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

/** Clicks a link or a button that leads to another page and waits for that page, which a click alone does not. */
export async function follow(link: Locator): Promise<void> {
  await Promise.all([link.page().waitForEvent('load'), link.click()])
}

/** Waits until the form is shown and its script has started. */
export const ready = (page: Page): Promise<unknown> => page.waitForSelector('main[data-ready]')

/** Returns the messages that are shown, keyed by field. */
export const messages = async (page: Page): Promise<Record<string, string>> =>
  Object.fromEntries(
    await page.$$eval('.error:not([hidden])', all =>
      all.map(each => [each.id.replace(/:error$/, ''), each.textContent?.trim() ?? '']),
    ),
  )

/** Returns the lines of the summary above the form. Empty if it is not shown. */
export const summary = (page: Page): Promise<string[]> =>
  page.locator('[data-summary]:not([hidden]) li').allTextContents()

/** Returns the name or else the text of the element that has the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`{
    const { activeElement: element, body } = document
    const name = element.matches('button') ? null : element.getAttribute('name')
    element === body ? '' : (name ?? element.textContent.trim())
  }`)

/** Returns the numbered headings of iterations, in order. */
export const iterations = async (page: Page): Promise<string[]> =>
  (await page.locator('[data-iteration] > legend').allTextContents()).map(text => text.trim())

/** Fills in the fields of a date. @param day such as 2026-11-02 */
export async function fillDate(page: Page, id: string, day: string): Promise<void> {
  for (const [n, text] of day.split('-').entries()) {
    await page.fill(`[name="${id}.${['year', 'month', 'day'][n]}"]`, text)
  }
}

export const pins = (page: Page): Locator => page.locator('.picture .pin')

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface AxeResult {
  violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[]
}

/** Returns the serious and critical violations of accessibility rules that axe-core finds. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  // What still fades in does not have the colours that people read.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    .map(({ finished }) => finished.catch(() => undefined)))`)
  // Asking for violations only takes half the time, since axe then reports no details about rules that passed.
  const { violations } = await page.evaluate<AxeResult>(`axe.run({ resultTypes: ['violations'] })`)
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    )
}

/** Takes a screenshot for people to look at, if SCREENSHOTS names a folder. */
export async function show(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
