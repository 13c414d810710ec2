// Validation of users' tokens by metadata.
import { afterEach, expect, test, vi } from 'vitest'
import { AuthorityUnavailable } from '../../activities/auth/authority.js'
import { createUserTokens, UnusableMethod } from '../../activities/auth/user-tokens.js'
import { createTokenValidator } from '../../activities/auth/validate-token.js'
import { TokenRefused } from '../../activities/auth/verify-token.js'
import { startEvaluator } from '../support/expressions.js'

afterEach(() => {
  vi.useRealTimers()
})

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const evaluator = startEvaluator()

/** Validates for any authority; nobody answers, but it is known who was asked. */
function strangers() {
  const asked: string[] = []
  const platform = createTokenValidator({ authority: 'https://platform.example/identity', audience: 'armature' })
  const tokens = createUserTokens({
    platform,
    grants: { for: async () => undefined, ofToken: async () => undefined },
    evaluator,
    async fetch(url) {
      asked.push(String(url))
      throw new Error('Nobody is there')
    },
  })
  const validate = (authority: string, iss = authority) =>
    tokens
      .validate(
        [part({ alg: 'ES256', kid: 'a' }), part({ iss }), 'c2ln'].join('.'),
        { authority, audiences: 'a' },
        { tenantId: 1, tenantKey: 't', variables: {} },
      )
      .catch((error: unknown) => error)
  return { asked, validate }
}

test('metadata is looked up under the authority, whatever slashes it ends with', async () => {
  const { asked, validate } = strangers()
  for (const authority of [
    'https://a.example',
    'https://b.example/',
    'https://c.example/realm',
    'https://d.example/realm//',
  ]) {
    expect(await validate(authority)).toBeInstanceOf(AuthorityUnavailable)
  }
  expect(asked).toEqual([
    'https://a.example/.well-known/openid-configuration',
    'https://b.example/.well-known/openid-configuration',
    'https://c.example/realm/.well-known/openid-configuration',
    'https://d.example/realm/.well-known/openid-configuration',
  ])
})

test('no provider is asked about a token of another issuer, or by a method that cannot be used', async () => {
  const { asked, validate } = strangers()
  expect(await validate('https://a.example', 'https://b.example')).toEqual(new TokenRefused('issuer'))
  for (const authority of [
    '',
    'a.example',
    'ftp://a.example',
    'https://a.example?b',
    'https://a.example/#',
    'https://u@a.example',
  ]) {
    expect(await validate(authority)).toBeInstanceOf(UnusableMethod)
  }
  expect(asked).toEqual([])
})

test('a thousand authorities are remembered; beyond, the one used longest ago is forgotten', async () => {
  const { asked, validate } = strangers()
  // The time stands still: a failure is remembered for a second.
  vi.useFakeTimers({ toFake: ['Date'] })
  const one = (n: number) => `https://a${n}.example`
  for (let n = 0; n < 1000; n++) await validate(one(n))
  await validate(one(0))
  expect(asked).toHaveLength(1000)
  await validate(one(1000))
  await validate(one(0))
  expect(asked).toHaveLength(1001)
  await validate(one(1))
  expect(asked.slice(1000)).toEqual([one(1000), one(1)].map(url => `${url}/.well-known/openid-configuration`))
})
