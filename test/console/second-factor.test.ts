// People sign in to the console with a second factor, in a browser that has passkeys.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { aPerson, consoleOf, typePassword } from '../support/console.js'
import { accessibilityFaults, desk, phone, show, watched } from '../support/form-pages.js'
import { startOwnApi } from '../support/own-api.js'
import { codeAt, setUpApp } from '../support/second-factor.js'
import { sharedBrowser } from '../support/test-programs.js'

const tenant = await newTenant(inject('baseUrl'))
let mine: Awaited<ReturnType<typeof startOwnApi>>
let site: string
// Browsers make no passkeys for an IP address.
beforeAll(async () => {
  mine = await startOwnApi(port => ({ PUBLIC_URL: `http://localhost:${port}`, SECOND_FACTOR: 'everybody' }))
  await mine.live()
  site = `http://localhost:${mine.port}`
}, 60_000)
afterAll(() => mine.stop())

/** Opens the console in a browser whose device makes passkeys. */
async function openHere() {
  const context = await (await sharedBrowser()).newContext(desk)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const device = await context.newCDPSession(page)
  await device.send('WebAuthn.enable')
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const wrong = watched(page, site)
  await page.goto(`${site}/console/`)
  return { page, wrong, device, authenticatorId }
}

/** Shows a page to people in both sizes and colours, and finds no fault in it. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityFaults(page)).toEqual([])
    for (const [size, { viewport }] of Object.entries({ phone, desk })) {
      await page.setViewportSize(viewport)
      await show(page, `${name}-${size}-${colorScheme}`)
    }
  }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const inConsole = (page: Page) => page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()

test('who needs a second factor makes a passkey, is asked for it, and may sign in with it alone', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  const { page, wrong, device, authenticatorId } = await openHere()
  await press(page, 'Sign in')
  await typePassword(page, person)
  await page.getByText('Set one up to go on').waitFor()
  await look(page, 'set-up-factor')
  await press(page, 'Make a passkey')
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  expect(await page.getByRole('listitem').count()).toBe(10)
  await look(page, 'recovery-codes')
  await press(page, 'I have kept them')
  await inConsole(page)

  await page.getByRole('link', { name: 'Your account' }).click()
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  expect(await page.getByRole('listitem').first().textContent()).toContain('Passkey')
  await look(page, 'own-account')
  await page.getByRole('link', { name: 'Open the console' }).click()

  await press(page, 'Sign out')
  await press(page, 'Sign in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await look(page, 'sign-in-with-passkey')
  await typePassword(page, person)
  await page.getByRole('heading', { name: 'Second factor' }).waitFor()
  await look(page, 'second-factor')
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await press(page, 'Use your passkey')
  await page.getByText('given no passkey').waitFor()
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await press(page, 'Use your passkey')
  await inConsole(page)

  await press(page, 'Sign out')
  await press(page, 'Sign in')
  await press(page, 'Sign in with a passkey')
  await inConsole(page)
  expect(wrong).toEqual([])
})

test('who opens the page anew after setting a factor up signs in as whoever types a password then', async () => {
  const [first, second] = [await aPerson(tenant.tenantKey, 'owner'), await aPerson(tenant.tenantKey, 'owner')]
  const { page } = await openHere()
  await press(page, 'Sign in')
  await typePassword(page, first)
  await press(page, 'Make a passkey')
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
  await page.goto(page.url())
  await typePassword(page, second)
  await page.getByText('Set one up to go on').waitFor()
})

test('who needs a second factor sets up an app by the keyboard', async () => {
  const person = await aPerson(tenant.tenantKey, 'operator')
  const { page } = await openHere()
  await press(page, 'Sign in')
  await typePassword(page, person)
  const secret = (await page.locator('.secret').textContent()) ?? ''
  await page.getByLabel('Code that it shows now').press('ControlOrMeta+a')
  await page.keyboard.type(codeAt(secret.replaceAll(' ', '')))
  await page.keyboard.press('Enter')
  await press(page, 'I have kept them')
  await inConsole(page)
})

test('an owner removes the second factor of somebody who has lost it', async () => {
  const person = await aPerson(tenant.tenantKey, 'auditor')
  await setUpApp(person)
  const page = await consoleOf(tenant, 'accounts')
  const row = page.getByRole('row', { name: person.email })
  await row.getByText('has a second factor').waitFor()
  await show(page, 'accounts-with-second-factor')
  expect(await accessibilityFaults(page)).toEqual([])
  await press(page, `Remove second factors of ${person.email}`)
  await row.getByText('has a second factor').waitFor({ state: 'detached' })
})
