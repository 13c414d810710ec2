// Form pages in a browser without script.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type LaunchTenant, launchTenant } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { sharedBrowser } from '../support/test-programs.js'

// The same pages in a browser that runs no script: the server does each step.
let browser: Browser
let tenant: LaunchTenant
beforeAll(async () => {
  browser = await sharedBrowser()
  tenant = await launchTenant()
})
afterAll(() => tenant?.endpoint.stop())

const open = () =>
  forms.openPage(browser, inject('baseUrl') + tenant.path('visit'), { ...forms.phone, javaScriptEnabled: false })

test('without script a form is filled in step by step, corrected, and sent', async () => {
  const { page, wrong } = await open()
  await page.fill('[name=remarks]', 'Kept <b>through</b> all steps')
  await page.setInputFiles('[name=photo]', { name: 'a.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') })
  await page.check('[name=mobility][value=sits]')
  await forms.follow(page.locator('[data-control=mobility] .clear'))
  expect(await page.locator('[name=mobility]:checked').count()).toBe(0)
  expect(await page.inputValue('[name=remarks]')).toBe('Kept <b>through</b> all steps')
  await forms.follow(page.locator('text=Add Wound'))
  await page.fill('[name="site[0]"]', 'hip')
  await forms.follow(page.locator('text=Add Wound'))
  await page.fill('[name="site[1]"]', 'heel')
  await forms.follow(page.locator('text=Add Dressing').nth(1))
  await page.check('[name="material[1][0]"][value=gauze]')
  expect(await forms.iterations(page)).toEqual(['Wound 1', 'Wound 2', 'Dressing 1'])
  await forms.follow(page.locator('text=Remove Wound 1'))
  expect(await forms.iterations(page)).toEqual(['Wound 1', 'Dressing 1'])
  expect(await page.inputValue('[name="site[0]"]')).toBe('heel')
  expect(await page.isChecked('[name="material[0][0]"][value=gauze]')).toBe(true)
  expect(await page.inputValue('[name=remarks]')).toBe('Kept <b>through</b> all steps')

  await page.fill('[name="image.pins[0].x"]', '25')
  await page.fill('[name="image.pins[0].y"]', '120')
  await page.fill('[name="image.pins[0].value"]', 'bruise')
  await page.fill('[name="place.latitude"]', '48,2')
  await page.fill('[name="onset.month"]', '3')
  await page.fill('[name="seenAt.day"]', '31022026')
  await page.check('[name=mobility][value=""]')
  await page.fill('[name="mobility.other"]', 'with a stick')
  await forms.follow(page.locator('.actions button'))
  await forms.show(page, 'form-plain-errors')
  const faults = await forms.messages(page)
  expect(faults).toEqual({
    visited: 'It is required.',
    onset: expect.stringContaining('It is not a date, a month or a year'),
    seenAt: 'It is not a date and time, such as 2026-03-31 14:30.',
    place: expect.stringContaining('It is not a place'),
    image: expect.stringContaining('Pin 1 is not on the picture'),
  })
  expect(await forms.summary(page)).toEqual([
    `Day of the visit: ${faults.visited}`,
    `First symptoms: ${faults.onset}`,
    `Seen at: ${faults.seenAt}`,
    `Place: ${faults.place}`,
    `Where it hurts: ${faults.image}`,
  ])
  await page.click('text=Day of the visit: It is')
  expect(await page.locator('[name="visited.day"]').evaluate(field => field.matches(':target'))).toBe(true)
  await forms.fillDate(page, 'visited', '2026-11-02')
  expect(await page.inputValue('[name="seenAt.day"]')).toBe('31022026')
  await forms.fillDate(page, 'seenAt', '2026-2-3')
  await page.fill('[name="seenAt.time"]', '9:30')
  await page.fill('[name="image.pins[0].y"]', '12')
  await page.fill('[name="place.longitude"]', '16.37')
  await page.fill('[name="onset.year"]', '2025')
  await page.click('.actions button')

  await page.waitForURL('**/sent?reference=*')
  const { xml } = await tenant.endpoint.of(new URL(page.url()).searchParams.get('reference') ?? '')
  for (const part of [
    '<onset dateKind="yyyy-MM">2025-03-01</onset>',
    '<seenAt>2026-02-03T09:30:00</seenAt>',
    '<remarks>Kept &lt;b&gt;through&lt;/b&gt; all steps</remarks>',
    '<mobility displayName="with a stick" otherValue="with a stick">with a stick</mobility>',
    '<latitude>48.2</latitude><longitude>16.37</longitude>',
    '<annotation position="1" x="25" y="12">bruise</annotation>',
    `<photo>data:image/gif;base64,${Buffer.from('GIF89a').toString('base64')}</photo>`,
    '<wound><site>heel</site><depth/><dressing><material displayName="Label of gauze">gauze</material>',
  ]) {
    expect(xml).toContain(part)
  }
  expect(wrong).toEqual([])
  await page.context().close()
})

test('without script everything is shown, with the sentence when it matters; what does not is not sent', async () => {
  const { page } = await open()
  expect(await page.textContent('[data-control=consentNote] .only-if')).toBe('Only if “Consent” is “Yes”.')
  expect(await page.isVisible('[name=consentNote]')).toBe(true)
  await page.fill('[name=consentNote]', 'Nobody asked')
  await forms.fillDate(page, 'visited', '2026-11-02')
  await page.check('[name=sleep][value="3"]')
  await page.check('[name=energy][value="2"]')
  await page.click('.actions button')
  await page.waitForURL('**/sent?reference=*')
  const { xml } = await tenant.endpoint.of(new URL(page.url()).searchParams.get('reference') ?? '')
  expect(xml).not.toContain('Nobody asked')
  expect(xml).toContain('<total>5</total><severity>severe</severity>')
  await page.context().close()
})
