// Looks of form pages.
import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, inject, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import type { FormTemplate } from '../../forms/template.js'
import { pagePolicy, renderNotice } from '../../server/forms/pages/page.js'
import { aTemplate, someValues } from '../support/factories.js'
import { accessibilityFaults, show } from '../support/form-pages.js'
import { aPage, templateOf } from '../support/form-templates.js'
import { sharedBrowser } from '../support/test-programs.js'

const template = templateOf(aTemplate({ introduction: 'For every visit.' }))
const wrong = { ...someValues, visited: null, weight: 'heavy', place: { latitude: 'x', longitude: '' } }
const buttons = [
  { action: 'complete', label: 'Complete', kind: 'primary' },
  { action: 'save', label: 'Save draft', kind: 'secondary' },
  { action: 'discard', label: 'Discard', kind: 'danger' },
] as const
const facts = [{ label: 'Completed', text: '2 November 2026, 09:41 UTC' }]

const person = {
  displayName: `${'Wolfeschlegelsteinhausenbergerdorff'.repeat(4)} محمد بن عبد الله آل سعود`,
  dateOfBirth: { label: 'Date of birth', day: '1958-01-31' },
  identifiers: [
    { label: 'National id', text: 'PL-58013112345' },
    { label: 'Number in the register of those who were born elsewhere', text: '0123456789'.repeat(12) },
    { label: 'רישום', text: 'א-12' },
  ],
}

const pages: Record<string, string> = {
  'of a person to fill in': aPage(template, { given: someValues, buttons, person }),
  'of a person to read': aPage(template, { given: someValues, mode: 'read', facts, person }),
  'of a person with a notice': renderNotice({
    title: 'Withdrawn',
    text: 'It no longer counts.',
    kind: 'error',
    person,
  }),
  'to fill in': aPage(template, { given: someValues, buttons, autoSaveSeconds: 600, etag: '"1"' }),
  'with faults': aPage(template, {
    given: wrong,
    buttons,
    faults: checkForm(template, wrong, { complete: true }).faults,
  }),
  'to read': aPage(template, { given: someValues, mode: 'read', facts, buttons: buttons.slice(0, 1) }),
  'with a notice': renderNotice({
    title: 'Sent',
    text: 'Thank you.',
    kind: 'success',
    links: [{ href: '/', label: 'Again' }],
  }),
}

let browser: Browser
beforeAll(async () => {
  browser = await sharedBrowser()
})

/** Opens a page of our own as the platform would answer with it: with its policy, and the style and script that it serves. */
async function open(html: string, width: number, javaScriptEnabled = true): Promise<{ page: Page; wrong: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled })
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('pageerror', error => wrong.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  const url = `${inject('baseUrl')}/a-page`
  await page.route(url, route =>
    route.fulfill({ headers: pagePolicy([]), contentType: 'text/html; charset=utf-8', body: html }),
  )
  await page.goto(url, { waitUntil: 'load' })
  return { page, wrong }
}

test.each(Object.keys(pages))('a page %s can be used by everybody, on a phone and at a desk', async name => {
  for (const width of [390, 1280]) {
    const { page, wrong } = await open(pages[name] ?? '', width)
    expect(wrong).toEqual([])
    await show(page, `${name}-${width}`)
    // Its rules look at structure and colours, which are the same at every width; they take seconds.
    if (width === 390) expect(await accessibilityFaults(page)).toEqual([])
    await page.context().close()
  }
})

test.each(Object.keys(pages))('a page %s fits a screen of 320 px, and fingers', async name => {
  const { page } = await open(pages[name] ?? '', 320, false)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
  const small = await page.evaluate<string[]>(
    `[...document.querySelectorAll('button:not([data-default]), label.choice, select, textarea, input:not([type=radio], [type=checkbox], [type=hidden])')]
      .filter(each => each.checkVisibility() && each.getBoundingClientRect().height < 44).map(each => each.outerHTML)`,
  )
  expect(small).toEqual([])
  await page.context().close()
})

test('a printed page has no buttons', async () => {
  const { page } = await open(pages['to read'] ?? '', 800)
  expect(await page.getByRole('button').count()).toBe(1)
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('button').count()).toBe(0)
  await page.context().close()
})

test.each([
  ['success', false],
  ['error', true],
] as const)(
  'a banner is printed where it says how much a form counts, not what was just done: %s',
  async (kind, isPrinted) => {
    const { page } = await open(aPage(template, { mode: 'read', notice: { kind, title: 'Notice' } }), 800)
    expect(await page.locator('.banner').isVisible()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.banner').isVisible()).toBe(isPrinted)
    await page.context().close()
  },
)

const hostile = `"'><img src=x onerror="window.run=1"></textarea></script><script>window.run=1</script>{{ 7 | times: 7 }}<!--`

/** The same template with something hostile in every text that its author writes. */
const hostileTemplate = (of: FormTemplate): FormTemplate =>
  JSON.parse(JSON.stringify(of), (name, value) =>
    /^(title|introduction|label|hint|text|unit|imageDescription|classification)$/.test(name) ? hostile : value,
  )

test.each(['fill', 'read'] as const)('whatever authors and people write stays text (%s)', async mode => {
  const of = hostileTemplate(template)
  const given = {
    ...someValues,
    ward: hostile,
    remarks: hostile,
    letter: hostile,
    mobility: hostile,
    story: hostile,
    consentNote: hostile,
  }
  const pins = { image: { annotations: [{ x: 1, y: 2, value: hostile }] } }
  const html = aPage(of, {
    mode,
    given: { ...given, ...pins },
    context: { [hostile]: hostile },
    action: `/${hostile}`,
    hidden: { [hostile]: hostile },
    buttons: [{ action: hostile, label: hostile, kind: 'primary' }],
    notice: { kind: 'info', title: hostile, text: hostile },
    facts: [{ label: hostile, text: hostile }],
    person: {
      displayName: hostile,
      dateOfBirth: { label: hostile, day: '' },
      identifiers: [{ label: hostile, text: hostile }],
    },
    links: [{ href: '/', label: hostile }],
    faults: [
      { pointer: '', code: 'required', detail: hostile, id: 'ward', path: [] },
      { pointer: '', code: 'required', detail: hostile, path: [] },
    ],
    etag: hostile,
  })
  const { page, wrong } = await open(html, 1280)
  expect(wrong).toEqual([])
  expect(await page.evaluate('window.run')).toBeUndefined()
  expect(await page.locator('img[src=x]').count()).toBe(0)
  // Nothing but our own script and what it reads.
  expect(await page.locator('script').count()).toBe(mode === 'fill' ? 2 : 0)
  expect(await page.title()).toBe(`Error: ${hostile}`)
  expect(await page.locator('h1').textContent()).toBe(hostile)
  for (const part of [
    '.person dt + dd',
    '.person div + div dt',
    '.person div:last-child dd',
    '.facts dt',
    '.facts dd',
    '.links a',
    '.banner p',
  ]) {
    expect(await page.locator(part).first().textContent(), part).toContain(hostile)
  }
  const entered = ['remarks', 'letter', 'story', 'consentNote']
  for (const id of entered) {
    const shown =
      mode === 'fill'
        ? page.locator(`[name=${id}]`).inputValue()
        : page.locator(`[data-control=${id}] dd`).textContent()
    expect(await shown, id).toBe(hostile)
  }
  await page.context().close()
})

test('a page without a form shows its message as plain text', async () => {
  const { page, wrong } = await open(renderNotice({ title: hostile, text: hostile, kind: 'error' }), 1280)
  expect(wrong).toEqual([])
  expect(await page.locator('main').textContent()).toContain(`${hostile}\n${hostile}`)
})
