// Refused uploads to subject records.
import { request } from 'node:http'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { aPdf, aSubject, openDatabase, type Subject } from '../support/factories.js'
import { invalid, refusal } from '../support/frame.js'
import { problem, send, sendBytes } from '../support/http.js'
import { effectiveDate, file, formOf, formType, megabyte, nothing, type Part, title } from '../support/records.js'

const baseUrl = inject('baseUrl')
const db = openDatabase()
let token: string
let subject: Subject

beforeEach(async () => {
  const tenant = await newTenant(baseUrl)
  token = tenant.token
  subject = await aSubject(db, { ...tenant, baseUrl })
})

const required = (name: string) => `required /${name}`
const pdf = file(aPdf())
const notPdf = file(Buffer.from('PK\u0003\u0004 this is a zip'))

test.each<[string, Part[], string[]]>([
  ['nothing at all', [], [required('file'), required('title'), required('effectiveDate')]],
  ['no file', [title(), effectiveDate()], [required('file')]],
  ['an empty file', [title(), effectiveDate(), file('')], [required('file')]],
  ['no title', [effectiveDate(), pdf], [required('title')]],
  ['no title after the file', [pdf, effectiveDate()], [required('title')]],
  ['an empty title', [title(''), effectiveDate(), pdf], ['too-short /title', 'wrong-format /title']],
  ['a title of blanks', [title('  '), effectiveDate(), pdf], ['wrong-format /title']],
  ['a title of 256 letters', [pdf, title('é'.repeat(256)), effectiveDate()], ['too-long /title']],
  ['a title of 100,000 letters', [pdf, title('x'.repeat(100_000)), effectiveDate()], ['too-long /title']],
  [
    'a title in Latin-1',
    [pdf, { name: 'title', content: Buffer.from('été', 'latin1') }, effectiveDate()],
    ['not-utf-8 /title'],
  ],
  ['no effective date', [title(), pdf], [required('effectiveDate')]],
  ['two titles', [title('a'), { ...title('b'), name: 'Title' }, effectiveDate(), pdf], ['duplicate-member /title']],
  ['two files', [title(), pdf, effectiveDate(), file(aPdf())], ['duplicate-member /file']],
  ['a bad date and no title', [effectiveDate('soon'), pdf], [required('title'), 'wrong-format /effectiveDate']],
  [
    'a second file that is none',
    [title(), pdf, notPdf, effectiveDate('x')],
    ['duplicate-member /file', 'wrong-format /effectiveDate'],
  ],
])('a form with %s is 400 that names every fault, and nothing is kept', async (_, parts, errors) => {
  expect(refusal(await subject.upload(formOf(parts)))).toEqual(invalid(...errors))
  expect(await subject.kept()).toEqual(nothing)
})

test.each([
  '',
  '21.11.2026',
  '11/21/2026',
  '2026-11-31',
  '2026-1-2',
  '2026-11-21 10:00',
  '2026-11-21T25:00Z',
  '2026-W47',
  '1795219200',
  '2026-11-21x',
])('the effective date %j is 400, and nothing is kept', async given => {
  const answer = await subject.upload(formOf([title(), pdf, effectiveDate(given)]))
  expect(refusal(answer)).toEqual(invalid('wrong-format /effectiveDate'))
  expect(await subject.kept()).toEqual(nothing)
})

describe('a file of another kind', () => {
  test.each([
    ['a zip', notPdf],
    ['a text that is called a PDF', file('hello, I am a PDF')],
    ['a page', file('<html>%PDF-1.7')],
    ['a PDF after a blank', file(Buffer.concat([Buffer.from(' '), aPdf()]))],
    ['the first four letters alone', file('%PDF')],
    ['26 MB of zeros', file(Buffer.alloc(26 * megabyte))],
  ])('(%s) is 415, and nothing is kept', async (_, part) => {
    for (const parts of [
      [part, title(), effectiveDate()],
      [title(), effectiveDate(), part],
    ]) {
      const path = `${subject.path}/upload`
      const detail = 'It is not application/pdf: its content does not begin with %PDF-.'
      const errors = [{ pointer: '/file', code: 'file-type', detail }]
      expect((await subject.upload(formOf(parts))).body).toEqual(problem(415, 'file-type', path, { detail, errors }))
    }
    expect(await subject.kept()).toEqual(nothing)
  })

  test('is told together with what else is wrong', async () => {
    const answer = await subject.upload(formOf([notPdf, effectiveDate('tomorrow')]))
    const errors = ['file-type /file', required('title'), 'wrong-format /effectiveDate']
    expect(refusal(answer)).toEqual({ status: 415, code: 'file-type', errors })
  })
})

describe('a file that is too large', () => {
  test.each([
    ['a byte', 25 * megabyte + 1],
    ['a megabyte', 26 * megabyte],
  ])('by %s is 400 with the other faults, and nothing is kept', async (_, bytes) => {
    expect(refusal(await subject.upload(formOf([file(aPdf(bytes)), effectiveDate('soon')])))).toEqual(
      invalid('too-large /file', required('title'), 'wrong-format /effectiveDate'),
    )
    expect(await subject.kept()).toEqual(nothing)
  })

  test('is refused before it comes where its length says so, and half-way where it does not', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': formType }
    const form = formOf([file(aPdf(51 * megabyte)), title(), effectiveDate()])
    const path = `${subject.path}/upload`
    const announced = await subject.upload(form)
    const pieces = Array.from({ length: 51 }, (_, n) => form.subarray(n * megabyte, (n + 1) * megabyte))
    const chunked = await send(baseUrl, path, { method: 'POST', headers, body: pieces })
    const expected = problem(400, 'validation', path, {
      errors: [expect.objectContaining({ pointer: '', code: 'too-large' })],
    })
    expect(announced.body).toEqual(expected)
    expect(JSON.parse(chunked.text)).toEqual(expected)
    expect(await subject.kept()).toEqual(nothing)
  })
})

test.each([
  'application/json',
  'application/pdf',
  'application/x-www-form-urlencoded',
  'multipart/mixed; boundary=x',
  '',
])('a body of the content type %j is 415, and nothing is kept', async type => {
  const answer = await subject.upload(formOf([pdf, title(), effectiveDate()]), { headers: { 'content-type': type } })
  expect(refusal(answer)).toEqual({ status: 415, code: 'content-type', errors: [] })
  expect(await subject.kept()).toEqual(nothing)
})

describe('a form that is none', () => {
  const whole = formOf([title(), effectiveDate(), file(aPdf(3 * megabyte))])
  const malformed = { status: 400, code: 'malformed-form', errors: [] }

  test.each([
    ['without its last boundary', formOf([title(), effectiveDate(), pdf], { end: false })],
    ['that breaks off in the file', whole.subarray(0, 2 * megabyte)],
    ['that breaks off in the head of a part', whole.subarray(0, 60)],
    ['that is empty', Buffer.alloc(0)],
    ['that is no form', Buffer.from('{"title": "x"}')],
  ])('%s is 400, and nothing is kept', async (_, form) => {
    expect(refusal(await subject.upload(form))).toEqual(malformed)
    expect(await subject.kept()).toEqual(nothing)
  })

  test('of more than a hundred parts is 413, and nothing is kept', async () => {
    const form = formOf(Array.from({ length: 120 }, () => ({ name: 'x', content: 'y' })))
    expect(refusal(await subject.upload(form))).toEqual({ status: 413, code: 'too-many-fields', errors: [] })
    expect(await subject.kept()).toEqual(nothing)
  })

  test('because its content type names no boundary is 400', async () => {
    const headers = { 'content-type': 'multipart/form-data' }
    expect(refusal(await subject.upload(whole, { headers }))).toEqual(malformed)
  })

  test('that breaks off, because the caller hangs up in the middle of the file, leaves nothing', async () => {
    const head = [
      `POST ${subject.path}/upload HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${formType}`,
      `Content-Length: ${whole.length}`,
    ]
    const bytes = [`${head.join('\r\n')}\r\n\r\n`, whole.subarray(0, 2 * megabyte + 5_000)]
    await sendBytes(baseUrl, bytes, { cut: true })
    await expect.poll(() => subject.kept(), { timeout: 10_000 }).toEqual(nothing)
    // It did begin: there is nothing to see of it, but the next upload finds all in order.
    expect(await subject.uploaded([title(), effectiveDate(), pdf])).toMatch(/^[\da-f-]{36}$/)
  })
})

describe('a refusal does not wait for the body', () => {
  test.each([
    ['without the permission', 403],
    ['for an unknown subject', 404],
  ])('%s it is %i at once, and the connection serves the next request', async (_, status) => {
    const tenant = await newTenant(baseUrl)
    const nobody = await tenant.client(status === 403 ? [] : ['Create:SubjectRecordItem'])
    const head = [
      `POST /api/v1/subjects/${crypto.randomUUID()}/file/upload HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${nobody.token}`,
      `Content-Type: ${formType}`,
      `Content-Length: ${20 * megabyte}`,
    ]
    const next = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const body = Array.from({ length: 20 }, () => Buffer.alloc(megabyte))
    const answers = await sendBytes(baseUrl, [`${head.join('\r\n')}\r\n\r\n`, ...body, next])
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200'])
  })

  test('it comes while hardly anything of the body has been sent', async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': formType, 'content-length': `${20 * megabyte}` }
    const path = `/api/v1/subjects/${crypto.randomUUID()}/file/upload`
    expect(await firstAnswer(path, headers, Buffer.alloc(1_000))).toBe(404)
  })
})

/** The status of the answer to a request whose body is begun and not ended. */
function firstAnswer(path: string, headers: Record<string, string>, begun: Buffer): Promise<number | undefined> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method: 'POST', headers, agent: false }, answer => {
      resolve(answer.statusCode)
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    outgoing.write(begun)
  })
}
