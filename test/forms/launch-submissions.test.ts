// Submissions of launch pages.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { api, type Problem } from '../support/api.js'
import { aPicture, aSmallTemplate, aTemplate, type LaunchTenant, launchTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { problem } from '../support/http.js'
import { asProgram, form, hidden, page, referenceOf } from '../support/launches.js'

let tenant: LaunchTenant
beforeAll(async () => {
  const note = aSmallTemplate([{ id: 'note', label: 'Note' }])
  tenant = await launchTenant([note, { ...note, version: 2 }, aTemplate()])
})
afterAll(() => tenant?.endpoint.stop())

const small = () => tenant.path('small', 1)
const ticketOf = async (path = small()) => hidden((await page(path)).text, 'ticket')
const jobs = async () =>
  (await tenant.get<Page<JobBody>>('/api/v1/jobs?Kind=singlePassDelivery&First=100')).body.Edges.map(({ Node }) => Node)

test('a form that is sent several times at once, and again later, is one delivery', async () => {
  const ticket = await ticketOf()
  const send = () => page(small(), form(['ticket', ticket], ['note', 'once']))
  const before = (await jobs()).length
  const answers = await Promise.all([send(), send(), send(), send(), send()])
  expect(answers.map(answer => [answer.status, referenceOf(answer)])).toEqual(answers.map(() => [303, ticket]))
  await tenant.endpoint.of(ticket)
  const [job] = await jobs()
  await ended(tenant, job?.jobId ?? '')
  expect(referenceOf(await send())).toBe(ticket)
  expect((await jobs()).length).toBe(before + 1)
  expect(tenant.endpoint.tried.filter(({ key }) => key === ticket)).toHaveLength(1)
})

test('of two forms sent at once with the same ticket and different answers, one is refused as already sent', async () => {
  const ticket = await ticketOf()
  const send = (note: string, more: object = {}) =>
    page(small(), { ...form(['ticket', ticket], ['note', note]), ...more })
  const answers = await Promise.all([send('one'), send('two')])
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 409])
  const [first, second] = answers[0]?.status === 303 ? ['one', 'two'] : ['two', 'one']
  expect((await tenant.endpoint.of(ticket)).xml).toContain(`<note>${first}</note>`)
  const again = await send(second)
  expect(again).toMatchObject({ status: 409, text: expect.stringContaining('<h1>This form was sent already</h1>') })
  const program = await send(second, { headers: asProgram })
  expect([program.status, JSON.parse(program.text)]).toEqual([409, problem(409, 'already-sent', small())])
  const elsewhere = await page(tenant.path('small', 2), form(['ticket', ticket], ['note', first]))
  expect(elsewhere.status).toBe(409)
  expect(tenant.endpoint.tried.filter(({ key }) => key === ticket)).toHaveLength(1)
})

test('without script iterations are added and removed by buttons, and all that was entered stays', async () => {
  const path = tenant.path('visit', 1)
  const blank = await page(path)
  const ticket = hidden(blank.text, 'ticket')
  const always: [string, string][] = [
    ['ticket', ticket],
    ['visited', '2026-11-02'],
    ['remarks', 'Slept well'],
  ]
  const step = async (action: string, ...fields: [string, string][]) => {
    const { status, text } = await page(path, form(...always, ...fields, ['action', action]))
    expect([status, hidden(text, 'ticket'), text.includes('Slept well')]).toEqual([200, ticket, true])
    return [...text.matchAll(/name="repeat:([^"{]*)"/g)].map(([, name]) => name)
  }
  const first: [string, string][] = [
    ['repeat:wound[0]', '1'],
    ['site[0]', 'heel'],
  ]
  const second: [string, string][] = [
    ['repeat:wound[1]', '1'],
    ['site[1]', 'hip'],
    ['depth[1]', '3'],
    ['repeat:dressing[1][0]', '1'],
    ['material[1][0]', 'foam'],
  ]
  expect(await step('add:wound:')).toEqual(['wound[0]'])
  expect(await step('add:wound:', ...first)).toEqual(['wound[0]', 'wound[1]'])
  expect(await step('add:dressing:1', ...first, ...second)).toEqual([
    'wound[0]',
    'wound[1]',
    'dressing[1][0]',
    'dressing[1][1]',
  ])
  expect(await step('remove:dressing:1.0', ...first, ...second)).toEqual(['wound[0]', 'wound[1]'])
  expect(await step('remove:wound:0', ...first, ...second)).toEqual(['wound[0]', 'dressing[0][0]'])
  for (const nothing of ['add:other:', 'add:wound:9.9', 'remove:wound:7', 'remove:dressing:']) {
    expect((await step(nothing, ...first)).filter(name => name !== 'wound[0]')).toEqual([])
  }
  const sent = await page(path, form(...always, ...first, ...second, ['action', 'send']))
  expect(referenceOf(sent)).toBe(ticket)
  const { xml } = await tenant.endpoint.of(ticket)
  expect(xml.slice(xml.indexOf('<wounds>'))).toBe(
    '<wounds><woundList>' +
      '<wound><site>heel</site><depth/></wound>' +
      '<wound><site>hip</site><depth>3</depth>' +
      '<dressing><material displayName="Label of foam">foam</material><changed/></dressing></wound>' +
      '</woundList></wounds></PatientForm>',
  )
})

test('a file comes as a data URL; no file and an empty one are none; one that is sent again is replaced', async () => {
  const path = tenant.path('visit', 1)
  const send = async (photo: Blob | undefined, name: string, kept?: string) => {
    const body = new FormData()
    body.append('visited', '2026-11-02')
    if (kept !== undefined) body.append('photo.kept', kept)
    if (photo) body.append('photo', photo, name)
    const answer = await page(path, { method: 'POST', body })
    expect(answer.status).toBe(303)
    const { xml } = await tenant.endpoint.of(referenceOf(answer))
    return /<photo>([^<]*)<\/photo>/.exec(xml)?.[1] ?? ''
  }
  const png = new Blob([Buffer.from('a picture')], { type: 'image/png' })
  const url = `data:image/png;base64,${Buffer.from('a picture').toString('base64')}`
  expect(await send(png, 'photo.png')).toBe(url)
  expect(await send(new Blob([]), '')).toBe('')
  expect(await send(undefined, '')).toBe('')
  expect(await send(new Blob([]), '', aPicture)).toBe(aPicture)
  expect(await send(png, 'photo.png', aPicture)).toBe(url)
})

test.each([
  ['larger than its field takes', 100_001, 'image/png', 'The file is larger than 98 KB.'],
  ['of more than a whole form may have', 40 * 1024 * 1024, 'image/png', 'The file is larger than 98 KB.'],
  ['of another kind', 10, 'text/plain', 'The file is text/plain; allowed: image/*.'],
])('a file %s is a fault beside its field, and all else that was entered stays', async (_, size, type, detail) => {
  const path = tenant.path('visit', 1)
  const body = new FormData()
  body.append('photo', new Blob([Buffer.alloc(size)], { type }), 'photo')
  for (const [name, value] of [
    ['visited', '2026-11-02'],
    ['remarks', 'kept as it was'],
  ] as const)
    body.append(name, value)
  const { status, text } = await page(path, { method: 'POST', body })
  expect(status).toBe(400)
  expect(text).toContain('kept as it was')
  expect(/id="photo:error">([^<]*)</.exec(text)?.[1]).toBe(detail)
  expect(text).not.toContain('photo.kept')
  const program = await page(path, { method: 'POST', body, headers: asProgram })
  const { errors }: Problem = JSON.parse(program.text)
  expect(errors?.map(({ pointer }) => pointer)).toEqual(['/values/photo'])
})

const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' }
test.each([
  ['with parts', () => form(['note', 'x'.repeat(33 * 1024 * 1024)])],
  [
    'with parts, in many fields',
    () => form(...Array.from({ length: 5 }, (): [string, string] => ['note', 'x'.repeat(7 * 1024 * 1024)])),
  ],
  ['in one part', () => ({ method: 'POST', headers: urlEncoded, body: `note=${'x'.repeat(33 * 1024 * 1024)}` })],
])('a form of more than 32 MB, %s, is refused by a page, and the connection goes on', async (_, init) => {
  const answer = await page(small(), init())
  expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('The body is larger than 32 MB.') })
})

test('a text of 31 MB is an ordinary fault, also when it is sent many times at once', async () => {
  const send = () => page(small(), form(['note', 'x'.repeat(31 * 1024 * 1024)]))
  const answers = await Promise.all([send(), send()])
  for (const { status, text } of answers) {
    expect([status, text.includes('at most 10000 are allowed')]).toEqual([400, true])
  }
})

test('pictures with pins of more than 45 MB as XML are refused; pictures without pins do not count', async () => {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><desc>${'x'.repeat(900_000)}</desc></svg>`
  const image = `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`
  const where = { id: 'where', label: 'Where', dataType: 'annotated-image', image, imageDescription: 'A body' }
  const section = { id: 'only', controls: [], repeats: [{ id: 'spot', label: 'Spot', controls: [where] }] }
  const pictures = await launchTenant([aSmallTemplate([], { buildingBlocks: [{ key: 'small', sections: [section] }] })])
  const spots = Array.from({ length: 60 }, (_, n): [string, string] => [`repeat:spot[${n}]`, '1'])
  const pins = ['x', 'y'].flatMap(part => spots.map((_, n): [string, string] => [`where[${n}].pins[0].${part}`, '50']))
  const path = pictures.path('small', 1)
  const refused = await page(path, form(...spots, ...pins))
  expect(refused).toMatchObject({ status: 413, text: expect.stringContaining('larger than 45 MB') })
  const sent = await page(path, form(...spots))
  expect((await pictures.endpoint.of(referenceOf(sent))).xml.match(/<spot>/g)).toHaveLength(60)
  await pictures.endpoint.stop()
})

test('a caller that opens or sends too much is told when to come again', async () => {
  const limited = await launchTenant([aSmallTemplate([{ id: 'note', label: 'Note', required: true }])])
  await limited.change({ limits: { requestsPerMinute: 3 } })
  const path = limited.path('small')
  await expect.poll(async () => (await page(path)).status, { timeout: 5_000, interval: 10 }).toBe(429)
  const answer = await page(path, form(['note', '']))
  expect(answer).toMatchObject({ status: 429, text: expect.stringContaining('3 requests a minute') })
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  const program = await api(inject('baseUrl'), '').get(path)
  expect(program).toMatchObject({ status: 429, body: problem(429, 'rate-limited', path) })
  await limited.endpoint.stop()
})
