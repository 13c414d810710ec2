// The way into the console: its address, its page, and signing in.
import { gzipSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { aLink, anAccount, aPerson, consoleOf, openConsole, signIn, typePassword } from '../support/console.js'
import { accessibilityFaults, show } from '../support/form-pages.js'

const baseUrl = inject('baseUrl')
const tenant = await newTenant(baseUrl)
const ada = await aPerson(tenant.tenantKey, 'owner')

test('a browser that asks for / is led to the console, and a program is not', async () => {
  const asked = (accept: string) => fetch(baseUrl, { headers: { accept }, redirect: 'manual' })
  const browser = await asked('text/html,application/xhtml+xml,*/*;q=0.8')
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console/'])
  expect((await asked('*/*')).status).toBe(404)
})

test('its page runs nothing but its own script, which is small', async () => {
  const { headers } = await fetch(`${baseUrl}/console/jobs`)
  const policy = headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  let size = 0
  for (const [name, type] of [
    ['console.js', 'text/javascript'],
    ['console.css', 'text/css'],
  ] as const) {
    const answer = await fetch(`${baseUrl}/console/${name}`)
    expect(answer.headers.get('content-type')).toContain(type)
    size += gzipSync(await answer.arrayBuffer()).length
  }
  expect(size, 'bytes to load, compressed').toBeLessThan(100_000)
})

test('a person signs in, at the same address, and after signing out the next one has to', async () => {
  const page = await openConsole('jobs?Status=Failed')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await typePassword(page, { ...ada, password: 'wrong' })
  expect(await page.getByRole('alert').textContent()).toContain('is wrong')
  await show(page, 'sign-in')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await show(page, 'sign-in-dark')
  expect(await accessibilityFaults(page)).toEqual([])
  expect(await page.getByLabel('E-mail').inputValue()).toBe(ada.email)
  await page.getByLabel('Password').fill(ada.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  expect(page.url()).toBe(`${baseUrl}/console/jobs?Status=Failed`)
  await page.reload()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()

  const kept: string = await page.evaluate('JSON.stringify({ ...localStorage, cookies: document.cookie })')
  expect(JSON.parse(kept), 'nothing outlives the tab').toEqual({ cookies: '' })
  const session: string = await page.evaluate('JSON.stringify(sessionStorage)')
  expect(session).not.toContain(ada.password)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Password').waitFor()
})

test('a token that is refused leads back to signing in, which asks nothing of who is still signed in', async () => {
  const page = await openConsole('jobs')
  await signIn(page, ada)
  await page.evaluate(
    `sessionStorage.setItem('armature-session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('armature-session')), token: 'none' }))`,
  )
  await page.reload()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
})

test('people of the platform look after all tenants', async () => {
  const page = await openConsole()
  await signIn(page, await aPerson('platform', 'operator'))
  await page.getByText('All tenants').waitFor()
})

test('a code that somebody else has begun to get is refused', async () => {
  const page = await openConsole('signed-in?code=stolen&state=foreign')
  expect(await page.getByRole('alert').textContent()).toContain('not begun in this tab')
})

test('a person chooses a password on the page of a link', async () => {
  const page = await openConsole()
  const account = await anAccount(tenant.tenantKey, ['owner'])
  await page.goto(await aLink(account))
  await page.getByLabel('New password').fill('password12345')
  await page.getByLabel('The same again').fill('password12345')
  await page.getByRole('button', { name: 'Save' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('easy to guess')
  await show(page, 'choose-password')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByLabel('New password').fill('nine slow herons wade')
  await page.getByLabel('The same again').fill('nine slow herons wade')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Open the console' }).click()
  await signIn(page, { ...account, password: 'nine slow herons wade' })
})

test('whoever is led to sign out by another site has to agree', async () => {
  const page = await consoleOf(tenant)
  await page.goto(`${baseUrl}/identity/session/end`)
  await page.getByText('Signed out').first().waitFor()
})
