// The hostile tokens.
import { SignJWT, UnsecuredJWT } from 'jose'

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** What a token would have to say to be let in. */
export interface Target {
  issuer: string
  claims: Record<string, unknown>
  /** Name of a key that the issuer publishes, and the key's public part as PEM. */
  kid: string
  publicKey: string
}

/** Tokens and headers that must open nothing, by name. None is signed by the issuer. */
export async function hostileTokens({ issuer, claims, kid, publicKey }: Target): Promise<Record<string, string>> {
  const now = Math.floor(Date.now() / 1000)
  const right = { iss: issuer, aud: 'armature', iat: now, exp: now + 3_600, ...claims }
  const forged = (header: object, payload: unknown = right, signature = 'c2lnbmF0dXJl') =>
    [part({ alg: 'RS256', typ: 'at+jwt', kid, ...header }), part(payload), signature].join('.')
  const signedBy = (secret: Uint8Array) => new SignJWT(right).setProtectedHeader({ alg: 'HS256', kid }).sign(secret)
  const whole = forged({})
  return {
    'alg none': new UnsecuredJWT(right).encode(),
    'alg None, with a signature': forged({ alg: 'None' }),
    'no alg': forged({ alg: undefined }),
    'alg that is a list': forged({ alg: ['RS256', 'none'] }),
    'the public key as the secret of HS256': await signedBy(new TextEncoder().encode(publicKey)),
    'the empty secret of HS256': [part({ alg: 'HS256', kid }), part(right), ''].join('.'),
    'a signature of zeros': forged({}, right, Buffer.alloc(256).toString('base64url')),
    'an empty signature': forged({}, right, ''),
    'a key id nobody published': forged({ kid: 'nobody' }),
    'a key id that is a path': forged({ kid: '../../../../dev/null' }),
    'a key id that is a URL': forged({ kid: 'http://127.0.0.1:1/key' }),
    'a key id that is SQL': forged({ kid: "x' UNION SELECT 'AAAA' -- " }),
    'a key id that is an object': forged({ kid: { toString: 'x' } }),
    'a key id of 8,000 letters': forged({ kid: 'k'.repeat(8_000) }),
    'a key id named like a member of every object': forged({ kid: '__proto__' }),
    'a key set of its own (jku)': forged({ jku: 'http://127.0.0.1:1/jwks' }),
    'a certificate of its own (x5u)': forged({ x5u: 'http://127.0.0.1:1/cert', x5c: ['AAAA'] }),
    'a key of its own (jwk)': forged({ jwk: { kty: 'oct', k: 'AAAA' } }),
    'a critical header': forged({ crit: ['b64'], b64: false }),
    'a token in a token': forged({ cty: 'JWT' }, whole),
    'an encrypted token': [part({ alg: 'dir', enc: 'A256GCM' }), '', 'AAAA', 'AAAA', 'AAAA'].join('.'),
    'two segments': whole.split('.').slice(0, 2).join('.'),
    'four segments': `${whole}.AAAA`,
    'five thousand segments': Array(5_000).fill('a').join('.'),
    'dots alone': '.'.repeat(8_000),
    'a payload that is no JSON': [part({ alg: 'RS256', kid }), part('{'), 'AAAA'].join('.'),
    'a payload that is null': forged({}, null),
    'a payload that is a list': forged({}, [right]),
    'JSON nested a thousand deep': forged({}, `${'['.repeat(1_000)}${']'.repeat(1_000)}`),
    'a header that is JSON nested a thousand deep': [
      part('['.repeat(1_000) + ']'.repeat(1_000)),
      part(right),
      'AAAA',
    ].join('.'),
    'an issuer that is a list': forged({}, { ...right, iss: [issuer] }),
    'an expiry beyond all numbers': forged({}, JSON.stringify(right).replace(String(right.exp), '1e999')),
    'letters that are no base64': `${whole.slice(0, -4)}!!%%`,
    'letters beyond ASCII': `${part({ alg: 'RS256' })}.${encodeURIComponent('é')}.AAAA`,
    '15,000 letters': 'a'.repeat(15_000),
    '100 KB of letters': 'a'.repeat(100_000),
    SQL: "'OR'1'='1",
    'a template': '{{variables.secret}}',
    'a path': '../../etc/passwd',
  }
}
