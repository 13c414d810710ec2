// Automatic saves of a form in a browser.

import type { Browser } from 'playwright-core'
import { beforeAll, expect, inject, test } from 'vitest'
import { gate } from '../support/data-sets.js'
import { type FormsTenant, notesTenant } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { type Patient, textsOf } from '../support/instances.js'
import { sharedBrowser } from '../support/test-programs.js'

// Drafts that save themselves while they are filled in.
let browser: Browser
let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  browser = await sharedBrowser()
  ;({ tenant, patient } = await notesTenant({ autoSaveIntervalSeconds: 30 }))
})

/** Opens a new instance to be filled in, by somebody who has signed in. Its clock can be put forward. */
async function open() {
  const guid = await patient.created()
  const base = inject('baseUrl')
  const path = `/forms/${tenant.tenantKey}/instances/${guid}`
  const context = await browser.newContext(forms.desk)
  const form = { token: tenant.forms.token, to: path }
  await context.request.post(`${base}/forms/${tenant.tenantKey}/sign-in`, { form, maxRedirects: 0 })
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(base + path)
  await forms.ready(page)
  const said = () => page.textContent('[data-save-state]')
  return { page, guid, said, kept: async () => textsOf(await patient.read(guid)) }
}

test('what is filled in is saved by itself, once, and what was saved is completed', async () => {
  const { page, said, kept } = await open()
  let saves = 0
  page.on('request', request => {
    if (request.headers().accept === 'application/json') saves++
  })
  await page.fill('[name=note]', 'first')
  await page.clock.runFor(20_000)
  expect(saves).toBe(0)
  await page.clock.runFor(10_000)
  await expect.poll(said).toMatch(/^Saved at /)
  expect(await kept()).toMatchObject({ note: 'first' })
  await page.clock.runFor(90_000)
  expect(saves).toBe(1)

  const held = gate()
  await page.route('**/instances/*', async route => {
    await held.passed
    await route.continue()
  })
  await page.fill('[name=must]', 'second')
  await page.clock.runFor(30_000)
  // The draft is on its way: the page says that it waits, and sends the ETag of the last save.
  await page.click('.actions .primary')
  await page.waitForSelector('[aria-busy=true] >> text=Sending…')
  expect(saves).toBe(2)
  held.open()
  await page.waitForURL('**/versions/*')
  expect([saves, await kept()]).toEqual([2, { note: 'first', must: 'second' }])
  await page.context().close()
})

test('nothing is saved while the form is being sent, and whoever leaves during a save is warned', async () => {
  const { page, said } = await open()
  const held = gate()
  let saves = 0
  await page.route('**/instances/*', async route => {
    saves++
    await held.passed
    await route.continue()
  })
  await page.fill('[name=note]', 'first')
  await page.clock.runFor(30_000)
  await expect.poll(() => saves).toBe(1)
  const warned = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const warning = await warned
  expect(warning.type()).toBe('beforeunload')
  await warning.dismiss()
  held.open()
  await expect.poll(said).toMatch(/^Saved at /)
  await page.fill('[name=must]', 'second')
  await page.clock.runFor(5_000)
  // The form goes out, and stays on its way.
  await page.evaluate("addEventListener('submit', event => event.preventDefault())")
  await page.click('.actions .primary')
  await page.waitForSelector('[aria-busy=true]')
  await page.clock.runFor(26_000)
  expect(saves, 'the second interval is over').toBe(1)
  await page.clock.runFor(30_000)
  await expect.poll(() => saves, { message: 'sending has failed' }).toBe(2)
  await page.context().close()
})

test('what somebody else has saved meanwhile is not written over, and who fills in is told', async () => {
  const { page, guid, said, kept } = await open()
  await patient.save(guid, { note: 'by another' }, await patient.etag(guid))
  await page.fill('[name=note]', 'mine')
  await page.clock.runFor(30_000)
  await expect.poll(said).toMatch(/^Not saved: somebody else has changed this form/)
  expect(await kept()).toMatchObject({ note: 'by another' })
  expect(await page.inputValue('[name=note]')).toBe('mine')
  await page.context().close()
})
