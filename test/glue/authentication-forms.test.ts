// Tokens in posted forms.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Callers, call, expectRefusal } from '../support/glue-callers.js'
import { type Fields, multipart, startUserEndpoint, urlencoded, withHeader } from '../support/user-endpoint.js'

let callers: Callers
let [path, openPath, good, otherGood, bad] = ['', '', '', '', '']
let stop: () => Promise<unknown>
beforeAll(async () => {
  ;({ callers, path, openPath, good, otherGood, bad, stop } = await startUserEndpoint())
})
afterAll(() => stop())

describe.each([
  ['application/x-www-form-urlencoded', urlencoded],
  ['multipart/form-data', multipart],
])('from a form of the type %s', (_, form) => {
  // What is read, and what is left of the form for the pipeline.
  const read: [string, () => Fields, () => string, object][] = [
    ['the field jwt', () => [['jwt', good]], () => good, {}],
    ['the field token', () => [['token', good]], () => good, {}],
    ['jwt in another letter case', () => [['JwT', good]], () => good, {}],
    ['token in another letter case', () => [['TOKEN', good]], () => good, {}],
    [
      'jwt before token, whatever their order',
      () => [
        ['token', bad],
        ['jwt', good],
      ],
      () => good,
      {},
    ],
    [
      'jwt before token in whatever letter case',
      () => [
        ['token', bad],
        ['JWT', good],
      ],
      () => good,
      {},
    ],
    [
      'token where jwt is empty',
      () => [
        ['jwt', ''],
        ['token', good],
      ],
      () => good,
      {},
    ],
    [
      'the first jwt that is not empty',
      () => [
        ['jwt', ''],
        ['Jwt', good],
        ['jwt', bad],
      ],
      () => good,
      {},
    ],
    [
      'the first token that is not empty',
      () => [
        ['token', ''],
        ['token', good],
        ['token', bad],
      ],
      () => good,
      {},
    ],
    [
      'a token among other fields, which are the body',
      () => [
        ['note', 'é & ü'],
        ['jwt', good],
        ['tag', 'a'],
        ['tag', 'b'],
        ['token', 'x'],
        ['__proto__', 'p'],
      ],
      () => good,
      JSON.parse('{"note":"é & ü","tag":["a","b"],"__proto__":"p"}'),
    ],
  ]
  test.each(read)('%s is read', async (_, fields, token, body) => {
    const answer = await call(callers.baseUrl, path, form(fields()))
    expect([answer.status, answer.body]).toEqual([200, { userToken: token(), body }])
  })

  test('the header is used where both are there', async () => {
    const answer = await call(callers.baseUrl, path, withHeader(form([['jwt', otherGood]]), `Bearer ${good}`))
    expect(answer.body).toEqual({ userToken: good, body: {} })
  })

  // No fallback from a header that is not valid.
  const headers: [string, () => string, string][] = [
    ['a token that is refused', () => `Bearer ${bad}`, 'audience'],
    ['noise', () => 'Bearer noise', 'malformed'],
    ['no token', () => 'Bearer', 'no-bearer-token'],
    ['nothing', () => '', 'no-bearer-token'],
    ['another scheme', () => `Basic ${Buffer.from('a:b').toString('base64')}`, 'no-bearer-token'],
    ['two tokens', () => `Bearer ${good} ${good}`, 'no-bearer-token'],
  ]
  test.each(headers)('a header with %s is not made good by a field', async (_, authorization, reason) => {
    const answer = await call(callers.baseUrl, path, withHeader(form([['jwt', good]]), authorization()))
    expect(callers.reasonOf(expectRefusal(answer, path))).toBe(`openIdConnect: ${reason}`)
  })

  const refused: [string, () => Fields, string][] = [
    [
      'a jwt that is refused, though token is good',
      () => [
        ['jwt', bad],
        ['token', good],
      ],
      'audience',
    ],
    [
      'a first jwt that is refused, though the second is good',
      () => [
        ['jwt', bad],
        ['jwt', good],
      ],
      'audience',
    ],
    [
      'empty fields',
      () => [
        ['jwt', ''],
        ['token', ''],
      ],
      'missing',
    ],
    [
      'other names',
      () => [
        ['access_token', good],
        ['jwt ', good],
        ['id_token', good],
        ['bearer', good],
      ],
      'missing',
    ],
    ['no fields', () => [], 'missing'],
    [
      'a jwt of blanks',
      () => [
        ['jwt', '  '],
        ['token', good],
      ],
      'malformed',
    ],
    ['a very long jwt', () => [['jwt', 'a'.repeat(500_000)]], 'malformed'],
    [
      'a form above 1 MB',
      () => [
        ['jwt', good],
        ['more', 'a'.repeat(1_100_000)],
      ],
      'unreadable-form',
    ],
  ]
  test.each(refused)('%s is refused', async (_, fields, reason) => {
    const answer = await call(callers.baseUrl, path, form(fields()))
    expect(callers.reasonOf(expectRefusal(answer, path))).toBe(`openIdConnect: ${reason}`)
  })

  test('an endpoint without user tokens gets every field, those named jwt and token too', async () => {
    const { body } = await call(
      callers.baseUrl,
      openPath,
      form([
        ['jwt', 'j'],
        ['Token', 't'],
        ['a', ''],
      ]),
    )
    expect(body).toEqual({ body: { jwt: 'j', Token: 't', a: '' } })
  })

  test('a form above 1 MB is 413 where nobody looks for a token in it', async () => {
    const { body } = await call(callers.baseUrl, openPath, form([['a', 'a'.repeat(1_100_000)]]))
    expect(body).toMatchObject({ type: '/problems/body-too-large', status: 413 })
  })
})
