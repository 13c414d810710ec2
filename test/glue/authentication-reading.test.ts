// Places where a token is not read.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Callers, call, expectRefusal } from '../support/glue-callers.js'
import { sendBytes } from '../support/http.js'
import { startUserEndpoint, urlencoded, withHeader } from '../support/user-endpoint.js'

let callers: Callers
let [path, good, bad] = ['', '', '']
let stop: () => Promise<unknown>
beforeAll(async () => {
  ;({ callers, path, good, bad, stop } = await startUserEndpoint())
})
afterAll(() => stop())

describe('a token is not read', () => {
  const json = (body: unknown): RequestInit => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
  const asText = (type: string): RequestInit => ({ body: `jwt=${good}`, headers: { 'content-type': type } })
  const part = (type: string): RequestInit => ({
    body: `--x\r\nContent-Disposition: form-data; name="jwt"\r\n\r\n${good}\r\n--x--\r\n`,
    headers: { 'content-type': `${type}; boundary=x` },
  })
  const nowhere: [string, () => [query: string, init: RequestInit]][] = [
    ['from jwt in the query string', () => [`?jwt=${good}`, {}]],
    ['from token in the query string', () => [`?token=${good}`, {}]],
    ['from access_token in the query string', () => [`?access_token=${good}`, {}]],
    ['from the query string of a form', () => [`?jwt=${good}`, urlencoded([['a', 'b']])]],
    ['from a member jwt of a JSON body', () => ['', json({ jwt: good })]],
    ['from a member token of a JSON body', () => ['', json({ token: good })]],
    ['from a JSON text', () => ['', json(good)]],
    ['from text that looks like a form', () => ['', asText('text/plain')]],
    ['from a form that calls itself JSON', () => ['', asText('application/json')]],
    ['from a form without content type', () => ['', asText('')]],
    ['from a part of something that is no form', () => ['', part('multipart/mixed')]],
    ['from a part of a message', () => ['', part('multipart/related')]],
    ['from a header of another name', () => ['', { headers: { 'x-access-token': good, 'x-api-key': good } }]],
    ['from a cookie', () => ['', { headers: { cookie: `jwt=${good}` } }]],
    ['from a GET', () => [`?jwt=${good}`, { method: 'GET' }]],
  ]
  test.each(nowhere)('%s', async (_, make) => {
    const [query, init] = make()
    const answer = await call(callers.baseUrl, path + query, init)
    expect(callers.reasonOf(expectRefusal(answer, path))).toBe('openIdConnect: missing')
  })

  test('from a part that is a file', async () => {
    const form = new FormData()
    form.append('jwt', new Blob([good]), 'token.txt')
    const answer = await call(callers.baseUrl, path, { body: form })
    expect(callers.reasonOf(expectRefusal(answer, path))).toBe('openIdConnect: missing')
  })

  const broken: [string, Record<string, string>, string][] = [
    ['without its last boundary', { 'content-type': 'multipart/form-data; boundary=x' }, '--x\r\n'],
    ['without a boundary', { 'content-type': 'multipart/form-data' }, '--x--\r\n'],
    ['in another charset', { 'content-type': 'application/x-www-form-urlencoded; charset=utf-16' }, 'jwt=a'],
    [
      'in an encoding nobody has',
      { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'x' },
      'a',
    ],
    [
      'that is not what its encoding says',
      { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' },
      'jwt',
    ],
  ]
  test.each(broken)('from a form %s', async (_, headers, body) => {
    const answer = await call(callers.baseUrl, path, { headers, body })
    expect(callers.reasonOf(expectRefusal(answer, path))).toBe('openIdConnect: unreadable-form')
  })
})

test('the content type of a form counts in any letter case, and with parameters', async () => {
  const headers = { 'content-type': 'Application/X-WWW-Form-URLEncoded; Charset=UTF-8' }
  const { body } = await call(callers.baseUrl, path, { headers, body: `jwt=${good}` })
  expect(body).toEqual({ userToken: good, body: {} })
})

test('a token in the header comes with a JSON body, which goes to the pipeline as it is', async () => {
  const headers = { authorization: `bEARER  ${good} `, 'content-type': 'application/json; charset=utf-8' }
  const sent = { jwt: 'a', Token: { decimal: 1.5 }, list: [1, null] }
  const { status, body } = await call(callers.baseUrl, path, { headers, body: JSON.stringify(sent) })
  expect([status, body]).toEqual([200, { userToken: good, body: sent }])
})

test('a token in the header needs no body', async () => {
  for (const method of ['GET', 'POST']) {
    const { body } = await call(callers.baseUrl, path, { method, headers: { authorization: `Bearer ${good}` } })
    expect(body).toEqual({ userToken: good })
  }
})

test('with a good header, what is wrong with a body is said', async () => {
  const wrong: [Record<string, string>, string, object][] = [
    [{ 'content-type': 'application/json' }, '{', { status: 400, type: '/problems/malformed-json' }],
    [{ 'content-type': 'text/csv' }, 'a,b', { status: 415, type: '/problems/content-type' }],
    [{ 'content-type': 'multipart/form-data' }, '--x--', { status: 400, type: '/problems/malformed-form' }],
    [{ 'content-type': 'application/json' }, JSON.stringify('a'.repeat(1_100_000)), { status: 413 }],
  ]
  for (const [headers, body, problem] of wrong) {
    const answer = await call(callers.baseUrl, path, { headers: { ...headers, authorization: `Bearer ${good}` }, body })
    expect(answer.body).toMatchObject(problem)
  }
  const form = new FormData()
  form.append('photo', new Blob(['x']), 'photo.png')
  const answer = await call(callers.baseUrl, path, withHeader({ body: form }, `Bearer ${good}`))
  expect(answer.body).toMatchObject({ status: 400, type: '/problems/file-in-form' })
})

test('of two Authorization headers the first counts', async () => {
  const headers = ['Host: x', 'Connection: close', `Authorization: Bearer ${bad}`, `Authorization: Bearer ${good}`]
  const answer = await sendBytes(callers.baseUrl, [`GET /glue/${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`])
  expect(answer).toMatch(/^HTTP\/1.1 401 /)
  expect(callers.reasonOf(/"traceId":"([^"]+)"/.exec(answer)?.[1] ?? '')).toBe('openIdConnect: audience')
})
