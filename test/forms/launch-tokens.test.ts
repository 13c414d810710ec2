// Tokens for launch pages.
import { randomBytes } from 'node:crypto'
import { afterAll, expect, inject, test } from 'vitest'
import { createSeal } from '../../runtime/secrets/seal.js'
import { api } from '../support/api.js'
import { aSmallTemplate, launchTenant } from '../support/factories.js'
import { problem } from '../support/http.js'
import { userIssuer } from '../support/issuer.js'
import { form, hidden, page, referenceOf, smallForm } from '../support/launches.js'
import type { Fields } from '../support/user-endpoint.js'

const note = aSmallTemplate([{ id: 'note', label: 'Note', required: true }])
const others = [
  { ...note, version: 2 },
  { ...note, key: 'same' },
]

let token: string

const issuer = await userIssuer()
token = await issuer.token(300, { scope: 'forms' })
const openIdConnect = { authority: issuer.authority, audiences: 'app', scopes: 'forms' }
/** Of these two only the first asks for tokens. */
const guarded = await launchTenant([note, ...others], ({ url }) => ({ delivery: { url }, launch: { openIdConnect } }))
const open = await launchTenant([note, ...others])
afterAll(() => Promise.all([issuer?.stop(), guarded?.endpoint.stop(), open?.endpoint.stop()]))

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const path = () => guarded.path('small', 1)
const ticketOf = async (tenant = guarded) => hidden((await page(tenant.path('small', 1), bearer(token))).text, 'ticket')
const send = (at: string, ...fields: Fields) => page(at, form(['note', 'x'], ...fields))

test.each<[name: string, init: () => Promise<RequestInit> | RequestInit]>([
  ['no token', () => ({})],
  ['another scheme', () => ({ headers: { authorization: 'Basic YTpi' } })],
  ['no token at all in the header', () => bearer('x')],
  ['a token without the scope', async () => bearer(await issuer.token())],
  ['a token that has expired', async () => bearer(await issuer.token(-3600, { scope: 'forms' }))],
  ['a token whose signature is another', async () => bearer(`${token.slice(0, -4)}AAAA`)],
  ["a token of the platform's own", () => bearer(guarded.forms.token)],
])('a tenant that asks for tokens does not open its forms with %s', async (_, init) => {
  for (const at of [path(), guarded.path('small'), guarded.path('unknown')]) {
    const answer = await page(at, await init())
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('This form cannot be opened')])
  }
  const { headers } = new Request('http://x', await init())
  const program = await api(inject('baseUrl'), '').get(path(), Object.fromEntries(headers))
  expect(program).toMatchObject({ status: 403, body: problem(403, 'forbidden', path()) })
})

test('a stranger does not learn which forms a tenant with users has', async () => {
  for (const key of ['small', 'unknown']) {
    expect((await page(guarded.path(key), form(['note', 'x']))).status, key).toBe(403)
    expect((await page(guarded.path(key, 1), form(['note', 'x']))).status, key).toBe(403)
  }
  expect((await page(guarded.path('unknown'), { ...form(['note', 'x']), ...bearer(token) })).status).toBe(404)
})

test('a token in the address opens nothing', async () => {
  expect((await page(`${path()}?token=${token}&access_token=${token}`)).status).toBe(403)
})

test.each<[name: string, open: (at: string) => ReturnType<typeof page>]>([
  ['in the header', at => page(at, bearer(token))],
  ['in a field of a form', at => page(`${at}/launch`, smallForm(['token', token]))],
])('with a token %s a form opens and is sent, also when the token has expired meanwhile', async (_, open) => {
  for (const at of [path(), guarded.path('same')]) {
    const opened = await open(at)
    expect(opened.status).toBe(200)
    expect(opened.text).not.toContain(token)
    const sent = await send(/action="([^"]*)"/.exec(opened.text)?.[1] ?? '', ['ticket', hidden(opened.text, 'ticket')])
    expect(sent.status).toBe(303)
    const { xml } = await guarded.endpoint.of(referenceOf(sent))
    expect(xml).toContain(` token="${token}"`)
  }
})

test('without a sealed ticket only a caller with a token can send a form', async () => {
  const plain: Fields = [['ticket', '01a2001e-20b5-70d6-b843-8e9c3e0c638d']]
  for (const fields of [[], plain]) {
    expect((await send(path(), ...fields)).status).toBe(403)
    const sent = await page(path(), { ...form(['note', 'x'], ...fields), ...bearer(token) })
    expect(sent.status).toBe(303)
    expect((await guarded.endpoint.of(referenceOf(sent))).xml).toContain(` token="${token}"`)
  }
})

test('a ticket that is changed, too old, or of another form, version or tenant is refused', async () => {
  const ticket = await ticketOf()
  const ours = createSeal(Buffer.from(inject('encryptionKey'), 'base64'))
  const sealedFor = { purpose: 'launch ticket', tenantKey: guarded.tenantKey, name: 'small/1' } as const
  const content = JSON.parse(ours.open(sealedFor, ticket))
  const old = ours.seal(sealedFor, JSON.stringify({ ...content, openedAt: Date.now() - 1440 * 60_000 - 1 }))
  const secret = ours.seal({ ...sealedFor, purpose: 'secret' }, JSON.stringify(content))
  const strangers = createSeal(randomBytes(32)).seal(sealedFor, JSON.stringify(content))
  const refused: [name: string, at: string, ticket: string][] = [
    ['changed', path(), `${ticket.slice(0, -3)}${ticket.endsWith('AAA') ? 'BBB' : 'AAA'}`],
    ['cut off', path(), ticket.slice(0, -10)],
    ['no ticket', path(), 'x'],
    ['of another version', guarded.path('small', 2), ticket],
    ['of another form', guarded.path('same', 1), ticket],
    ['of another tenant', open.path('small', 1), ticket],
    ['of a tenant that asks for nothing', path(), await ticketOf(open)],
    ['too old', path(), old],
    ['sealed by somebody else', path(), strangers],
    ['another thing that we sealed', path(), secret],
    ['no JSON', path(), ours.seal(sealedFor, 'secret')],
  ]
  for (const [name, at, text] of refused) expect((await send(at, ['ticket', text])).status, name).toBe(403)
  expect((await send(path(), ['ticket', ticket])).status).toBe(303)
})

test('a tenant that requires no token passes one on if it is sent', async () => {
  const opened = await page(open.path('small', 1, 'launch'), smallForm(['token', 'anything "at" all']))
  const ticket = hidden(opened.text, 'ticket')
  expect(ticket).toMatch(/^sealed\./)
  const sent = await send(open.path('small', 1), ['ticket', ticket])
  const { xml } = await open.endpoint.of(referenceOf(sent))
  expect(xml).toContain(` token="anything &quot;at&quot; all"`)
  expect(xml).toContain(` transaction-id="${referenceOf(sent)}"`)
})
