// Hostile tokens and keys.
import { exportSPKI } from 'jose'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { send } from '../support/http.js'
import { startOwnApp } from '../support/own-app.js'
import { hostileTokens } from './tokens.js'

let own: Awaited<ReturnType<typeof startOwnApp>>
let tenant: Tenant
let tokens: Record<string, string>
beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'))
  const authentication = [{ openIdConnect: { authority: own.issuer.issuer, audiences: 'armature' } }]
  const steps = [{ name: 'answer', respond: {} }]
  tenant = await newTenant(inject('baseUrl'), {}, { glue: { endpoints: [{ key: 'users', steps, authentication }] } })
  const { kid, publicKey } = own.issuer.key()
  const claims = { tenant_key: tenant.tenantKey, client_id: `${tenant.tenantKey}-0`, scope: 'FrameApi', sub: 'x' }
  tokens = await hostileTokens({ issuer: own.issuer.issuer, claims, kid, publicKey: await exportSPKI(publicKey) })
})
afterAll(() => own.stop())

test('no hostile token or key opens anything, is a 5xx or is shown again, and the process goes on', async () => {
  const pages = `/forms/${tenant.tenantKey}/instances/x`
  const keyed = `/glue/${tenant.tenantKey}/users`
  const wrong: string[] = []
  for (const [name, token] of Object.entries(tokens)) {
    const authorization = `Bearer ${token}`
    const body = new URLSearchParams({ jwt: token, token, to: pages }).toString()
    const form = { method: 'POST', body: [body], headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const answers = {
      api: await send(own.baseUrl, '/api/v1/group', { headers: { authorization } }),
      forms: await send(own.baseUrl, '/api/clinicianforms/availableForms', { headers: { authorization } }),
      endpoint: await send(own.baseUrl, keyed, { method: 'POST', headers: { authorization } }),
      'endpoint by a field': await send(own.baseUrl, keyed, form),
      'endpoint by key': await send(own.baseUrl, keyed, { method: 'POST', headers: { 'x-api-key': token } }),
      'sign-in': await send(own.baseUrl, `/forms/${tenant.tenantKey}/sign-in`, form),
    }
    for (const [where, { status, text }] of Object.entries(answers)) {
      // 431 is Node's own, for more than 16 KB of headers; 413 is ours, for forms that carry a token and are larger than 64 KB.
      if (![401, 403, 400, 413, 431].includes(status)) wrong.push(`${name}, ${where}: ${status}`)
      if (token.length > 20 && text.includes(token)) wrong.push(`${name}, ${where}: shown again`)
    }
  }
  expect(wrong).toEqual([])
  expect((await send(own.baseUrl, '/health/live')).status).toBe(200)
  // Nobody was asked for keys because of a token: the issuer's own metadata and keys, at most twice.
  expect(own.issuer.count('/jwks')).toBeLessThanOrEqual(2)
  for (const token of Object.values(tokens)) {
    if (token.length > 20) expect(own.lines.some(line => line.includes(token))).toBe(false)
  }
})
