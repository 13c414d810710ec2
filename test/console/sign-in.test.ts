// The way into the console: its address, its page, and signing in.
import { expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { consoleOf, openConsole, signIn } from '../support/console.js'

const baseUrl = inject('baseUrl')
const tenant = await newTenant(baseUrl)

test('a browser that asks for / is led to the console, and a program is not', async () => {
  const asked = (accept: string) => fetch(baseUrl, { headers: { accept }, redirect: 'manual' })
  const browser = await asked('text/html,application/xhtml+xml,*/*;q=0.8')
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console/'])
  expect((await asked('*/*')).status).toBe(404)
})

test('its page runs nothing but its own script', async () => {
  const { headers } = await fetch(`${baseUrl}/console/jobs`)
  const policy = headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  for (const [name, type] of [
    ['console.js', 'text/javascript'],
    ['console.css', 'text/css'],
  ] as const)
    expect((await fetch(`${baseUrl}/console/${name}`)).headers.get('content-type')).toContain(type)
})

test('a wrong secret is refused in a sentence that says what to check', async () => {
  const page = await openConsole()
  await signIn(page, { ...tenant, clientSecret: 'wrong' })
  expect(await page.getByRole('alert').textContent()).toMatch(
    /not signed in: .*Check the tenant, the client and its secret/,
  )
})

test('who is signed in is so after a reload, at the same address, until signing out', async () => {
  const page = await consoleOf(tenant, 'jobs?Status=Failed')
  await page.reload()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  expect(page.url()).toContain('jobs?Status=Failed')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

test('neither the secret nor a token is in the address or outlives the tab', async () => {
  const page = await consoleOf(tenant)
  expect(page.url()).not.toContain(tenant.clientSecret)
  const kept: string = await page.evaluate('JSON.stringify({ ...localStorage, cookies: document.cookie })')
  expect(JSON.parse(kept)).toEqual({ cookies: '' })
  const session: string = await page.evaluate('JSON.stringify(sessionStorage)')
  expect(session).not.toContain(tenant.clientSecret)
})

test('a token that is refused leads back to signing in', async () => {
  const page = await consoleOf(tenant, 'jobs')
  await page.evaluate(
    `sessionStorage.setItem('armature-session', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('armature-session')), token: 'none' }))`,
  )
  await page.reload()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})
