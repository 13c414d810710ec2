// Launch pages in a browser.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type LaunchTenant, launchTenant } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { sharedBrowser, xmlFaults } from '../support/test-programs.js'

// A person's way: a form is launched, filled in, sent, and arrives.
let browser: Browser
let tenant: LaunchTenant
let url: string
beforeAll(async () => {
  browser = await sharedBrowser()
  tenant = await launchTenant()
  url = inject('baseUrl') + tenant.path('visit')
})
afterAll(() => tenant?.endpoint.stop())

const send = (page: Page) => page.click('.actions button')

test.each([
  ['phone', forms.phone],
  ['desk in the dark', { ...forms.desk, colorScheme: 'dark' }],
] as const)('at a %s a form is filled in, corrected, sent, and what arrives is valid', async (name, options) => {
  const { page, wrong } = await forms.openPage(browser, url, { ...options, hasTouch: true })
  await forms.show(page, `form-blank-${name}`)
  expect(await forms.accessibilityFaults(page)).toEqual([])

  await page.click('text=Add Wound')
  expect(await forms.focused(page)).toBe('site[0]')
  await page.click('text=Add Wound')
  await page.fill('[name="depth[1]"]', '12,5')
  await page.fill('[name="deep[1]"]', 'Long <untreated>')
  await page.locator('text=Add Dressing').nth(1).click()
  await page.check('[name="material[1][0]"][value=foam]')
  await page.tap('.picture img', { position: { x: 100, y: 60 } })
  await page.keyboard.type('A bruise')
  await page.check('[name=sleep][value="3"]')
  await page.fill('[name=weight]', '9999')
  await send(page)

  const required = 'It is required.'
  expect(await forms.messages(page)).toEqual({
    visited: required,
    weight: 'It is more than 500 kg.',
    'site[0]': required,
    'site[1]': required,
  })
  expect(await forms.summary(page)).toEqual([
    `Day of the visit: ${required}`,
    'Weight: It is more than 500 kg.',
    `Wound 1, Site: ${required}`,
    `Wound 2, Site: ${required}`,
  ])
  expect(await page.locator('[data-summary]:focus').count()).toBe(1)
  await forms.show(page, `form-errors-${name}`)
  expect(await forms.accessibilityFaults(page)).toEqual([])

  await page.click('text=Wound 2, Site')
  expect(await forms.focused(page)).toBe('site[1]')
  await page.keyboard.type('heel')
  await forms.fillDate(page, 'visited', '2026-11-02')
  await page.fill('[name=weight]', '71.50')
  expect(await forms.messages(page)).toEqual({ 'site[0]': required })
  await page.click('text=Remove Wound 1')
  expect(await forms.iterations(page)).toEqual(['Wound 1', 'Dressing 1'])
  await page.fill('[name="onset.year"]', '2026')
  await page.fill('[name="onset.month"]', '3')
  await send(page)

  await page.waitForURL('**/sent?reference=*')
  await forms.show(page, `form-sent-${name}`)
  expect(await page.textContent('h1')).toBe('Your form was sent')
  expect(await forms.accessibilityFaults(page)).toEqual([])
  const { xml } = await tenant.endpoint.of(new URL(page.url()).searchParams.get('reference') ?? '')
  const headers = { authorization: `Bearer ${tenant.forms.token}` }
  const schema = await fetch(`${inject('baseUrl')}/api/v2.0/tenant/${tenant.tenantKey}/formschema/visit/1`, { headers })
  expect(await xmlFaults(await schema.text(), [xml])).toEqual([''])
  expect(xml).toContain(
    '<wounds><woundList><wound><site>heel</site><depth>12.5</depth><deep>Long &lt;untreated&gt;</deep>' +
      '<dressing><material displayName="Label of foam">foam</material><changed/></dressing></wound></woundList></wounds>',
  )
  expect(xml).toContain('<weight>71.50</weight>')
  expect(xml).toContain('<onset dateKind="yyyy-MM">2026-03-01</onset>')
  expect(xml).toMatch(/<annotation position="1" x="[\d.]+" y="[\d.]+">A bruise<\/annotation>/)
  expect(wrong).toEqual([])
  await page.context().close()
})

test('a second press does not send twice', async () => {
  const { page } = await forms.openPage(browser, url)
  await forms.fillDate(page, 'visited', '2026-11-02')
  const posts: string[] = []
  page.on('request', request => request.method() === 'POST' && posts.push(request.url()))
  await page.dblclick('.actions button')
  await page.waitForURL('**/sent?reference=*')
  expect(posts).toHaveLength(1)
  await page.context().close()
})

test('without a connection nothing is sent and nothing is lost', async () => {
  const { page } = await forms.openPage(browser, url)
  await forms.fillDate(page, 'visited', '2026-11-02')
  await page.context().setOffline(true)
  await send(page)
  expect(await forms.summary(page)).toEqual([
    'There is no connection. Nothing was sent, and nothing is lost: try again later.',
  ])
  await page.context().setOffline(false)
  expect(await page.inputValue('[name="visited.day"]')).toBe('02')
  await send(page)
  await page.waitForURL('**/sent?reference=*')
  await page.context().close()
})
