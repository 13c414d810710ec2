// Content types of requests.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { problem, send } from '../support/http.js'

const path = '/api/v1/group'
const group = { Key: 'été', Name: 'Été' }

const tenant = await newTenant(inject('baseUrl'))
beforeEach(async () => {
  await tenant.delete(`${path}/${encodeURIComponent(group.Key)}`)
})

async function put(headers: Record<string, string>, body: string | Buffer = JSON.stringify(group)) {
  const authorization = `Bearer ${tenant.token}`
  const answer = await send(inject('baseUrl'), path, {
    method: 'PUT',
    headers: { authorization, ...headers },
    body: [body],
  })
  return { status: answer.status, body: JSON.parse(answer.text) }
}

const written = { status: 201, body: { Key: 'été', DisplayName: 'Été', StructuralEntityKeys: [] } }
const nothingWritten = async () =>
  expect((await tenant.get(path)).body).toMatchObject({ Edges: [], PageInfo: { TotalCount: 0 } })

test.each([
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/merge-patch+json',
  'application/vnd.example.v1+json',
])('%s is accepted', async type => {
  expect(await put({ 'content-type': type })).toEqual(written)
})

test.each([
  'text/plain',
  'text/json',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'json',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-16',
])('%s is 415, and nothing is written', async type => {
  const { status, body } = await put({ 'content-type': type })
  expect(status).toBe(415)
  expect(body).toEqual(problem(415, 'content-type', path, { detail: expect.stringContaining(type) }))
  await nothingWritten()
})

test('a body without content type is 415', async () => {
  expect((await put({})).body).toEqual(problem(415, 'content-type', path))
  await nothingWritten()
})

describe('a compressed body', () => {
  test.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('in %s is inflated', async (encoding, compress) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    expect(await put(headers, compress(JSON.stringify(group)))).toEqual(written)
  })

  test('in an unknown encoding is 415', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' }
    expect((await put(headers)).body).toEqual(problem(415, 'content-encoding', path))
    await nothingWritten()
  })

  const whole = gzipSync(JSON.stringify(group))
  test.each([
    ['is not what it says', Buffer.from(JSON.stringify(group))],
    ['is cut', whole.subarray(0, whole.length - 12)],
    ['is damaged', Buffer.from(whole.map((byte, n) => (n > 12 && n < 20 ? byte ^ 0xff : byte)))],
  ])('that %s is 400', async (_, body) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect((await put(headers, body)).body).toEqual(problem(400, 'unreadable-body', path))
    await nothingWritten()
  })
})

test.each([
  ['Latin-1', Buffer.from(JSON.stringify(group), 'latin1')],
  ['a lone surrogate in bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['UTF-16', Buffer.from(JSON.stringify(group), 'utf16le').subarray(1)],
])('a body in %s instead of UTF-8 is 400, and nothing is written garbled', async (_, bytes) => {
  const { body } = await put({ 'content-type': 'application/json' }, bytes)
  expect(body).toMatchObject({ status: 400, type: expect.stringMatching(/not-utf-8|malformed-json/) })
  await nothingWritten()
})
