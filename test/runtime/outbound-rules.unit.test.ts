// Rules of outbound calls.
import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { createOutbound } from '../../runtime/outbound/outbound.js'
import { isPublic, OutboundFailed, outboundRules, type Resolve } from '../../runtime/outbound/outbound-rules.js'
import { loopbackServer } from '../support/http.js'

test.each([
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.1', false],
  ['127.255.255.254', false],
  ['169.254.169.254', false],
  ['172.16.0.1', false],
  ['172.31.255.255', false],
  ['192.0.0.8', false],
  ['192.168.1.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['240.0.0.1', false],
  ['255.255.255.255', false],
  ['1.1.1.1', true],
  ['100.128.0.1', true],
  ['172.32.0.1', true],
  ['::', false],
  ['::1', false],
  ['::127.0.0.1', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['64:ff9b::7f00:1', false],
  ['64:ff9b:1::1', false],
  ['100::1', false],
  ['2001:db8::1', false],
  ['2001::1', false],
  ['2002:7f00:1::', false],
  ['fc00::1', false],
  ['fd12:3456::1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['fec0::1', false],
  ['4000::1', false],
  ['ff02::1', false],
  ['2606:4700::1111', true],
  ['no address', false],
  ['', false],
])('the address %s is public: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected)
})

/** What a call is refused with before anything is looked up or connected. */
function refusal(url: string, allow: string[] = []): { reason: string; message: string } | undefined {
  try {
    outboundRules(allow).check(new URL(url))
    return undefined
  } catch (error) {
    if (error instanceof OutboundFailed) return { reason: error.reason, message: error.message }
    throw error
  }
}

describe('a URL alone is refused', () => {
  test.each([
    ['http://example.org/', 'https-only'],
    ['ftp://example.org/', 'https-only'],
    ['file:///etc/passwd', 'https-only'],
    ['https://user@example.org/', 'credentials-in-url'],
    ['https://user:password@example.org/', 'credentials-in-url'],
    ['https://127.0.0.1/', 'private-address'],
    ['https://127.1/', 'private-address'],
    ['https://2130706433/', 'private-address'],
    ['https://0x7f000001/', 'private-address'],
    ['https://0177.0.0.1/', 'private-address'],
    ['https://127.0.0.1./', 'private-address'],
    ['https://１２７.0.0.1/', 'private-address'],
    ['https://169.254.169.254/latest/meta-data', 'private-address'],
    ['https://[::1]/', 'private-address'],
    ['https://[::ffff:127.0.0.1]/', 'private-address'],
    ['https://[::ffff:7f00:1]/', 'private-address'],
    ['https://[64:ff9b::a00:1]/', 'private-address'],
    ['https://[fd00::1]/', 'private-address'],
  ])('%s: %s', (url, reason) => {
    expect(refusal(url)).toMatchObject({ reason })
  })

  test.each(['https://example.org/', 'https://example.org:8443/x?y', 'https://1.1.1.1/', 'https://[2606:4700::1111]/'])(
    'but not %s',
    url => {
      expect(refusal(url)).toBeUndefined()
    },
  )

  test('without its password, path or query in the message', () => {
    expect(refusal('https://user:hidden@example.org/path-hidden?q=hidden')).toEqual({
      reason: 'credentials-in-url',
      message: 'example.org: a URL with a user name or password is not called',
    })
  })
})

describe('the operator’s list', () => {
  test.each([
    ['127.0.0.1:4010', 'http://127.0.0.1:4010/', undefined],
    ['127.0.0.1:4010', 'http://127.0.0.1:4011/', 'https-only'],
    ['127.0.0.1:4010', 'https://127.0.0.1/', 'private-address'],
    ['127.0.0.1', 'http://127.0.0.1:4011/', undefined],
    ['provider.local:80', 'http://provider.local/', undefined],
    ['provider.local:443', 'https://provider.local/', undefined],
    ['provider.local', 'http://PROVIDER.local/', undefined],
    ['Provider.Local', 'http://provider.local/', undefined],
    ['provider.local', 'http://a.provider.local/', 'https-only'],
    ['provider.local', 'http://provider.local.example.org/', 'https-only'],
    ['provider.local', 'http://user:password@provider.local/', 'credentials-in-url'],
    ['[::1]:4010', 'http://[::1]:4010/', undefined],
    ['provider.local', 'ftp://provider.local/', 'https-only'],
  ])('%s: a call of %s is refused with %s', (entry, url, reason) => {
    expect(refusal(url, [entry])?.reason).toBe(reason)
  })
})

describe('a name', () => {
  const call = (answers: LookupAddress[][]) => {
    const asked: string[] = []
    const resolve: Resolve = (hostname, _, found) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? []
      asked.push(hostname)
      found(null, answer)
    }
    const outbound = createOutbound({ allow: [], resolve })
    const failure = outbound
      .send({ method: 'GET', url: 'https://provider.example/', timeoutMs: 2_000, maxBytes: 1000 })
      .catch((error: unknown) => error)
    return { asked, failure, close: () => outbound.close() }
  }

  test.each([
    ['a private address', [{ address: '10.0.0.7', family: 4 }]],
    ['loopback', [{ address: '::1', family: 6 }]],
    [
      'a public address and a private one',
      [
        { address: '1.1.1.1', family: 4 },
        { address: '10.0.0.7', family: 4 },
      ],
    ],
    ['an IPv4 address in IPv6', [{ address: '::ffff:10.0.0.7', family: 6 }]],
  ])('that leads to %s is refused, and the message does not tell the address', async (_, answer) => {
    const { failure, close } = call([answer])
    expect(await failure).toMatchObject({
      reason: 'private-address',
      isFinal: true,
      message: 'provider.example is no public address, and OUTBOUND_ALLOW does not name it',
    })
    await close()
  })

  test('is looked up once: the connection goes to what was checked, whatever the name leads to a moment later', async () => {
    const asked: string[] = []
    const answers = [
      { address: '1.1.1.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]
    const resolve: Resolve = (hostname, _, found) => {
      asked.push(hostname)
      found(null, asked.length === 1 ? answers : [{ address: '127.0.0.1', family: 4 }])
    }
    const { guardedLookup } = outboundRules([], resolve)
    const addresses = await new Promise((done, fail) => {
      guardedLookup('provider.example', { all: true }, (error, found) => (error ? fail(error) : done(found)))
    })
    expect({ addresses, asked }).toEqual({ addresses: answers, asked: ['provider.example'] })
  })

  test('is looked up once for all who ask at the same time, and anew for the next', async () => {
    const answers: (() => void)[] = []
    const resolve: Resolve = (_, __, found) => answers.push(() => found(null, [{ address: '1.1.1.1', family: 4 }]))
    const { guardedLookup } = outboundRules([], resolve)
    const ask = (name: string) =>
      new Promise((done, fail) => {
        guardedLookup(name, {}, (error, found) => (error ? fail(error) : done(found)))
      })
    const asked = [ask('hangs.example'), ask('hangs.example'), ask('provider.example')]
    expect(answers).toHaveLength(2)
    for (const answer of answers) answer()
    expect(await Promise.all(asked)).toEqual(['1.1.1.1', '1.1.1.1', '1.1.1.1'])
    void ask('hangs.example')
    expect(answers).toHaveLength(3)
  })

  test('on the operator’s list is looked up once too, and the connection goes there', async () => {
    const site = await loopbackServer((_, response) => response.end('here'))
    const host = site.host.replace('127.0.0.1', 'provider.example')
    const asked: string[] = []
    const resolve: Resolve = (hostname, _, found) => {
      asked.push(hostname)
      found(null, [{ address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }])
    }
    const outbound = createOutbound({ allow: [host], resolve })
    const answer = await outbound.send({ method: 'GET', url: `http://${host}/`, timeoutMs: 5_000, maxBytes: 100 })
    expect({ text: answer.body.toString(), asked }).toEqual({ text: 'here', asked: ['provider.example'] })
    await outbound.close()
    await site.stop()
  })

  test('that leads to loopback by the system’s own lookup is refused', async () => {
    const outbound = createOutbound({ allow: [] })
    const sent = outbound.send({ method: 'GET', url: 'https://localhost/', timeoutMs: 5_000, maxBytes: 1000 })
    await expect(sent).rejects.toMatchObject({ reason: 'private-address' })
    await outbound.close()
  })
})
