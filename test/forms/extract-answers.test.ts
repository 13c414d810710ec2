// Answers of extracts.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { ndjsonOf } from '../../db/forms/extracts/extract-results.js'
import { extractOf } from '../../db/forms/extracts/extracts.js'
import { createPublishedForms } from '../../db/forms/templates/published-forms.js'
import { noReplicas } from '../../db/replicas.js'
import { copied, type ExtractBody, extract, extractPath } from '../support/extracts.js'
import {
  blockAsked,
  type FormsTenant,
  formAsked,
  notesForm,
  notesTenant,
  openDatabase,
  whole,
} from '../support/factories.js'
import { refusal } from '../support/frame.js'
import { send } from '../support/http.js'
import { startOwnApp } from '../support/own-app.js'

const db = openDatabase()

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

  test('a caller who waits gets the same answer', async () => {
    const { headers, body } = await tenant.forms.post<string>(extractPath, { definitions }, { accept: ndjson })
    expect(headers.get('content-type')).toBe(ndjson)
    expect(headers.get('location')).toMatch(/^\/api\/v1\/jobs\//)
    expect(Date.parse(headers.get('extract-instant') ?? '')).toBeGreaterThan(Date.parse(instant))
    expect(lines(body)).toEqual(inLines(json))
  })

  test('an extract that finds nothing has an empty list for each definition, or no line', async () => {
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

describe('documents that are gone', () => {
  /** More than one statement reads (500). */
  const results = 700

  let path: string
  /** In the order of the results. */
  let ids: string[]
  beforeAll(async () => {
    const form = await notesForm(tenant, 'missing')
    const guid = await form.submitted()
    ids = [guid, ...(await copied(db, guid, results - 1))].sort()
    const { headers } = await extract(tenant.forms, { definitions: [formAsked('missing')] })
    path = headers.get('location') ?? ''
    await db('form_values').where({ instance_id: ids[600] }).delete()
  })

  test('the answer breaks off at the first result whose documents are gone', async () => {
    const tenantId = await tenantIdOf(db, tenant.tenantKey)
    const found = await extractOf(db, tenantId, path.split('/').at(-1) ?? '')
    if (!found) throw new Error('The extract is gone')
    const lines = ndjsonOf({ db, reads: noReplicas(db), forms: createPublishedForms({ db }) }, tenantId, found)
    const shown: string[] = []
    const read = async () => {
      for await (const line of lines) shown.push(JSON.parse(line).instanceGuid)
    }
    const { value: first } = await lines.next()
    // What is read ahead fails meanwhile: that ends the answer, and not the process.
    await once(db, 'query-response')
    await nextTurn()
    await nextTurn()
    await expect(read()).rejects.toThrow('Only 199 of 200 results were found')
    expect([JSON.parse(first ?? '').instanceGuid, ...shown]).toEqual(ids.slice(0, 500))
    await expect(tenant.forms.get(`${path}/result`)).rejects.toThrow()
  })

  test('the answer is a problem if the documents of one of the first results are gone', async () => {
    await db('form_values').where({ instance_id: ids[499] }).delete()
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const reply = await tenant.forms.get(`${path}/result`, { accept })
      expect(refusal(reply)).toEqual({ status: 500, code: 'internal', errors: [] })
    }
  })
})

describe('downloads', () => {
  /** An API that has four connections to the database and keeps its log. */
  let own: Awaited<ReturnType<typeof startOwnApp>>
  let token: string
  afterAll(() => own.stop())

  /** More than a list has in one row. */
  const results = 1_100
  /** Of results so large that they are more than connections buffer. */
  let large: string
  /** Of small ones. */
  let damaged: string

  beforeAll(async () => {
    own = await startOwnApp(inject('databaseUrl'))
    const text = { id: 'long', label: 'Long', maxLength: 20_000 }
    const long = await notesForm(tenant, 'long', {
      buildingBlocks: [{ key: 'long', sections: [{ id: 'only', controls: [text] }] }],
    })
    const short = await notesForm(tenant, 'short')
    await copied(db, await long.submitted({}, { long: randomBytes(8_000).toString('base64') }), results - 1)
    await copied(db, await short.submitted(), results - 1)
    const claims = JSON.parse(Buffer.from(tenant.forms.token.split('.')[1] ?? '', 'base64url').toString())
    const { client_id, tenant_key } = claims
    token = await own.issuer.token({ client_id, tenant_key, scope: 'FormsApi' })
    const extracted = async (key: string) => {
      const { status, headers } = await extract(tenant.forms, { definitions: [formAsked(key)] })
      expect(status).toBe(200)
      return headers.get('location') ?? ''
    }
    large = await extracted('long')
    damaged = await extracted('short')
  })
  beforeEach(() => own.lines.splice(0))

  /** Asks for the results of a job, and has the answer when it begins: nothing of its body is read. */
  async function download(job: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const path = `${own.baseUrl}${job}/result`
    const outgoing = request(path, { agent: false, headers: { authorization: `Bearer ${token}`, ...headers } })
    outgoing.on('error', () => undefined)
    outgoing.end()
    const [answer] = await once(outgoing, 'response')
    return answer
  }

  const kinds = [
    ['JSON', {}],
    ['lines', { accept: 'application/x-ndjson' }],
    ['JSON in gzip', { 'accept-encoding': 'gzip' }],
    ['lines in gzip', { accept: 'application/x-ndjson', 'accept-encoding': 'gzip' }],
  ] as const
  const logged = (level: number) => own.lines.map(line => JSON.parse(line)).filter(line => line.level >= level)
  const warn = 40

  /** All results, as one reads them who takes them to the end. */
  async function counted(): Promise<number> {
    const answer = await download(large, { accept: 'application/x-ndjson' })
    expect(answer.statusCode).toBe(200)
    return (await text(answer)).split('\n').length - 1
  }

  test('downloads that are given up in the middle leave nothing behind', async () => {
    for (const [, headers] of kinds) {
      const answer = await download(large, headers)
      await once(answer, 'readable')
      answer.destroy()
    }
    const given = await Promise.all(Array.from({ length: 8 }, () => download(large)))
    for (const answer of given) answer.destroy()
    expect(await counted()).toBe(results)
    expect(logged(warn)).toEqual([])
  })

  test('slow readers occupy no connection to the database, so any number of them delays nobody', async () => {
    const slow = await Promise.all(kinds.flatMap(([, headers]) => [download(large, headers), download(large, headers)]))
    expect(await counted()).toBe(results)
    for (const answer of slow) expect(answer.statusCode).toBe(200)
    // Whoever goes on reading has it all.
    const [, , lines] = slow
    expect(lines && (await text(lines)).split('\n')).toHaveLength(results + 1)
    for (const answer of slow) answer.destroy()
    expect(logged(warn)).toEqual([])
  })

  describe('what fails while it is sent', () => {
    beforeAll(async () => {
      const jobId = damaged.split('/').at(-1)
      await db('form_extract_results').where({ job_id: jobId, chunk: 1 }).delete()
    })

    test.each(kinds)('breaks the answer off, so that nobody takes a part for the whole: %s', async (_, headers) => {
      const answer = await download(damaged, headers)
      expect(answer.statusCode).toBe(200)
      const read = answer.headers['content-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer
      answer.on('error', error => read.destroy(error))
      await expect(text(read)).rejects.toThrow()
      expect(answer.complete).toBe(false)
      // Once, as what it is.
      expect(logged(warn)).toEqual([
        expect.objectContaining({
          level: 50,
          msg: 'an answer was aborted',
          traceId: expect.any(String),
          err: expect.objectContaining({ message: expect.stringContaining('are gone') }),
        }),
      ])
    })

    test('is a problem where nothing is sent yet', async () => {
      const jobId = damaged.split('/').at(-1)
      await db('form_extract_results').where({ job_id: jobId, chunk: 0 }).delete()
      for (const [, headers] of kinds) {
        own.lines.splice(0)
        const answer = await download(damaged, headers)
        expect([answer.statusCode, answer.headers['content-type'], answer.headers['content-encoding']]).toEqual([
          500,
          'application/problem+json',
          undefined,
        ])
        expect(JSON.parse(await text(answer))).toMatchObject({ type: '/problems/internal', status: 500 })
        expect(logged(warn)).toHaveLength(1)
      }
      expect(await counted()).toBe(results)
    })
  })
})
