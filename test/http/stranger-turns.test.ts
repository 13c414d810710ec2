// Requests without a known token, which take turns.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { sendBytes } from '../support/http.js'
import { startOwnApp } from '../support/own-app.js'

let own: Awaited<ReturnType<typeof startOwnApp>>
let tenant: Tenant
beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'))
  tenant = await newTenant(inject('baseUrl'))
})
afterAll(() => own.stop())

/** Sends requests together, on one connection, so that all have arrived before any of them gets a turn. @returns how many had each status. */
async function together(count: number, path: string, headers: string[] = []): Promise<Record<string, number>> {
  const request = (...more: string[]) => [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, ...more, '', ''].join('\r\n')
  const requests = [...Array.from({ length: count - 1 }, () => request()), request('Connection: close')]
  const answers = await sendBytes(own.baseUrl, [requests.join('')])
  const counts: Record<string, number> = {}
  for (const [, status = ''] of answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('of 300 strangers at one address who come together 200 wait, and the others are answered 503 at once', async () => {
  expect(await together(300, '/nowhere')).toEqual({ 404: 200, 503: 100 })
})

test('callers whose tokens are known do not wait behind each other', async () => {
  const token = await own.issuer.token({ tenant_key: tenant.tenantKey, client_id: 'nobody', scope: 'FrameApi' })
  const authorization = [`Authorization: Bearer ${token}`]
  await together(1, '/api/v1/group', authorization)
  expect(await together(300, '/nowhere', authorization)).toEqual({ 404: 300 })
})
