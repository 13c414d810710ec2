// Hostile texts on form pages in a browser.

import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { aPicture, type LaunchTenant, launchTenant } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { sharedBrowser } from '../support/test-programs.js'

/** Texts that would run, or break out of where they stand, if they were anything but text. */
const texts = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script><!--',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  '</textarea></option></select></template><svg onload=alert(1)>',
  '{{ page.template }}{% raw %} {wound} {pin} $' + '{alert(1)}',
  '&lt;b&gt;&amp;amp;',
]
const all = texts.join(' ')
/** For titles, which are shorter. */
const some = texts.slice(0, 4).join(' ')
/** Ids that are also members of forms and documents, which they would hide. */
const ids = ['append', 'insertBefore', 'replaceWith', 'remove', 'body', 'location']

const options = texts.map((text, n) => ({ value: `${n} ${text}`, label: text }))
const controls = (prefix: string) => [
  { id: `${prefix}One`, label: all, hint: all, required: true },
  { id: `${prefix}Radios`, label: all, options, allowOther: true },
  { id: `${prefix}Boxes`, label: all, options, couldHaveMultipleValues: true },
  {
    id: `${prefix}List`,
    label: all,
    options: [...options, 'a', 'b', 'c'].map(each => (Object(each).value ? each : { value: each, label: each })),
  },
  { id: `${prefix}Image`, label: all, dataType: 'annotated-image', image: aPicture, imageDescription: all },
  { id: `${prefix}Multiline`, label: all, multiline: true, initial: { value: all } },
  { id: `${prefix}Html`, label: all, dataType: 'html' },
  { id: `${prefix}If`, label: all, relevant: { control: `${prefix}One`, equals: all } },
]
const template = {
  key: 'hostile',
  version: 1,
  status: 'Production',
  title: some,
  introduction: all,
  buildingBlocks: [
    {
      key: 'block',
      title: some,
      sections: [
        {
          id: 'section',
          title: some,
          hint: all,
          controls: [
            { id: 'read', label: all, couldHaveValue: false, text: all },
            ...controls('a'),
            ...ids.map(id => ({ id, label: id })),
          ],
          repeats: [{ id: 'wound', label: all, hint: all, controls: controls('b') }],
        },
      ],
    },
  ],
}

let browser: Browser
let tenant: LaunchTenant
beforeAll(async () => {
  browser = await sharedBrowser()
  tenant = await launchTenant([template])
})
afterAll(() => tenant?.endpoint.stop())

/** All elements that no page of ours has: something was taken for markup. */
const foreign = (page: Page) =>
  page
    .locator('main :is(script, b, svg:not([data-marks]), img:not(.picture img), [onerror], [onload], [onfocus])')
    .count()

test.each([true, false])('whatever authors and people write stays text, with script: %s', async javaScriptEnabled => {
  const url = inject('baseUrl') + tenant.path('hostile')
  const { page, wrong } = await forms.openPage(browser, url, { javaScriptEnabled })
  expect(await page.title()).toBe(some)
  expect(await page.textContent('h1')).toBe(some)
  expect(await page.inputValue('[name=aMultiline]')).toBe(all)
  // Without script the server does each step.
  const press = (button: Locator) => (javaScriptEnabled ? button.click() : forms.follow(button))
  await press(page.locator('button[value^="add:"]'))
  await page.check('[name="bRadios[0]"] >> nth=1')
  await page.selectOption('[name=aList]', { index: 2 })
  await page.fill('[name=aHtml]', all)
  for (const id of ids) await page.fill(`[name=${id}]`, all)
  await press(page.locator('.actions button'))

  // Both found the same: the script without asking the server.
  expect(await forms.summary(page)).toEqual([`${all}: It is required.`, `${all} 1, ${all}: It is required.`])
  expect(await page.inputValue('[name=aHtml]')).toBe(all)
  expect(await page.inputValue('[name=aList]')).toBe(`1 ${texts[1]}`)
  expect(await page.isChecked('[name="bRadios[0]"] >> nth=1')).toBe(true)
  expect(await foreign(page)).toBe(0)

  await page.fill('[name=aOne]', all)
  await page.fill('[name="bOne[0]"]', all)
  await page.fill('[name=aIf]', all)
  await page.click('.actions button')
  await page.waitForURL('**/sent?reference=*')
  expect(await page.textContent('main')).toContain(some)
  expect(await foreign(page)).toBe(0)
  const { xml } = await tenant.endpoint.of(new URL(page.url()).searchParams.get('reference') ?? '')
  const written = all.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  for (const id of ['aOne', 'aIf', 'bOne', 'aHtml', ...ids]) expect(xml).toContain(`<${id}>${written}</${id}>`)
  expect(wrong).toEqual([])
  await page.context().close()
})
