import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { copied } from '../support/extract-rows.js'
import { extract, formAsked } from '../support/extracts.js'
import { aSmallTemplate, formsTenant } from '../support/forms.js'
import { patientOf } from '../support/instances.js'
import { startOwnApp } from '../support/own-app.js'

const db = connect(inject('databaseUrl'), { poolSize: 1 })
/** An API that has four connections to the database and keeps its log. */
let own: Awaited<ReturnType<typeof startOwnApp>>
let token: string
afterAll(async () => {
  await own.stop()
  await db.destroy()
})

/** More than a list has in one row; with so large values, more than connections buffer. */
const results = 1_100
/** Of two extracts of the same. */
let whole: string
let damaged: string

beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'))
  const tenant = await formsTenant()
  await tenant.publish(aSmallTemplate([{ id: 'long', label: 'Long', maxLength: 20_000 }]))
  const patient = patientOf(tenant)
  const guid = await patient.created()
  const { status } = await patient.submit(guid, { long: randomBytes(8_000).toString('base64') })
  expect(status).toBe(200)
  await copied(db, guid, results - 1)
  const claims = JSON.parse(Buffer.from(tenant.forms.token.split('.')[1] ?? '', 'base64url').toString())
  const { client_id, tenant_key } = claims
  token = await own.issuer.token({ client_id, tenant_key, scope: 'FormsApi' })
  const extracted = async () => {
    const { status, headers } = await extract(tenant.forms, { definitions: [formAsked('small')] })
    expect(status).toBe(200)
    return headers.get('location') ?? ''
  }
  whole = await extracted()
  damaged = await extracted()
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
  const answer = await download(whole, { accept: 'application/x-ndjson' })
  expect(answer.statusCode).toBe(200)
  return (await text(answer)).split('\n').length - 1
}

test('downloads that are given up in the middle leave nothing behind', async () => {
  for (const [, headers] of kinds) {
    const answer = await download(whole, headers)
    await once(answer, 'readable')
    answer.destroy()
  }
  const given = await Promise.all(Array.from({ length: 8 }, () => download(whole)))
  for (const answer of given) answer.destroy()
  expect(await counted()).toBe(results)
  expect(logged(warn)).toEqual([])
})

test('who reads slowly holds no connection to the database: more of them than there are connections hinder nobody', async () => {
  const slow = await Promise.all(kinds.flatMap(([, headers]) => [download(whole, headers), download(whole, headers)]))
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
        msg: 'answer broken off',
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
