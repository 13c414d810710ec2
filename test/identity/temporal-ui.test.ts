// People of the platform sign in to the Temporal UI, which is a client with a secret.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { aPerson, type Person } from '../support/console.js'
import { startOwnApi } from '../support/own-api.js'
import { authorizeUrl, newBrowser } from '../support/people.js'

const secret = randomBytes(32).toString('base64url')
const ui = 'https://temporal.example'
let mine: Awaited<ReturnType<typeof startOwnApi>>
beforeAll(async () => {
  mine = await startOwnApi({ TEMPORAL_UI_CLIENT_SECRET: secret, TEMPORAL_UI_URL: ui })
  await mine.live()
}, 60_000)
afterAll(() => mine.stop())

/** Signs a person in. @returns where the browser is led, and how its form may be answered. */
async function signInToUi({ tenantKey, email, password }: Person) {
  const browser = newBrowser()
  const redirect_uri = `${ui}/auth/sso/callback`
  const changed = { client_id: 'armature-temporal-ui', redirect_uri, scope: 'openid PlatformAdmin' }
  const none = { code_challenge: undefined, code_challenge_method: undefined }
  const begun = await browser.send(authorizeUrl({ ...changed, ...none }, mine.baseUrl))
  const page = await browser.send(new URL(begun.location, mine.baseUrl))
  const form = { tenant: tenantKey, email, password }
  const typed = await browser.send(new URL(begun.location, mine.baseUrl), form)
  const { location } = await browser.send(typed.location)
  return { led: new URL(location), policy: page.response.headers.get('content-security-policy') }
}

async function tokenFor(code: string, clientSecret: string): Promise<{ status: number; token: string }> {
  const answer = await fetch(`${mine.baseUrl}/identity/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`armature-temporal-ui:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: `${ui}/auth/sso/callback` }),
  })
  const { access_token: token = '' }: { access_token?: string } = JSON.parse(await answer.text())
  return { status: answer.status, token }
}

const opens = async (token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, origin: ui, 'content-type': 'application/json' }
  const body = JSON.stringify({ payloads: [] })
  return (await fetch(`${mine.baseUrl}/temporal/codec/decode`, { method: 'POST', headers, body })).status
}

test('people of the platform get in, and those of security have payloads opened', async () => {
  for (const [role, status] of [
    ['security', 200],
    ['operator', 403],
  ] as const) {
    const { led, policy } = await signInToUi(await aPerson('platform', role))
    expect([led.origin + led.pathname, policy]).toEqual([
      `${ui}/auth/sso/callback`,
      expect.stringContaining(`form-action 'self' ${ui};`),
    ])
    const code = led.searchParams.get('code') ?? ''
    expect((await tokenFor(code, 'x'.repeat(43))).status).toBe(401)
    expect(await opens((await tokenFor(code, secret)).token)).toBe(status)
  }
})

test('people of a tenant do not', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const { led } = await signInToUi(await aPerson(tenant.tenantKey, 'owner'))
  expect([led.searchParams.get('error'), led.searchParams.get('code')]).toEqual(['access_denied', null])
})
