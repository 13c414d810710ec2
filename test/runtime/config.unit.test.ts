// Settings from the environment.
import { expect, test } from 'vitest'
import { readConfig } from '../../runtime/settings/config.js'
import { readDatabaseUrl } from '../../runtime/settings/database-url.js'

const needed = { DATABASE_URL: 'mysql://x/x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
const [SMTP_URL, SMTP_FROM] = ['smtp://user:s3cret@mail.example:587', 'Armature <no-reply@armature.example>']

test('without SMTP_URL there is no mail server, whatever the sender', () => {
  expect(readConfig(needed).smtp).toBeUndefined()
  expect(readConfig({ ...needed, SMTP_URL: '', SMTP_FROM }).smtp).toBeUndefined()
})

test('a mail server is configured together with its sender', () => {
  expect(readConfig({ ...needed, SMTP_URL, SMTP_FROM }).smtp).toEqual({ url: SMTP_URL, from: SMTP_FROM })
})

test.each([
  ['SMTP_FROM', { SMTP_URL }],
  ['SMTP_FROM', { SMTP_URL, SMTP_FROM: 'nobody' }],
  ['SMTP_URL', { SMTP_URL: 'user:s3cret@mail.example', SMTP_FROM }],
  ['SMTP_URL', { SMTP_URL: 'https://user:s3cret@mail.example', SMTP_FROM }],
])('the sentence that stops a start names %s, and no value', (name, env) => {
  const start = () => readConfig({ ...needed, ...env })
  expect(start).toThrow(new RegExp(`^The environment is not usable:\n  ${name} `))
  expect(start).not.toThrow(/s3cret/)
})

test.each([
  ['a start on this machine alone', {}, true],
  ['an address that others reach', { HOST: '0.0.0.0' }, false],
  ['a public address', { PUBLIC_URL: 'https://armature.example' }, false],
  ['the same, for a demonstration', { HOST: '0.0.0.0', DEMO_TENANTS: 'yes' }, true],
  ['production', { NODE_ENV: 'production' }, false],
  ['production, whatever is said', { NODE_ENV: 'production', DEMO_TENANTS: 'yes' }, false],
])('published secrets of clients: %s', (_, env, allowed) => {
  expect(readConfig({ ...needed, ...env }).allowsPublishedSecrets).toBe(allowed)
})

test('TRUSTED_PROXIES is read, and a wrong entry is named', () => {
  const { isProxy } = readConfig({ ...needed, TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16' }).strangers
  expect(['10.0.0.1', '192.168.7.7', '10.0.0.2'].map(isProxy)).toEqual([true, true, false])
  expect(() => readConfig({ ...needed, TRUSTED_PROXIES: '10.0.0.1,proxy' })).toThrow(
    "TRUSTED_PROXIES is wrong: 'proxy' is no",
  )
})

test.each([
  [undefined, []],
  ['127.0.0.1:4010', ['127.0.0.1:4010']],
  ['a.internal, [::1]:4010 ,b-c.internal:80', ['a.internal', '[::1]:4010', 'b-c.internal:80']],
])('OUTBOUND_ALLOW %j opens %j', (OUTBOUND_ALLOW, hosts) => {
  expect(readConfig({ ...needed, OUTBOUND_ALLOW }).outboundAllow).toEqual(hosts)
})

test.each([
  'http://a.internal',
  'a.internal/path',
  '*.internal',
  '10.0.0.0/8',
  'a.internal;b.internal',
  'a:b@c',
  'a,',
  'a b',
])('OUTBOUND_ALLOW lists hosts: %j stops the start', OUTBOUND_ALLOW => {
  expect(() => readConfig({ ...needed, OUTBOUND_ALLOW })).toThrow(
    /^The environment is not usable:\n {2}OUTBOUND_ALLOW /,
  )
})

test('one trace in ten is kept by default, and the environment can choose another sampler', () => {
  const traced = { ...needed, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  expect(readConfig(needed).traces).toBeUndefined()
  expect(readConfig(traced).traces).toEqual({ sampler: 'parentbased_traceidratio', share: 0.1 })
  const all = { ...traced, OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0.5' }
  expect(readConfig(all).traces).toEqual({ sampler: 'always_on', share: 0.5 })
})

test('old encryption keys keep their order', () => {
  const keys = [1, 2].map(n => Buffer.alloc(32, n))
  const ENCRYPTION_KEYS_OLD = keys.map(key => key.toString('base64')).join(', ')
  expect(readConfig({ ...needed, ENCRYPTION_KEYS_OLD }).oldEncryptionKeys).toEqual(keys)
  expect(readConfig(needed).oldEncryptionKeys).toEqual([])
  const start = () => readConfig({ ...needed, ENCRYPTION_KEYS_OLD: `${ENCRYPTION_KEYS_OLD},c2hvcnQ=` })
  expect(start).toThrow(/^The environment is not usable:\n {2}ENCRYPTION_KEYS_OLD /)
  expect(start).not.toThrow('c2hvcnQ=')
})

test.each([
  [{ HOST: '0.0.0.0' }],
  [{ HOST: '::' }],
  [{ HOST: '192.168.1.2' }],
  [{ PUBLIC_URL: 'https://armature.example' }],
  [{ HOST: 'localhost', PUBLIC_URL: 'http://localhost.example' }],
])('the Temporal UI opens nothing without a token where %j lets others in', env => {
  const TEMPORAL_CODEC_LOCAL_UI = 'true'
  const start = () => readConfig({ ...needed, ...env, TEMPORAL_CODEC_LOCAL_UI })
  expect(start).toThrow(/^The environment is not usable:\n {2}TEMPORAL_CODEC_LOCAL_UI /)
  expect(readConfig({ ...needed, ...env }).temporal.codecLocalUi).toBe(false)
})

test.each([[{}], [{ HOST: 'localhost' }], [{ HOST: '::1', PUBLIC_URL: 'http://[::1]:3000' }]])(
  'the Temporal UI may open without a token where %j lets only this machine in',
  env => {
    const { temporal } = readConfig({ ...needed, ...env, TEMPORAL_CODEC_LOCAL_UI: 'true' })
    expect(temporal.codecLocalUi).toBe(true)
  },
)

test('secrets are hashed at the standard cost, or at any power of two above', () => {
  const PUBLIC_URL = 'https://armature.example'
  expect(readConfig({ ...needed, PUBLIC_URL }).secretHashCost).toBe(16_384)
  expect(readConfig({ ...needed, PUBLIC_URL, SECRET_HASH_COST: '65536' }).secretHashCost).toBe(65_536)
})

test.each(['20000', '8', '262144', 'high', '-1024'])('SECRET_HASH_COST %s stops the start', cost => {
  expect(() => readConfig({ ...needed, SECRET_HASH_COST: cost })).toThrow(
    /^The environment is not usable:\n {2}SECRET_HASH_COST .*power of two/,
  )
})

test.each([
  [{ HOST: '0.0.0.0' }],
  [{ HOST: '192.168.1.2', PUBLIC_URL: 'http://127.0.0.1:3000' }],
  [{ PUBLIC_URL: 'https://armature.example' }],
])('a low SECRET_HASH_COST stops the start where %j lets others in', env => {
  const SECRET_HASH_COST = '8192'
  expect(() => readConfig({ ...needed, ...env, SECRET_HASH_COST })).toThrow(
    /^The environment is not usable:\n {2}SECRET_HASH_COST is too low .*below 16384 only where/,
  )
  expect(readConfig({ ...needed, SECRET_HASH_COST }).secretHashCost).toBe(8_192)
})

test.each([
  ['mysql://x/x?ssl-mode=REQUIRED', 'VERIFY_IDENTITY'],
  ['mysql://x/x?ssl-ca=/nowhere/ca.pem', '/nowhere/ca.pem'],
  ['mysql://10.0.0.7/x?ssl-mode=VERIFY_IDENTITY', 'VERIFY_CA'],
  ['mysql://[::1]/x?ssl-ca=package.json', 'VERIFY_CA'],
  ['mysql://user:s3cret@x:99999/x', 'no address'],
  ['mysql://user:s3@/cret@x/x', '%2F'],
  ['mysql://user:s3#cret@x/x', '%23'],
  ['mysql://user:12?s3cret@x/x', '%3F'],
  ['mysql://user:p@ss/s3cret#x@x/x', '%40'],
  ['mysql://user:100%s3cret@x/x', '%25'],
  ['mysql://user:s3cret@x', 'no address'],
  ['mysql://user:s3cret@x/x/y', 'no address'],
])('DATABASE_URL %s stops the start, and the sentence says %s', (DATABASE_URL, said) => {
  const start = () => readConfig({ ...needed, DATABASE_URL })
  expect(start).toThrow(/^The environment is not usable:\n {2}DATABASE_URL /)
  expect(start).toThrow(said)
  expect(start).not.toThrow(/s3cret/)
})

test('replicas are named by their addresses, and each that is wrong is named by its number', () => {
  const DATABASE_REPLICA_URLS = 'mysql://x:p@a.example/x, mysql://x:p@b.example/x'
  const { replicas } = readConfig({ ...needed, DATABASE_REPLICA_URLS })
  expect(replicas).toEqual({ urls: ['mysql://x:p@a.example/x', 'mysql://x:p@b.example/x'], maxLagMs: 2_000 })
  expect(readConfig(needed).replicas.urls).toEqual([])
  const wrong = `mysql://x:s3cret@a/x,http://x:s3cret@b/x,,mysql://x:s3cret@c/x?ssl-mode=REQUIRED`
  const start = () =>
    readConfig({ ...needed, DATABASE_URL: 'mysql://x/x?ssl-ca=/nowhere', DATABASE_REPLICA_URLS: wrong })
  expect(start).toThrow(
    /^The environment is not usable:\n {2}DATABASE_URL names .*\n {2}DATABASE_REPLICA_URLS \(number 2\) does not begin with mysql:.*\n.*\(number 3\) does not begin with mysql:.*\n.*\(number 4\) has an ssl-mode .*$/,
  )
  expect(start).not.toThrow(/s3cret/)
})

test.each([
  ['mysql://x:p@db.example/x', undefined, 'db.example'],
  ['mysql://x:p@127.0.0.1:3306/x', undefined, undefined],
  ['mysql://x:p@db.example/x?ssl-mode=DISABLED', undefined, undefined],
  ['mysql://x:p@db.example/x?ssl-mode=verify_identity', { verifyIdentity: true }, undefined],
  ['mysql://x:p@10.0.0.7/x?ssl-mode=VERIFY_CA', { verifyIdentity: false }, undefined],
])('DATABASE_URL %s: TLS %j, unprotected host %s', (text, ssl, unprotected) => {
  const address = readDatabaseUrl(text)
  expect(address).toEqual({ uri: text.replace(/\?.*/, ''), ssl, unprotected })
})

test.each([
  ['DATABASE_URL is not set', { DATABASE_URL: '' }],
  ['PORT must be', { PORT: 'x' }],
  ['LOG_LEVEL must be one of trace, debug, info, warn, error, silent', { LOG_LEVEL: 'loud' }],
  ['RECORD_STORAGE must be one of mysql, s3', { RECORD_STORAGE: 'disk' }],
  ['OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
])('the sentence that stops a process says: %s', (sentence, env) => {
  expect(() => readConfig({ ...needed, ...env })).toThrow(`The environment is not usable:\n  ${sentence}`)
})
