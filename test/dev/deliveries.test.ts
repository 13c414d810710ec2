// Deliveries at the demo provider.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoProviderClient } from '../../dev/demo-glue.js'
import { type Api, api } from '../support/api.js'
import { startProvider, type TestProvider } from '../support/provider.js'

const path = '/deliveries'
const form = '<?xml version="1.0"?><PatientForm transaction-id="1"><phq9><score>7</score></phq9></PatientForm>'

let provider: TestProvider
let sender: Api
let control: Api

/** A client of the receiver with a token of this scope. */
async function client(scope: string): Promise<Api> {
  const { id, secret } = demoProviderClient
  const fields = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope }
  const answer = await fetch(`${provider.url}/token`, { method: 'POST', body: new URLSearchParams(fields) })
  const { access_token } = (await answer.json()) as { access_token: string }
  return api(provider.url, access_token)
}

beforeAll(async () => {
  provider = await startProvider({ people: 1 })
  ;[sender, control] = [await client('deliveries'), await client('control')]
})
afterAll(() => provider.stop())
beforeEach(() => provider.tell({}))

const send = (key: string, xml = form, more: Record<string, string> = {}) =>
  sender.post(path, xml, { 'content-type': 'application/xml', 'idempotency-key': key, ...more })

test('a form is accepted once for its Idempotency-Key, and listed with it', async () => {
  expect((await send('first')).status).toBe(201)
  expect((await send('first')).status).toBe(200)
  expect((await send('first', form.replace('7', '8'))).status).toBe(422)
  expect((await control.get(path)).body).toEqual({
    deliveries: [{ idempotencyKey: 'first', receivedAt: expect.stringMatching(/^2.*Z$/), xml: form }],
  })
})

describe('a delivery that is no form, or has no key, is refused and not kept', () => {
  test.each([
    ['no key', form, { 'idempotency-key': '' }, 'an Idempotency-Key'],
    ['JSON', '{"score": 7}', { 'content-type': 'application/json' }, 'a Content-Type of XML'],
    ['an element that is not closed', '<PatientForm><phq9>', {}, expect.stringMatching(/^XML: /)],
    ['nothing', '<?xml version="1.0"?>', {}, expect.stringMatching(/^XML: /)],
    ['an entity that XML does not know', '<PatientForm>&nbsp;</PatientForm>', {}, expect.stringMatching(/^XML: /)],
  ])('%s', async (_, body, headers, expected) => {
    const before = provider.deliveries()
    const answer = await send('refused', body, headers)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request', expected } })
    expect(provider.deliveries()).toEqual(before)
  })
})

test('sending a form needs one token, and reading received forms another', async () => {
  const before = provider.deliveries()
  const stranger = api(provider.url, '')
  const headers = { 'content-type': 'application/xml', 'idempotency-key': 'strange' }
  expect((await stranger.post(path, form, headers)).status).toBe(401)
  expect((await control.post(path, form, headers)).status).toBe(403)
  expect((await sender.get(path)).status).toBe(403)
  expect(provider.deliveries()).toEqual(before)
})

test('the endpoint misbehaves as it is told to, and keeps nothing that it refused', async () => {
  provider.tell({ failNext: 1, retryAfterSeconds: 2 })
  const refused = await send('later')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
  expect(provider.deliveries().map(({ idempotencyKey }) => idempotencyKey)).not.toContain('later')
  expect((await send('later')).status).toBe(201)
})

test('the last hundred forms are kept', async () => {
  for (let n = 0; n < 101; n++) await send(`many-${n}`)
  const keys = provider.deliveries().map(({ idempotencyKey }) => idempotencyKey)
  expect([keys.length, keys[0], keys.at(-1)]).toEqual([100, 'many-1', 'many-100'])
})
