// The pages of a form instance in a browser.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect, inject, test } from 'vitest'
import { addPerson, aTemplate, type FormsTenant, formsTenant, someValues } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { editPath, type Patient, patientOf, textsOf } from '../support/instances.js'
import { pdfText } from '../support/pdf-text.js'
import { sharedBrowser } from '../support/test-programs.js'

// A person's way with a form that is kept: signed in by an application, filled in, saved, completed, amended, read.
const hostile = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>{{ 7 }}'

/** The origin of an application of the tenant. */
const application = 'http://application.example'

let browser: Browser
let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  browser = await sharedBrowser()
  tenant = await formsTenant({ applications: [application] })
  const visit = { key: 'visit', title: 'Home visit' }
  await tenant.publish(
    aTemplate({ ...visit, autoSaveIntervalSeconds: 5 }),
    aTemplate({ ...visit, version: 2, autoSaveIntervalSeconds: 3600, title: hostile }),
  )
  patient = patientOf(tenant)
})

const address = (path: string) => inject('baseUrl') + path
const create = (formVersion = 1) => patient.created({ formKey: 'visit', formVersion })
const button = (page: Page, name: string) => page.locator(`.actions button:not([data-default]):text-is("${name}")`)
const banner = (page: Page) => page.textContent('.banner-title')
const answer = (page: Page, id: string) => page.locator(`[data-control=${id}] dd`).allTextContents()

/** Posts a user's token from a page of another site, as an application of the tenant does. */
async function postToken(page: Page, guid: string, site: string): Promise<void> {
  const to = editPath(tenant.tenantKey, guid)
  const body = `<form method="post" action="${address(`/forms/${tenant.tenantKey}/sign-in`)}">
    <input name="token" value="${tenant.forms.token}"><input name="to" value="${to}"><button>Open</button></form>`
  await page.route(`${site}/`, route => route.fulfill({ contentType: 'text/html', body }))
  await page.goto(`${site}/`)
  await page.click('button')
  await page.waitForURL(address('/**'))
}

async function signIn(page: Page, guid: string): Promise<void> {
  await postToken(page, guid, application)
  expect(new URL(page.url()).pathname).toContain(editPath(tenant.tenantKey, guid))
}

/** The page of an instance in a browser of its own, where somebody has signed in. */
async function openSignedIn(guid: string, options: BrowserContextOptions = {}): Promise<forms.OpenedPage> {
  const page = await forms.newPage(browser, options)
  // A test says when the interval of the autosave is over.
  if (options.javaScriptEnabled !== false) await page.clock.install()
  const form = { token: tenant.forms.token, to: editPath(tenant.tenantKey, guid) }
  await page.request.post(address(`/forms/${tenant.tenantKey}/sign-in`), { form, maxRedirects: 0 })
  await page.goto(address(form.to))
  return { page, wrong: forms.watched(page, address('/')) }
}

/** Looks at a page as it is at a phone and at a desk. Each page is held usable by everybody in test/long/page-looks.test.ts. */
async function look(page: Page, name: string): Promise<void> {
  for (const [size, { viewport }] of Object.entries({ phone: forms.phone, desk: forms.desk })) {
    await page.setViewportSize(viewport)
    await forms.show(page, `instance-${name}-${size}`)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }
}

test.concurrent('a form is filled in, saved, completed, amended, withdrawn and read', async () => {
  const guid = await create()
  const stranger = await forms.newPage(browser)
  await stranger
    .context()
    .addCookies([{ name: 'armature-forms', value: 'old', url: address(`/forms/${tenant.tenantKey}/`) }])
  await stranger.goto(address(editPath(tenant.tenantKey, guid)))
  expect(await stranger.textContent('h1')).toBe('You are not signed in')
  await look(stranger, 'stranger')
  expect(await forms.accessibilityFaults(stranger)).toEqual([])
  await stranger.context().close()

  const { page, wrong } = await openSignedIn(guid)
  await forms.ready(page)
  await look(page, 'new')
  expect(await forms.accessibilityFaults(page)).toEqual([])
  await page.fill('[name=remarks]', 'Slept well')
  await page.clock.runFor(5_000)
  await page.locator('[data-save-state]', { hasText: /^Saved at/ }).waitFor()
  expect(await patient.read(guid)).toMatchObject({ body: { status: 'Draft' } })
  expect(textsOf(await patient.read(guid))).toMatchObject({ remarks: 'Slept well' })
  await page.fill('[name=weight]', '71,5')
  await button(page, 'Save draft').click()
  await page.waitForURL('**?done=save')
  await forms.ready(page)
  expect([await banner(page), await page.inputValue('[name=weight]')]).toEqual(['The draft is saved', '71.5'])
  await look(page, 'saved')

  await button(page, 'Complete').click()
  expect(await forms.summary(page)).toEqual(['Day of the visit: It is required.'])
  await look(page, 'errors')
  await forms.fillDate(page, 'visited', '2026-11-02')
  await button(page, 'Complete').click()
  await page.waitForURL('**/versions/*?done=complete')
  expect([await banner(page), await answer(page, 'visited')]).toEqual(['The form is complete', ['2 November 2026']])
  await page.emulateMedia({ media: 'print' })
  expect(await page.isVisible('.banner')).toBe(false)
  await page.emulateMedia({ media: 'screen' })

  await button(page, 'Amend').click()
  await forms.ready(page)
  await page.fill('[name=remarks]', 'Slept badly')
  await button(page, 'Complete').click()
  await page.waitForURL('**/versions/*?done=complete')
  expect(await answer(page, 'remarks')).toEqual(['Slept badly'])
  await button(page, 'Amend').click()
  await forms.ready(page)
  await page.fill('[name=remarks]', 'Nonsense')
  await button(page, 'Discard amendment').click()
  await look(page, 'question')
  expect(await forms.accessibilityFaults(page)).toEqual([])
  await page.click('dialog button:text-is("Discard amendment")')
  await page.waitForURL('**/versions/*?done=discard')
  expect([await banner(page), await answer(page, 'remarks')]).toEqual(['The amendment was discarded', ['Slept badly']])

  const [earlier] = (await patient.history(guid)).body.compositeInstanceHistory.filter(each => !each.isDeleted)
  await page.goto(address(earlier?.viewLink ?? ''))
  expect(await banner(page)).toBe('There is a later version of this form')
  await forms.follow(page.locator('text=Show the current version'))
  expect(await answer(page, 'remarks')).toEqual(['Slept badly'])
  await patient.withdraw(guid)
  await page.reload()
  expect(await page.textContent('h1')).toBe('This form was withdrawn')
  await look(page, 'withdrawn')
  await forms.follow(page.locator('text=Show it nevertheless'))
  expect([await banner(page), await answer(page, 'remarks')]).toEqual(['Withdrawn', ['Slept badly']])
  await page.emulateMedia({ media: 'print' })
  expect(await page.isVisible('.banner')).toBe(true)
  await page.emulateMedia({ media: 'screen' })
  await patient.reinstate(guid)
  await page.reload()
  expect([await page.locator('.banner').count(), await button(page, 'Amend').isVisible()]).toEqual([0, true])
  expect(wrong).toEqual([])
  await page.context().close()
})

test.concurrent('a form with answers of every kind is read on the screen and on paper', async () => {
  const guid = await create()
  await patient.submit(guid, someValues)
  const { page, wrong } = await openSignedIn(guid)
  await page.waitForURL('**/versions/*')
  await look(page, 'view')
  await page.emulateMedia({ media: 'print' })
  expect(await button(page, 'Amend').isVisible()).toBe(false)
  await forms.show(page, 'instance-print')
  const pdf = await page.pdf({ format: 'A5' })
  const paper = pdfText(pdf)
  const texts =
    'Home visit, Name, Ada Byron, Date of birth, Not recorded, National id, Complete, Day of the visit, 2 November 2026, 71.50 kg, The daughter, Slept well, ' +
    'Label of pain, with a stick, bruise, Wound 2, left heel, hip, Dressing 1, Label of foam'
  for (const text of texts.split(', ')) {
    expect(paper).toContain(text.replaceAll(' ', ''))
  }
  expect(paper).not.toContain('Amend')
  // Sheets come apart: each says whose it is.
  const sheets = pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0
  expect(sheets).toBeGreaterThan(1)
  expect(paper.match(/AdaByron/g)).toHaveLength(sheets)
  expect(wrong).toEqual([])
  await page.context().close()
})

test.concurrent('without script the plain buttons do the same', async () => {
  const guid = await create()
  const { page, wrong } = await openSignedIn(guid, { ...forms.phone, javaScriptEnabled: false })
  await page.fill('[name=remarks]', 'Kept')
  await forms.follow(page.locator('text=Add Wound'))
  await page.fill('[name="site[0]"]', 'heel')
  await forms.follow(button(page, 'Save draft'))
  expect([await banner(page), await page.inputValue('[name="site[0]"]')]).toEqual(['The draft is saved', 'heel'])
  await forms.follow(button(page, 'Complete'))
  expect(await forms.messages(page)).toEqual({ visited: 'It is required.' })
  await forms.fillDate(page, 'visited', '2026-11-02')
  await forms.follow(button(page, 'Complete'))
  expect([await banner(page), await answer(page, 'site')]).toEqual(['The form is complete', ['heel']])
  await forms.follow(button(page, 'Amend'))
  expect(await page.inputValue('[name=remarks]')).toBe('Kept')
  await forms.follow(button(page, 'Discard amendment'))
  expect(await banner(page)).toBe('The amendment was discarded')
  expect(wrong).toEqual([])
  await page.context().close()
})

test.concurrent('the second of two editors is told, and keeps what was entered', async () => {
  const guid = await create()
  const first = await openSignedIn(guid)
  const second = await openSignedIn(guid)
  await Promise.all([forms.ready(first.page), forms.ready(second.page)])
  await first.page.fill('[name=remarks]', 'By the first')
  await button(first.page, 'Save draft').click()
  await first.page.waitForURL('**?done=save')
  await second.page.fill('[name=remarks]', 'By the second')
  await second.page.clock.runFor(5_000)
  await second.page.locator('[data-save-state]', { hasText: /^Not saved: somebody else/ }).waitFor()
  await button(second.page, 'Save draft').click()
  await second.page.waitForSelector('.banner')
  expect(await banner(second.page)).toBe('Somebody else has changed this form meanwhile')
  expect(await second.page.inputValue('[name=remarks]')).toBe('By the second')
  await look(second.page, 'conflict')
  await second.page.click('text=Open the form as it is now')
  await forms.ready(second.page)
  expect(await second.page.inputValue('[name=remarks]')).toBe('By the first')
  expect(first.wrong).toEqual([])
  // The browser says in its console that the server has refused what the page has sent by itself.
  expect(second.wrong.filter(text => !text.includes('412'))).toEqual([])
  await Promise.all([first.page.context().close(), second.page.context().close()])
})

test.concurrent('whose sign-in has expired signs in again elsewhere, sends again, and nothing is lost', async () => {
  const guid = await create(2)
  const { page } = await openSignedIn(guid)
  await forms.ready(page)
  await page.fill('[name=remarks]', 'Much work')
  await page.context().clearCookies()
  await button(page, 'Save draft').click()
  await page.waitForSelector('text=You are not signed in')
  await look(page, 'expired')
  await signIn(await page.context().newPage(), guid)
  await page.reload()
  await page.waitForURL('**?done=save')
  expect(textsOf(await patient.read(guid))).toMatchObject({ remarks: 'Much work' })
  await page.context().close()
})

test.concurrent('titles, values, context and names are text on every page', async () => {
  const subjectId = await addPerson(tenant, 'hostile', { givenName: hostile, familyName: '{{ 7 }}' })
  const theirs = patientOf({ ...tenant, subjectId })
  const guid = await theirs.created({
    formKey: 'visit',
    formVersion: 2,
    instanceContext: { ward: hostile, [hostile]: hostile },
  })
  const { page, wrong } = await openSignedIn(guid)
  await forms.ready(page)
  expect([await page.inputValue('[name=ward]'), await page.textContent('.person')]).toEqual([
    hostile,
    expect.stringContaining(hostile),
  ])
  await forms.fillDate(page, 'visited', '2026-11-02')
  await page.fill('[name=ward]', 'B12')
  await page.fill('[name=remarks]', hostile)
  await button(page, 'Complete').click()
  await page.waitForURL('**/versions/*?done=complete')
  await page.emulateMedia({ media: 'print' })
  expect([await page.textContent('h1'), await answer(page, 'remarks')]).toEqual([hostile, [hostile]])
  expect(await page.textContent('.person')).toContain(hostile)
  await theirs.withdraw(guid, hostile)
  await page.reload()
  expect(await page.textContent('main')).toContain(hostile)
  expect(await page.locator('main script, main img').count()).toBe(0)
  expect(wrong).toEqual([])
  await page.context().close()
})

test.concurrent('a page of a site that is no application of the tenant signs nobody in', async () => {
  const guid = await create()
  const page = await forms.newPage(browser)
  await postToken(page, guid, 'http://evil.example')
  expect(await page.textContent('h1')).toBe('This form cannot be opened')
  expect(await page.textContent('body')).toContain('Pages of http://evil.example may not pass on tokens')
  await look(page, 'foreign-token')
  expect(await page.context().cookies()).toEqual([])
  await page.goto(address(editPath(tenant.tenantKey, guid)))
  expect(await page.textContent('h1')).toBe('Sign in')
  await page.context().close()
})
