// Where a user's token is read from a request, and where it is not.
import { afterAll, describe, expect, test } from 'vitest'
import { call, expectRefusal } from '../support/glue-callers.js'
import { pairs, sendBytes } from '../support/http.js'
import { multipart, startUserEndpoint, urlencoded, withHeader } from '../support/user-endpoint.js'

const { callers, path, openPath, good, otherGood, bad, stop } = await startUserEndpoint()
afterAll(() => stop())

describe.each([
  ['application/x-www-form-urlencoded', urlencoded],
  ['multipart/form-data', multipart],
])('from a form of the type %s', (_, form) => {
  const send = (given: ReturnType<typeof pairs>, to = path) => call(callers.baseUrl, to, form(given))

  test.each([
    ['the field jwt', pairs('jwt', good)],
    ['the field token', pairs('token', good)],
    ['jwt in another letter case', pairs('JwT', good)],
    ['token in another letter case', pairs('TOKEN', good)],
    ['jwt before token, whatever their order', pairs('token', bad, 'jwt', good)],
    ['jwt before token in whatever letter case', pairs('token', bad, 'JWT', good)],
    ['token where jwt is empty', pairs('jwt', '', 'token', good)],
    ['the first jwt that is not empty', pairs('jwt', '', 'Jwt', good, 'jwt', bad)],
    ['the first token that is not empty', pairs('token', '', 'token', good, 'token', bad)],
  ])('%s is read', async (_, given) => {
    expect(await send(given)).toMatchObject({ status: 200, body: { userToken: good, body: {} } })
  })

  test('the pipeline gets the fields beside a token as its body', async () => {
    const given = pairs('note', 'é & ü', 'jwt', good, 'tag', 'a', 'tag', 'b', 'token', 'x', '__proto__', 'p')
    const body = JSON.parse('{"note":"é & ü","tag":["a","b"],"__proto__":"p"}')
    expect((await send(given)).body).toEqual({ userToken: good, body })
  })

  test('the header wins if both are present', async () => {
    const answer = await call(callers.baseUrl, path, withHeader(form(pairs('jwt', otherGood)), `Bearer ${good}`))
    expect(answer.body).toEqual({ userToken: good, body: {} })
  })

  test.each([
    ['a token that is refused', `Bearer ${bad}`, 'audience'],
    ['noise', 'Bearer noise', 'malformed'],
    ['no token', 'Bearer', 'no-bearer-token'],
    ['nothing', '', 'no-bearer-token'],
    ['another scheme', 'Basic YTpi', 'no-bearer-token'],
    ['two tokens', `Bearer ${good} ${good}`, 'no-bearer-token'],
  ])('a header with %s is refused although a field has a good token', async (_, authorization, reason) => {
    const answer = await call(callers.baseUrl, path, withHeader(form(pairs('jwt', good)), authorization))
    expect(callers.reasonOf(expectRefusal(answer, path))).toBe(`openIdConnect: ${reason}`)
  })

  test.each([
    ['a jwt that is refused, though token is good', pairs('jwt', bad, 'token', good), 'audience'],
    ['a first jwt that is refused, though the second is good', pairs('jwt', bad, 'jwt', good), 'audience'],
    ['a form with empty fields', pairs('jwt', '', 'token', ''), 'missing'],
    ['a token in fields of other names', pairs('access_token', good, 'jwt ', good, 'id_token', good), 'missing'],
    ['a form without fields', [], 'missing'],
    ['a jwt of blanks', pairs('jwt', '  ', 'token', good), 'malformed'],
    ['a very long jwt', pairs('jwt', 'a'.repeat(500_000)), 'malformed'],
    ['a form above 1 MB', pairs('jwt', good, 'more', 'a'.repeat(1_100_000)), 'unreadable-form'],
  ])('%s is refused', async (_, given, reason) => {
    expect(callers.reasonOf(expectRefusal(await send(given), path))).toBe(`openIdConnect: ${reason}`)
  })

  test('an endpoint without user tokens gets every field, those named jwt and token too', async () => {
    const { body } = await send(pairs('jwt', 'j', 'Token', 't', 'a', ''), openPath)
    expect(body).toEqual({ body: { jwt: 'j', Token: 't', a: '' } })
  })

  test('a form above 1 MB is 413 at an endpoint without user tokens', async () => {
    const { body } = await send(pairs('a', 'a'.repeat(1_100_000)), openPath)
    expect(body).toMatchObject({ type: '/problems/body-too-large', status: 413 })
  })
})

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
  const nowhere: [string, string, RequestInit][] = [
    ['from jwt in the query string', `?jwt=${good}`, {}],
    ['from token in the query string', `?token=${good}`, {}],
    ['from access_token in the query string', `?access_token=${good}`, {}],
    ['from the query string of a form', `?jwt=${good}`, urlencoded(pairs('a', 'b'))],
    ['from a member jwt of a JSON body', '', json({ jwt: good })],
    ['from a member token of a JSON body', '', json({ token: good })],
    ['from a JSON text', '', json(good)],
    ['from text that looks like a form', '', asText('text/plain')],
    ['from a form that calls itself JSON', '', asText('application/json')],
    ['from a form without content type', '', asText('')],
    ['from a part of something that is no form', '', part('multipart/mixed')],
    ['from a part of a message', '', part('multipart/related')],
    ['from a header of another name', '', { headers: { 'x-access-token': good, 'x-api-key': good } }],
    ['from a cookie', '', { headers: { cookie: `jwt=${good}` } }],
    ['from a GET', `?jwt=${good}`, { method: 'GET' }],
  ]
  test.each(nowhere)('%s', async (_, query, init) => {
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

test('a caller with a good header is told what is wrong with its body', async () => {
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
