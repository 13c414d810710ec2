// Launch pages.
import { afterAll, expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { aSmallTemplate, formsTenant, launchTenant } from '../support/factories.js'
import { formPolicy, policyOf, problem } from '../support/http.js'
import { saysOf } from '../support/instances.js'
import {
  asBrowser,
  asProgram,
  form,
  hidden,
  launchPath,
  type PageReply,
  page,
  referenceOf,
  smallForm,
} from '../support/launches.js'

const depth = { id: 'depth', label: 'Depth', dataType: 'decimal', min: 0, required: true }
const note = { id: 'note', label: 'Note' }

const tenant = await launchTenant([
  aSmallTemplate([depth, note]),
  aSmallTemplate([depth, note], { version: 2, title: 'Second' }),
  aSmallTemplate([depth], { version: 3, status: 'Development' }),
  aSmallTemplate([depth], { key: 'draft', status: 'Development' }),
])
afterAll(() => tenant?.endpoint.stop())

test('a form is opened, filled in, sent and arrives as XML; then nothing of it is left', async () => {
  const opened = await page(tenant.path('small', 1))
  expect(opened).toMatchObject({ status: 200 })
  expect(opened.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(opened.headers.get('cache-control')).toBe('no-store')
  const ticket = hidden(opened.text, 'ticket')
  const sent = await page(tenant.path('small', 1), form(['ticket', ticket], ['depth', '12,5'], ['note', '<b>&"\'']))
  expect(sent.status).toBe(303)
  expect(sent.headers.get('location')).toBe(`${tenant.path('small', 1)}/sent?reference=${ticket}`)

  const shown = await page(sent.headers.get('location') ?? '')
  expect([shown.status, shown.text]).toEqual([200, expect.stringContaining(ticket)])
  const arrived = await tenant.endpoint.of(ticket)
  expect(arrived).toMatchObject({ path: '/forms', headers: { 'content-type': 'application/xml; charset=utf-8' } })
  expect(arrived.xml).toContain(`transaction-id="${ticket}"`)
  expect(arrived.xml).toContain('<small><only><depth>12.5</depth><note>&lt;b&gt;&amp;"\'</note></only></small>')
})

test.each([
  ['the versionless address has the highest version in production', ['small'], 200, 'Second'],
  ['an older version in production', ['small', 1], 200, 'Home visit'],
  ['a version in development', ['small', 3], 404, 'There is no such form'],
  ['a version that does not exist', ['small', 4], 404, 'There is no such form'],
  ['a form that has only a version in development', ['draft'], 404, 'There is no such form'],
  ['a form that does not exist', ['other'], 404, 'There is no such form'],
  ['no number as version', ['small', '1x'], 400, 'Invalid request'],
  ['a number with leading zeros', ['small', '01'], 400, 'Invalid request'],
  ['a key with a blank behind it', ['small%20'], 404, 'There is no such form'],
  ['a key in other letters', ['Small'], 404, 'There is no such form'],
])('%s', async (_, rest, status, title) => {
  const answer = await page(tenant.path(...rest))
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`<h1>${title}</h1>`)])
  const path = tenant.path(...rest)
  const program = await api(inject('baseUrl'), '').get(path)
  if (status === 404) expect(program).toMatchObject({ status, body: problem(404, 'not-found', path) })
  const posted = await page(path, form(['depth', '']))
  expect(posted.status).toBe(status === 200 ? 400 : status)
})

test.each(['unknown', 'Unknown%20', '%20'])('a tenant that does not exist: %s', async tenantKey => {
  const path = launchPath(tenantKey, 'small')
  expect(await page(path)).toMatchObject({ status: 404, text: expect.stringContaining('There is no such form') })
  expect(await page(path, form(['depth', '1']))).toMatchObject({ status: 404 })
})

test('a tenant that has nowhere to send forms answers 403 for those it has, 404 for others', async () => {
  const nowhere = await formsTenant()
  await nowhere.publish(aSmallTemplate([depth]))
  const path = launchPath(nowhere.tenantKey, 'small')
  expect(await page(path)).toMatchObject({ status: 403, text: expect.stringContaining('This form cannot be opened') })
  expect(await page(path, form(['depth', '1']))).toMatchObject({ status: 403 })
  const program = await api(inject('baseUrl'), '').get(`${path}/1`)
  expect(program).toMatchObject({ status: 403, body: problem(403, 'forbidden', `${path}/1`) })
  expect((await page(launchPath(nowhere.tenantKey, 'other'))).status).toBe(404)
})

test('a stranger gets the same answer for an unknown form and for an unknown tenant', async () => {
  const { tenantKey } = await formsTenant({ launch: { frameAncestors: ['https://example.org'] } })
  const shown = (reply: { status: number; headers: Headers; text: string }, key: string) => ({
    status: reply.status,
    headers: [...reply.headers].filter(
      ([name]) => !['date', 'x-request-id', 'content-length', 'traceparent'].includes(name),
    ),
    text: reply.text.replaceAll(key, 'KEY').replace(/"traceId":"[^"]*"/, ''),
  })
  const requests: [path: string, init?: RequestInit][] = [
    ['AvailableForms'],
    ['a'],
    ['a/1'],
    ['a/x'],
    ['a/1/sent?reference=1'],
    ['a', form(['note', 'x'])],
    ['a/1', form(['note', 'x'])],
    ['a/launch', smallForm(['token', 'x'])],
  ]
  for (const [path, init = {}] of requests) {
    for (const headers of [asBrowser, asProgram]) {
      const ask = async (key: string) => shown(await page(launchPath(key, path), { ...init, headers }), key)
      expect(await ask(tenantKey), path).toEqual(await ask('no-such-tenant'))
    }
  }
})

test('what is wrong is shown with what was entered, and what is corrected is sent under the same reference', async () => {
  const { text } = await page(tenant.path('small'))
  const ticket = hidden(text, 'ticket')
  const wrong = await page(tenant.path('small', 2), form(['ticket', ticket], ['depth', '-1'], ['note', 'kept "text"']))
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('It is less than 0.')
  expect(wrong.text).toContain('value="kept &#34;text&#34;"')
  expect(hidden(wrong.text, 'ticket')).toBe(ticket)
  const sent = await page(tenant.path('small', 2), form(['ticket', ticket], ['depth', '1'], ['note', 'kept "text"']))
  expect([sent.status, referenceOf(sent)]).toEqual([303, ticket])
})

test('a page goes to its own version, whatever is published meanwhile', async () => {
  const other = await launchTenant([aSmallTemplate([note])])
  const { text } = await page(other.path('small'))
  await other.publish(aSmallTemplate([note], { version: 2 }))
  expect(text).toContain(`action="${other.path('small', 1)}"`)
  const sent = await page(other.path('small', 1), form(['ticket', hidden(text, 'ticket')], ['note', 'x']))
  expect(sent.status).toBe(303)
  await other.endpoint.stop()
})

test('only sites that the manifest names may show a form in a frame, also a refused one', async () => {
  const framed = await launchTenant([aSmallTemplate([depth])], ({ url }) => ({
    delivery: { url },
    launch: { frameAncestors: ['https://portal.example.org'] },
  }))
  const policy = async (path: string, init?: RequestInit) =>
    policyOf((await page(path, init)).headers.get('content-security-policy'))
  const path = framed.path('small')
  for (const asked of [policy(path), policy(path, form(['depth', ''])), policy(framed.path('other'))]) {
    expect(await asked).toEqual(formPolicy('https://portal.example.org'))
  }
  expect(await policy(tenant.path('small'))).toEqual(formPolicy())
  await framed.endpoint.stop()
})

test('a program sends fields and is told the reference, or what is wrong by pointers', async () => {
  const path = tenant.path('small', 2)
  const program = (...fields: [string, string][]) =>
    page(path, { ...form(...fields), headers: { accept: 'application/json' } })
  const wrong = await program(['depth', 'deep'])
  const errors = [{ pointer: '/values/depth', code: 'decimal', detail: expect.stringContaining('not a number') }]
  expect([wrong.status, JSON.parse(wrong.text)]).toEqual([400, problem(400, 'validation', path, { errors })])
  const sent = await program(['depth', '3'])
  expect([sent.status, JSON.parse(sent.text)]).toEqual([202, { reference: expect.any(String) }])
  const { reference } = JSON.parse(sent.text)
  expect((await tenant.endpoint.of(reference)).xml).toContain('<depth>3</depth>')
})

test.each([
  ['JSON', { body: '{}', headers: { 'content-type': 'application/json' } }, 415],
  ['a form without a boundary', { body: 'x', headers: { 'content-type': 'multipart/form-data' } }, 400],
  [
    'a form that breaks off',
    {
      body: '--b\r\nContent-Disposition: form-data; name="depth"\r\n\r\n1',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    },
    400,
  ],
  [
    'bytes that are no UTF-8',
    { body: new Uint8Array([0x64, 0x3d, 0xff]), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    400,
  ],
  ['an action that there is not', form(['action', 'drop']), 400],
])('%s is refused, since it is no form', async (_, init, status) => {
  const answer = await page(tenant.path('small', 2), { method: 'POST', ...init })
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('<h1>')])
})

test('an address that opens forms too often is told to wait, and others are not affected', async () => {
  await tenant.change({ limits: { requestsPerMinute: 2 } })
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const opened = async () => (await page(tenant.path('small'), from('198.51.100.1'))).status
  await expect.poll(opened, { timeout: 10_000, interval: 200 }).toBe(429)
  for (const address of ['198.51.100.2', '198.51.100.3']) {
    expect((await page(tenant.path('small'), from(address))).status, address).toBe(200)
    expect((await page(launchPath(tenant.tenantKey, 'AvailableForms'), from(address))).status, address).toBe(200)
  }
  expect((await page(tenant.path('small'), form(['depth', '1']))).status).toBe(303)
  await tenant.change({ limits: {} })
})

test('a form that was not sent leaves nothing behind', async () => {
  const path = tenant.path('small', 1, 'sent')
  const others = [
    '',
    '?reference=',
    '?reference=x',
    '?reference=%C3%A9',
    `?reference=${'0'.repeat(36)}`,
    '?reference=a&reference=b',
  ]
  for (const query of others) expect((await page(`${path}${query}`)).status, query).toBe(404)
})

test('a page that cannot be sent says so, whatever the reason, and what to do', async () => {
  const { tenantKey, ...rest } = await formsTenant({ delivery: { url: 'https://forms.example/in' } })
  await rest.publish(aSmallTemplate([{ id: 'note', label: 'Note' }]))
  const sent = (path: string, init: RequestInit) => page(launchPath(tenantKey, path), init)
  const refusals: [answer: Promise<PageReply>, status: number, next: string][] = [
    [sent('small', form(['ticket', 'made up'])), 403, 'Open the form again.'],
    [sent('unknown', form()), 404, 'There is no published form'],
    [sent('small', form(['action', 'sing'])), 400, 'There is no such action.'],
    [
      sent('small', form(...Array.from({ length: 3_001 }, (): [string, string] => ['note', 'x']))),
      413,
      'more than 3000 fields',
    ],
    [sent('small', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }), 415, 'Send'],
  ]
  for (const [answer, status, next] of refusals) {
    const refused = await answer
    expect(saysOf(refused)).toMatchObject({ status, title: 'Your form was not sent' })
    expect(refused.text).toContain(next)
  }
})
