// The script of a form page.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type LaunchTenant, launchTenant } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { sharedBrowser } from '../support/test-programs.js'

// What the script adds to a page.
let browser: Browser
let tenant: LaunchTenant
let url: string
beforeAll(async () => {
  browser = await sharedBrowser()
  tenant = await launchTenant()
  url = inject('baseUrl') + tenant.path('visit')
})
afterAll(() => tenant?.endpoint.stop())

/** Opens the form, and in the end looks whether anything went wrong besides. */
async function onForm(does: (page: Page) => Promise<unknown>, options: Parameters<typeof forms.openPage>[2] = {}) {
  const { page, wrong } = await forms.openPage(browser, url, options)
  await does(page)
  expect(wrong).toEqual([])
  await page.context().close()
}

test('what is relevant is shown, what is calculated is calculated, as soon as it can be', () =>
  onForm(async page => {
    expect(await page.isVisible('[name=consentNote]')).toBe(false)
    await page.check('[name=consent][value=true]')
    expect(await page.isVisible('[name=consentNote]')).toBe(true)
    await page.check('[name=consent][value=false]')
    expect(await page.isVisible('[name=consentNote]')).toBe(false)

    const score = () => page.locator('#total, #severity').allTextContents()
    await page.check('[name=sleep][value="2"]')
    expect(await score()).toEqual(['', ''])
    await page.check('[name=energy][value="0"]')
    expect(await score()).toEqual(['2', 'mild'])
    await page.check('[name=energy][value="1"]')
    expect(await score()).toEqual(['3', 'severe'])
  }))

test('a message waits until a field is left, and goes as soon as it is right', () =>
  onForm(async page => {
    await page.locator('[name=weight]').focus()
    await page.keyboard.type('x')
    expect(await forms.messages(page)).toEqual({})
    await page.keyboard.press('Tab')
    expect(await forms.messages(page)).toEqual({ weight: expect.stringContaining('It is not a number') })
    expect(await page.getAttribute('[name=weight]', 'aria-invalid')).toBe('true')
    await page.fill('[name=weight]', '5')
    expect(await forms.messages(page)).toEqual({})
    expect(await page.getAttribute('[name=weight]', 'aria-invalid')).toBe(null)
    // Passing by is no mistake.
    await page.locator('[name="visited.day"]').focus()
    await page.locator('[name=weight]').focus()
    expect(await forms.messages(page)).toEqual({})
  }))

test('iterations are added up to the most there may be; one with something in it is removed only when that is confirmed', () =>
  onForm(async page => {
    for (let n = 0; n < 5; n++) await page.click('text=Add Wound')
    expect(await page.isVisible('text=Add Wound')).toBe(false)
    await page.click('text=Remove Wound 2')
    expect(await forms.iterations(page)).toEqual(['Wound 1', 'Wound 2', 'Wound 3', 'Wound 4'])
    expect(await page.textContent('.visually-hidden[role=status]')).toBe('Wound 2 removed.')
    expect(await forms.focused(page)).toBe('site[2]')
    await page.fill('[name="site[2]"]', 'hip')
    await page.click('text=Remove Wound 2')
    expect(await page.textContent('dialog p')).toBe('Remove Wound 2 and what is filled in there?')
    expect(await forms.accessibilityFaults(page)).toEqual([])
    await page.click('dialog >> text=Cancel')
    expect(await page.inputValue('[name="site[2]"]')).toBe('hip')
    await page.click('text=Remove Wound 2')
    await page.click('dialog .danger')
    await page.waitForSelector('[name="site[2]"]', { state: 'detached' })
    expect(await forms.iterations(page)).toEqual(['Wound 1', 'Wound 2', 'Wound 3'])
  }))

test('a pin is placed, dragged, moved by keys and removed; the others are numbered anew', () =>
  onForm(async page => {
    const names = () => forms.pins(page).evaluateAll(all => all.map(each => each.getAttribute('aria-label')))
    const picture = page.locator('.picture img')
    await picture.scrollIntoViewIfNeeded()
    const box = (await picture.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const at = (x: number, y: number) => [box.x + (box.width * x) / 100, box.y + (box.height * y) / 100] as const
    await page.mouse.click(...at(25, 50))
    expect(await forms.focused(page)).toBe('image.pins[0].value')
    await page.keyboard.type('first')
    await page.mouse.move(...at(25, 50))
    await page.mouse.down()
    await page.mouse.move(...at(60, 20), { steps: 3 })
    await page.mouse.move(...at(75, 40), { steps: 3 })
    await page.mouse.up()
    expect(await names()).toEqual(['Pin 1, 75 % from the left, 40 % from the top'])

    await page.click('text=Add a pin')
    for (const key of ['ArrowLeft', 'ArrowUp', 'Shift+ArrowLeft']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await page.keyboard.type('second')
    expect((await names()).at(1)).toBe('Pin 2, 44 % from the left, 49 % from the top')
    await forms.pins(page).first().focus()
    await page.keyboard.press('Delete')
    expect(await names()).toEqual(['Pin 1, 44 % from the left, 49 % from the top'])
    expect(await page.locator('[data-pin] > legend').allTextContents()).toEqual(['Pin 1'])
    expect(await page.inputValue('[data-pin] [name$=".value"]')).toBe('second')
  }))

test('the browser fills in the place where it may, and says why where it may not', () =>
  onForm(
    async page => {
      const said = () => page.textContent('[data-position] [role=status]')
      await page.click('text=Use my position')
      await expect.poll(said).toContain('The browser may not say where you are.')
      await page.context().grantPermissions(['geolocation'])
      await page.click('text=Use my position')
      await expect.poll(said).toBe('Filled in, accurate to 13 m.')
      expect(
        await page.locator('[data-position] input').evaluateAll(all => all.map(each => Reflect.get(each, 'value'))),
      ).toEqual(['48.20821', '-16.3738'])
    },
    { geolocation: { latitude: 48.20821, longitude: -16.3738, accuracy: 12.3 } },
  ))

test('a day that does not exist is told beside its fields, and keeps the form from being sent', () =>
  onForm(async page => {
    await forms.fillDate(page, 'seenAt', '2026-02-31')
    await page.fill('[name="seenAt.time"]', '14:30')
    await page.locator('[name=weight]').focus()
    const seenAt = 'It is not a date and time, such as 2026-03-31 14:30.'
    expect(await forms.messages(page)).toEqual({ seenAt })
    await forms.fillDate(page, 'visited', '2026-11-02')
    await page.click('.actions button')
    expect(await forms.summary(page)).toEqual([`Seen at: ${seenAt}`])
    await page.fill('[name="seenAt.day"]', '28')
    expect(await forms.messages(page)).toEqual({})
  }))

test("the browser's picker fills in the fields, and begins with what they say", () =>
  onForm(async page => {
    const picker = (id: string) => page.locator(`[data-control=${id}] .picker`)
    /** Presses the button of a control, and says what its picker begins with. */
    const opened = async (id: string) => {
      await page.locator(`[data-control=${id}] .picks button`).click()
      const value = await picker(id).inputValue()
      await page.keyboard.press('Escape')
      return value
    }
    const typed = (id: string) =>
      page
        .locator(`[data-control=${id}] input[name]`)
        .evaluateAll(all => all.map(each => Reflect.get(each, 'value')).join(' '))
    await forms.fillDate(page, 'visited', '2026-1-2')
    expect(await opened('visited')).toBe('2026-01-02')
    await picker('visited').fill('2026-11-03')
    expect(await typed('visited')).toBe('03 11 2026')
    expect(await picker('visited').getAttribute('max')).toBe('2999-12-31')
    await forms.fillDate(page, 'seenAt', '2026-02-31')
    expect(await opened('seenAt')).toBe('')
    await picker('seenAt').fill('2026-02-28T14:30')
    expect(await typed('seenAt')).toBe('28 02 2026 14:30')
    await picker('at').fill('09:05')
    expect([await typed('at'), await opened('at')]).toEqual(['09:05', '09:05'])
    expect(await forms.messages(page)).toEqual({})
  }))

test('a file that is too large or of another kind is told before it is sent', () =>
  onForm(async page => {
    const choose = (mimeType: string, size: number) =>
      page.setInputFiles('[name=photo]', { name: 'file', mimeType, buffer: Buffer.alloc(size) })
    await choose('image/png', 200_000)
    expect(await forms.messages(page)).toEqual({ photo: expect.stringContaining('at most 98 KB are allowed') })
    await choose('text/plain', 1)
    expect(await forms.messages(page)).toEqual({ photo: expect.stringContaining('text/plain') })
    await choose('image/png', 1_000)
    expect(await forms.messages(page)).toEqual({})
  }))

test("a text of one's own is asked for where it is chosen, and gone when it no longer is", () =>
  onForm(async page => {
    const own = page.locator('[name="mobility.other"]')
    expect(await own.isVisible()).toBe(false)
    await page.check('[id="mobility:own"]')
    await own.fill('crawls')
    await page.check('[name=mobility][value=sits]')
    expect([await own.isVisible(), await own.inputValue()]).toEqual([false, ''])
  }))

test('a choice is cleared, and its button is there only while something is chosen', () =>
  onForm(async page => {
    const clear = page.locator('[data-control=mobility] .clear')
    expect(await clear.isVisible()).toBe(false)
    await page.check('[name=mobility][value=sits]')
    await clear.click()
    expect([await page.locator('[name=mobility]:checked').count(), await clear.isVisible()]).toEqual([0, false])
    await page.check('[id="mobility:own"]')
    await page.fill('[name="mobility.other"]', 'crawls')
    await clear.click()
    expect(await page.inputValue('[name="mobility.other"]')).toBe('')
    expect(await forms.focused(page)).toBe('mobility')
  }))

test('the list of faults and the title say what is left of them', () =>
  onForm(async page => {
    const title = await page.title()
    await page.click('text=Add Wound')
    await page.click('text=Add Wound')
    await page.fill('[name=weight]', 'much')
    await page.click('.actions button')
    const [day, weight] = ['Day of the visit: It is required.', 'Weight: It is not a number, such as 1500 or 12.5.']
    const sites = ['Wound 1, Site: It is required.', 'Wound 2, Site: It is required.']
    expect(await forms.summary(page)).toEqual([day, weight, ...sites])
    expect(await page.title()).toBe(`Error: ${title}`)
    await forms.fillDate(page, 'visited', '2026-11-02')
    expect(await forms.summary(page)).toEqual([weight, ...sites])
    await page.fill('[name=weight]', '9999')
    expect(await forms.summary(page)).toEqual(['Weight: It is more than 500 kg.', ...sites])
    await page.click('text=Remove Wound 1')
    expect(await forms.summary(page)).toEqual(['Weight: It is more than 500 kg.', sites[0]])
    // A fault that was not told yet does not enter the list.
    await page.fill('[name=beats]', 'fast')
    await page.fill('[name=weight]', '70')
    await page.fill('[name="site[1]"]', 'heel')
    expect([await forms.summary(page), await page.title()]).toEqual([[], title])
    expect(await forms.messages(page)).toEqual({ beats: expect.any(String) })
  }))

test('by keyboard alone a form is filled in and sent', () =>
  onForm(async page => {
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    /** Goes on to what has this name or says this. */
    const goTo = async (name: string) => {
      for (let n = 0; n < 60 && (await forms.focused(page)) !== name; n++) await press('Tab')
      expect(await forms.focused(page)).toBe(name)
    }
    for (const [part, text] of Object.entries({ day: '2', month: '11', year: '2026' })) {
      await goTo(`visited.${part}`)
      await page.keyboard.type(text)
    }
    await goTo('consent')
    await press('Space')
    await goTo('consentNote')
    await page.keyboard.type('The daughter')
    await goTo('Add a pin')
    await press('Enter', 'ArrowRight', 'Enter')
    await page.keyboard.type('bruise')
    await goTo('Add Wound')
    await press('Enter')
    // Enter in a field sends the form, and does not press the nearest button.
    await press('Enter')
    expect(await forms.summary(page)).toEqual(['Wound 1, Site: It is required.'])
    await press('Tab', 'Enter')
    await page.keyboard.type('heel')
    await press('Enter')
    await page.waitForURL('**/sent?reference=*')
    const { xml } = await tenant.endpoint.of(new URL(page.url()).searchParams.get('reference') ?? '')
    expect(xml).toContain('<visited>2026-11-02</visited>')
    expect(xml).toContain('<consentNote>The daughter</consentNote>')
    expect(xml).toMatch(/<annotation position="1" x="51" y="50">bruise</)
    expect(xml).toContain('<wound><site>heel</site>')
  }))

test('leaving a changed form is asked about, leaving an untouched one is not', async () => {
  for (const isChanged of [false, true]) {
    const { page, wrong } = await forms.openPage(browser, url)
    if (isChanged) await page.locator('[name=remarks]').pressSequentially('x')
    else await page.locator('[name=remarks]').click()
    await page.close({ runBeforeUnload: true })
    await expect.poll(() => page.isClosed() || wrong.length > 0).toBe(true)
    expect(wrong).toEqual(isChanged ? ['dialog: '] : [])
    await page.context().close()
  }
})
