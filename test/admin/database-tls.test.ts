// TLS to MySQL by the parameters of DATABASE_URL.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { databaseServer, initialise } from '../../dev/mariadb-install.js'
import { freePort } from '../../dev/ports.js'
import { type Supervised, supervise } from '../../dev/supervise.js'

const dir = mkdtempSync(join(tmpdir(), 'armature-tls-'))
const at = (file: string) => join(dir, file)
const [log, logDir] = [() => {}, at('logs')]
let server: Supervised
let flavour: 'MariaDB' | 'MySQL'
let port: number

/** A certificate that is its own authority: `<name>.pem` and `<name>.key`. */
function certificate(name: string, host: string): void {
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { stdio: 'pipe' })
}

const url = (parameters: string, host = 'localhost') => `mysql://tls:tls@${host}:${port}/armature?${parameters}`

/** Whether a query is answered over TLS; the error's text where the connection is refused. */
async function outcome(databaseUrl: string): Promise<string> {
  const db = connect(databaseUrl, { poolSize: 1 })
  try {
    const [[{ Value: cipher }]] = await db.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")
    return cipher ? 'over TLS' : 'in the clear'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await db.destroy()
  }
}

/** Has the server read its certificate again. */
async function reload(databaseUrl: string): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 1 })
  await db.raw(flavour === 'MariaDB' ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS')
  await db.destroy()
}

beforeAll(async () => {
  certificate('localhost', 'localhost')
  copyFileSync(at('localhost.pem'), at('original.pem'))
  certificate('elsewhere', 'db.example')
  for (const name of ['logs', 'tmp']) mkdirSync(at(name))
  const program = await databaseServer({ logDir, log })
  await initialise(program, { dataFiles: at('data'), temporaryFiles: at('tmp'), logDir, log })
  flavour = program.flavour
  const account = "'tls'@'127.0.0.1'"
  const created = `CREATE USER ${account} IDENTIFIED BY 'tls' REQUIRE SSL;\nGRANT ALL ON *.* TO ${account};`
  writeFileSync(at('init.sql'), `CREATE DATABASE armature;\n${created}\n`)
  port = await freePort()
  const own = ['--no-defaults', ...program.asRoot, `--datadir=${at('data')}`, `--tmpdir=${at('tmp')}`]
  const net = ['--bind-address=127.0.0.1', `--port=${port}`, '--skip-name-resolve', `--socket=${at('s')}`]
  const small = ['--innodb-buffer-pool-size=32M', '--skip-log-bin', `--init-file=${at('init.sql')}`]
  const tls = ['ca', 'cert'].map(kind => `--ssl-${kind}=${at('localhost.pem')}`)
  server = supervise(
    {
      name: 'mariadb',
      command: program.command,
      args: [...own, ...net, ...small, ...tls, `--ssl-key=${at('localhost.key')}`],
    },
    { logDir, log },
  )
  await server.ready(async () => {
    const answer = await outcome(url(`ssl-ca=${at('original.pem')}`))
    if (answer !== 'over TLS') throw new Error(answer)
  }, 60_000)
})
afterAll(async () => {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

test('a certificate of the named authority that names the host is accepted', async () => {
  expect(await outcome(url(`ssl-ca=${at('original.pem')}`))).toBe('over TLS')
  expect(await outcome(url(`ssl-mode=VERIFY_IDENTITY&ssl-ca=${at('original.pem')}`))).toBe('over TLS')
})

test('a certificate of another authority and a connection without TLS are refused, for the migration too', async () => {
  expect(await outcome(url('ssl-mode=VERIFY_IDENTITY'))).toMatch(/self-signed certificate/)
  expect(await outcome(url(`ssl-ca=${at('elsewhere.pem')}`))).toMatch(/self-signed certificate|unable to verify/)
  expect(await outcome(url('ssl-mode=DISABLED'))).toMatch(/Access denied/)
  await expect(migrate(url('ssl-mode=VERIFY_IDENTITY'))).rejects.toThrow(/self-signed certificate/)
})

test('a certificate that names another host is refused, unless VERIFY_CA says that any host will do', async () => {
  for (const kind of ['pem', 'key']) copyFileSync(at(`elsewhere.${kind}`), at(`localhost.${kind}`))
  await reload(url(`ssl-ca=${at('original.pem')}`))
  const ca = `ssl-ca=${at('elsewhere.pem')}`
  expect(await outcome(url(ca))).toMatch(/does not match certificate's altnames/)
  expect(await outcome(url(`ssl-mode=VERIFY_CA&${ca}`, '127.0.0.1'))).toBe('over TLS')
})

test('a process warns once, at its start, of a database on another host that is reached without TLS', async () => {
  const lines: string[] = []
  const db = connect('mysql://user:s3cret@db.example/armature', { log: pino({}, { write: line => lines.push(line) }) })
  await db.destroy()
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, host: 'db.example' })
  expect(lines[0]).toContain('ssl-mode=VERIFY_IDENTITY')
  expect(lines[0]).not.toContain('s3cret')
})
