import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { copied } from '../support/extract-rows.js'
import { blockAsked, type ExtractBody, extract, extractPath, formAsked } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { send } from '../support/http.js'
import { notesTenant, whole } from '../support/instances.js'

const db = connect(inject('databaseUrl'), { poolSize: 1 })
afterAll(() => db.destroy())

const ndjson = 'application/x-ndjson'
/** More than a block of an answer holds. */
const results = 200
let tenant: FormsTenant
/** The address of the results of an extract, and what they are. */
let path: string
let json: ExtractBody
let instant: string

const definitions = [
  formAsked('small'),
  formAsked('small', { identifier: 'none', buildingBlocks: [{ key: 'small', controlIds: ['must'] }] }),
  blockAsked('small', { identifier: 'Ünïcode "block"' }),
]

beforeAll(async () => {
  const made = await notesTenant()
  tenant = made.tenant
  const guid = await made.patient.created({ correlationId: 'a "b" \\ c' })
  await made.patient.submit(guid, { ...whole, note: 'Größe  <b>&"\\ 漢字 🙂' })
  await copied(db, guid, results - 1)
  const reply = await extract(tenant.forms, { definitions })
  expect(reply.status).toBe(200)
  path = `${reply.headers.get('location')}/result`
  json = reply.body
  instant = reply.headers.get('extract-instant') ?? ''
})

const inLines = ({ results }: ExtractBody): object[] =>
  results.flatMap(({ identifier, type, results }) => results.map(result => ({ identifier, type, ...result })))
const lines = (text: string): object[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))

test('the answer names its instant and its job', async () => {
  expect(instant).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
  expect(path).toMatch(/^\/api\/v1\/jobs\/[\da-f-]{36}\/result$/)
  const { headers, body } = await tenant.forms.get<ExtractBody>(path)
  expect(headers.get('extract-instant')).toBe(instant)
  expect(body).toEqual(json)
  expect(json.results.map(({ results }) => results.length)).toEqual([results, results, results])
})

describe('as what it is answered', () => {
  test.each([
    ['application/json', 'json'],
    ['application/x-ndjson', 'lines'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['application/x-ndjson, application/json;q=0.9', 'lines'],
    ['application/x-ndjson;q=0.5, application/json', 'json'],
    ['application/x-ndjson;q=0.2, */*;q=0.1', 'lines'],
    ['application/json;q=0, */*', 'lines'],
    ['text/csv, application/x-ndjson;q=0.1', 'lines'],
    ['Application/X-NDJSON', 'lines'],
    ['text/csv', 'json'],
    ['application/json;q=0', 'json'],
    ['nonsense', 'json'],
  ])('Accept: %s: %s', async (accept, expected) => {
    const { status, headers, body } = await tenant.forms.get<unknown>(path, { accept })
    const isLines = typeof body === 'string'
    expect([status, isLines ? 'lines' : 'json']).toEqual([200, expected])
    expect(headers.get('content-type')).toBe(isLines ? 'application/x-ndjson' : 'application/json; charset=utf-8')
    expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
    expect(headers.get('extract-instant')).toBe(instant)
    expect(isLines ? lines(body) : body).toEqual(isLines ? inLines(json) : json)
  })

  test('who waits is answered the same', async () => {
    const { headers, body } = await tenant.forms.post<string>(extractPath, { definitions }, { accept: ndjson })
    expect(headers.get('content-type')).toBe(ndjson)
    expect(headers.get('location')).toMatch(/^\/api\/v1\/jobs\//)
    expect(Date.parse(headers.get('extract-instant') ?? '')).toBeGreaterThan(Date.parse(instant))
    expect(lines(body)).toEqual(inLines(json))
  })

  test('nothing found is a list for each definition, or no line', async () => {
    const asked = { subjectIdentifiers: ['nobody'], definitions }
    const { body } = await extract(tenant.forms, asked)
    const empty = definitions.map(({ identifier, type }) => ({ identifier, type, results: [] }))
    expect(body).toEqual({ results: empty })
    const reply = await tenant.forms.post(extractPath, asked, { accept: ndjson })
    expect([reply.status, reply.headers.get('content-type'), reply.body]).toEqual([200, ndjson, ''])
  })
})

describe('gzip', () => {
  test.each([
    ['gzip', true],
    ['br, gzip;q=0.5', true],
    ['*', true],
    ['identity', false],
    ['br', false],
    ['gzip;q=0', false],
    ['identity, gzip;q=0.5', false],
  ])('Accept-Encoding: %s: %s', async (accepted, isZipped) => {
    for (const accept of ['application/json', ndjson]) {
      const answer = await send(inject('baseUrl'), path, {
        headers: { authorization: `Bearer ${tenant.forms.token}`, accept, 'accept-encoding': accepted },
      })
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, isZipped ? 'gzip' : undefined])
      expect(answer.headers.vary).toBe('Accept, Accept-Encoding')
    }
    // What it says when it is unzipped again.
    const { body } = await tenant.forms.get(path, { 'accept-encoding': accepted })
    expect(body).toEqual(json)
  })

  test('without Accept-Encoding it is sent as it is', async () => {
    const { headers, text } = await send(inject('baseUrl'), path, {
      headers: { authorization: `Bearer ${tenant.forms.token}` },
    })
    expect(headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(text)).toEqual(json)
  })
})

test('HEAD has the headers alone', async () => {
  const { status, headers, text } = await send(inject('baseUrl'), path, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${tenant.forms.token}` },
  })
  expect([status, headers['extract-instant'], text]).toEqual([200, instant, ''])
})
