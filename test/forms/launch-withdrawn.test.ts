// Pages that were opened with a token, when what the token allowed has been withdrawn meanwhile.
import { decodeJwt } from 'jose'
import { afterAll, expect, inject, test } from 'vitest'
import { createSeal } from '../../runtime/secrets/seal.js'
import { aSmallTemplate, launchTenant, openDatabase } from '../support/factories.js'
import { saysOf } from '../support/instances.js'
import { form, hidden, page, referenceOf } from '../support/launches.js'

const db = openDatabase()
const note = aSmallTemplate([{ id: 'note', label: 'Note', required: true }])
const openIdConnect = { authority: `${inject('baseUrl')}/identity`, audiences: 'armature', scopes: 'FormsApi' }
const tenant = await launchTenant([note], ({ url }) => ({ delivery: { url }, launch: { openIdConnect } }))
afterAll(() => tenant.endpoint.stop())

const path = tenant.path('small', 1)
async function opened(): Promise<{ clientId: string; ticket: string }> {
  const { token } = await tenant.formsClient(['*'])
  const { text } = await page(path, { headers: { authorization: `Bearer ${token}` } })
  return { clientId: String(decodeJwt(token).client_id), ticket: hidden(text, 'ticket') }
}
const send = (ticket: string) => page(path, form(['note', 'x'], ['ticket', ticket]))
const told = 'The application through which you opened this form may no longer send forms. Ask those who run'

test.each<[string, object]>([
  ['is disabled', { disabled: true }],
  ['loses the scope', { scopes: '[]' }],
])('a page of a client that %s is refused within 5 s, and its reader is told', async (_, withdrawn) => {
  const [sent, waiting] = await Promise.all([opened(), opened()])
  expect((await send(sent.ticket)).status).toBe(303)
  expect(await db('clients').where({ client_id: waiting.clientId }).update(withdrawn)).toBe(1)
  await expect.poll(async () => (await send(waiting.ticket)).status, { timeout: 5_000, interval: 200 }).toBe(403)
  const refused = await send(waiting.ticket)
  expect(refused.headers.get('content-type')).toContain('text/html')
  expect(saysOf(refused)).toMatchObject({ status: 403, title: 'Your form was not sent' })
  expect(refused.text).toContain(told)
  expect((await send(sent.ticket)).status, 'of another client').toBe(303)
})

test('a page is refused when the policy no longer takes what its token said', async () => {
  const { ticket } = await opened()
  const settings = (more: object) => ({
    forms: { delivery: { url: tenant.endpoint.url }, launch: { openIdConnect: { ...openIdConnect, ...more } } },
  })
  await tenant.change(settings({ audiences: 'another' }))
  await expect.poll(async () => (await send(ticket)).status, { timeout: 5_000, interval: 200 }).toBe(403)
  await tenant.change(settings({}))
  await expect.poll(async () => (await send(ticket)).status, { timeout: 5_000, interval: 200 }).toBe(303)
})

test('the manifest says how long a page can be sent', async () => {
  const short = await launchTenant([note], ({ url }) => ({ delivery: { url }, launch: { openPageMinutes: 5 } }))
  const seal = createSeal(Buffer.from(inject('encryptionKey'), 'base64'))
  const ticketOf = (minutes: number, transactionId: string) =>
    seal.seal(
      { purpose: 'launch ticket', tenantKey: short.tenantKey, name: 'small/1' },
      JSON.stringify({ transactionId, token: 'x', openedAt: Date.now() - minutes * 60_000 }),
    )
  const at = short.path('small', 1)
  const sent = (ticket: string) => page(at, form(['note', 'x'], ['ticket', ticket]))
  const ids = ['01a2001e-20b5-70d6-b843-8e9c3e0c638d', '01a2001e-20b5-70d6-b843-8e9c3e0c638e'] as const
  const late = await sent(ticketOf(5.1, ids[0]))
  expect(saysOf(late)).toMatchObject({ status: 403, title: 'Your form was not sent' })
  expect(late.text).toContain('opened too long ago to be sent. Open the form again.')
  expect(referenceOf(await sent(ticketOf(4, ids[1])))).toBe(ids[1])
  await short.endpoint.stop()
})
