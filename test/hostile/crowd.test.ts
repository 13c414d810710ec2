// A crowd of strangers at the token endpoint.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api, newTenant, type Tenant, tokenOf } from '../support/api.js'
import { startOwnApi } from '../support/own-api.js'

// A process of its own: secrets at full cost, and nobody else who needs its turns.
let own: Awaited<ReturnType<typeof startOwnApi>>
let tenant: Tenant
const honest = { id: '', secret: 'a secret of many letters', tenantKey: '', scope: 'FrameApi' }
beforeAll(async () => {
  own = await startOwnApi({})
  await own.live()
  tenant = await newTenant(own.baseUrl)
  honest.tenantKey = `${tenant.tenantKey}-h`
  honest.id = `${honest.tenantKey}-0`
  const client = { id: honest.id, secret: honest.secret, scopes: ['FrameApi'], permissions: [] }
  const admin = { id: 'platform-admin', secret: 'platform-admin-secret', tenantKey: 'demo', scope: 'PlatformAdmin' }
  const platform = api(own.baseUrl, await tokenOf(own.baseUrl, admin))
  await platform.put(`/admin/v1/tenants/${honest.tenantKey}`, { clients: [client] })
  await tokenOf(own.baseUrl, honest)
})
afterAll(() => own.stop())

/** Asks for a token. @returns the status, and when to come again. */
async function ask(id: string, secret: string) {
  const answer = await fetch(`${own.baseUrl}/identity/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
      tenant_key: honest.tenantKey,
      scope: honest.scope,
    }),
  })
  await answer.arrayBuffer()
  return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
}

test('beside a crowd with wrong secrets a client gets its tokens and another tenant its reads; the crowd is sent away', async () => {
  const crowd = Array.from({ length: 60 }, (_, n) => ask(n % 2 === 0 ? honest.id : `nobody-${n}`, `wrong ${n}`))
  for (let n = 0; n < 10; n++) {
    const [token, read] = await Promise.all([ask(honest.id, honest.secret), tenant.get('/api/v1/group')])
    expect([token.status, read.status]).toEqual([200, 200])
  }
  const strangers = await Promise.all(crowd)
  for (const { status, retryAfter } of strangers) {
    expect([401, 429, 503]).toContain(status)
    if (status !== 401) expect(Number(retryAfter)).toBeGreaterThan(0)
  }
  expect(strangers.filter(({ status }) => status === 503).length, 'nobody waits in a long line').toBeGreaterThan(0)
})
