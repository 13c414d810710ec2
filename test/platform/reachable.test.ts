// What an operator reads if the database or Temporal cannot be reached.
import { expect, inject, test } from 'vitest'
import { requireDatabase, requireVersion } from '../../db/reachable.js'
import { freePort } from '../../dev/ports.js'
import { requireTemporal } from '../../runtime/temporal/reachable.js'

/** The address of the database of the tests, changed. */
const changed = (change: (url: URL) => void): string => {
  const url = new URL(inject('databaseUrl'))
  change(url)
  return url.href
}
const server = new URL(inject('databaseUrl')).host

test('a database and a Temporal that answer are no fault', async () => {
  await requireDatabase(inject('databaseUrl'))
  await requireTemporal({ connection: { address: inject('temporalAddress') }, namespace: 'default' })
})

test.each([
  [
    'host',
    (url: URL) => Object.assign(url, { hostname: 'nowhere.invalid' }),
    "the host 'nowhere.invalid' is not known.",
  ],
  ['port', (url: URL) => Object.assign(url, { port: '1' }), 'nothing listens at 127.0.0.1:1.'],
  ['password', (url: URL) => Object.assign(url, { password: 's3cret' }), `${server} refuses the user 'armature'`],
  ['user', (url: URL) => Object.assign(url, { username: 'n@body' }), `${server} refuses the user 'n@body'`],
  ['name', (url: URL) => Object.assign(url, { pathname: '/armature_x' }), `${server} has no database 'armature_x'.`],
  [
    'name of a foreign database',
    (url: URL) => Object.assign(url, { pathname: '/mysql' }),
    "the user 'armature' may not use the database 'mysql'",
  ],
])('a database with a wrong %s: the sentence names the setting and says what to do', async (_, change, said) => {
  const failure = requireDatabase(changed(change))
  await expect(failure).rejects.toThrow(`DATABASE_URL: ${said}`)
  await expect(failure).rejects.toThrow(/\. (Check|Start|Correct|Create|Grant) /)
  await expect(failure).rejects.not.toThrow(/s3cret/)
})

test('a Temporal that does not answer, or has no such namespace', async () => {
  const address = `127.0.0.1:${await freePort()}`
  await expect(requireTemporal({ connection: { address }, namespace: 'default' })).rejects.toThrow(
    `TEMPORAL_ADDRESS: no Temporal answers at ${address}. Start it,`,
  )
  await expect(
    requireTemporal({ connection: { address: inject('temporalAddress') }, namespace: 'nowhere' }),
  ).rejects.toThrow(/^TEMPORAL_NAMESPACE: .* gives no access to the namespace 'nowhere'\. Create it/)
})

test.each([
  ['5.7.44', 'MySQL 5.7'],
  ['8.0.36', 'MySQL 8.0'],
  ['10.6.18-MariaDB-log', 'MariaDB 10.6'],
])('a server of the version %s is too old', (version, named) => {
  expect(() => requireVersion(version, 'DATABASE_URL')).toThrow(
    `DATABASE_URL: the server is ${named}, which is too old. Use MySQL 8.4 or MariaDB 10.11, or a later one.`,
  )
})

test.each(['8.4.0', '9.7.4', '10.11.14-MariaDB-0+deb12u2', '11.8.3-MariaDB'])(
  'one of the version %s is not',
  version => {
    requireVersion(version, 'DATABASE_URL')
  },
)
