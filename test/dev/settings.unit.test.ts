// The settings of `npm start`.
import { expect, test } from 'vitest'
import { checkEnvironment, makeDataDir, requireDiskSpace, startSettings } from '../../dev/settings.js'

const check = (env: NodeJS.ProcessEnv) => checkEnvironment(startSettings(env), env)
const elsewhere = { DATABASE_URL: 'mysql://x:x@127.0.0.1:1/x' }

test.each([
  ['into a database that was there before', elsewhere, 'the database of DATABASE_URL'],
  ['where others reach them', { HOST: '0.0.0.0' }, 'HOST, PUBLIC_URL'],
  ['behind a public address', { PUBLIC_URL: 'https://armature.example' }, 'HOST, PUBLIC_URL'],
  ['in production', { NODE_ENV: 'production', DEMO_TENANTS: 'yes' }, 'NODE_ENV=production'],
])('npm start creates no demo tenants %s unless DEMO_TENANTS says so', (_, env, where) => {
  expect(() => check(env)).toThrow('npm start is refused: it makes the demo tenants')
  expect(() => check(env)).toThrow(where)
  expect(() => check(env)).toThrow('set DEMO_TENANTS=yes')
})

test('the API makes demo tenants on this machine alone, and where DEMO_TENANTS=yes', () => {
  expect(check({}).allowsPublishedSecrets).toBe(true)
  expect(check({ ...elsewhere, DEMO_TENANTS: 'yes' }).allowsPublishedSecrets).toBe(true)
  expect(check({ HOST: '0.0.0.0', DEMO_TENANTS: 'yes' }).allowsPublishedSecrets).toBe(true)
})

test('npm start names a variable that is wrong', () => {
  expect(() => check({ TEMPORAL_PORT: 'many' })).toThrow(
    'TEMPORAL_PORT must be a port between 1 and 65535, not "many".',
  )
  expect(() => check({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL')
})

test('a disk that is nearly full stops npm start, with what is left and what is needed', () => {
  requireDiskSpace('.', 1)
  const terabytes = 1_000 * 1024 ** 4
  expect(() => requireDiskSpace('.', terabytes)).toThrow(
    /^The disk of \. has [\d.]+ GB left, and 1024000\.0 GB are needed: make room, or set DATA_DIR /,
  )
})

test('a data directory that cannot be made stops npm start', () => {
  expect(() => makeDataDir(startSettings({ DATA_DIR: 'package.json/data' }))).toThrow(
    /package\.json\/data cannot be written \(ENOTDIR.*\): set DATA_DIR to a directory of yours\.$/,
  )
})
