// TLS to Temporal by the settings TEMPORAL_TLS_…: private authority, name in the certificate, mutual TLS.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server } from 'node:tls'
import { NativeConnection } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig } from '../../runtime/settings/config.js'
import { temporalConnection } from '../../runtime/settings/temporal-connection.js'

const dir = mkdtempSync(join(tmpdir(), 'armature-temporal-tls-'))
const at = (file: string) => join(dir, file)
let proxy: Server
let address: string

/** Makes a certificate that stands for itself only and is no authority: `<name>.pem` and `<name>.key`. */
function certificate(name: string, host: string): void {
  const extensions = ['-addext', `subjectAltName=DNS:${host}`, '-addext', 'basicConstraints=critical,CA:FALSE']
  const subject = ['-subj', `/CN=${host}`, ...extensions]
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...files], { stdio: 'pipe' })
}

/** Connects with the settings, and asks Temporal for something. Returns 'answered', or the error's text. */
async function outcome(settings: Parameters<typeof temporalConnection>[0]): Promise<string> {
  try {
    const connection = await NativeConnection.connect(temporalConnection({ TEMPORAL_ADDRESS: address, ...settings }))
    await connection.workflowService.getSystemInfo({})
    await connection.close()
    return 'answered'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The settings with which the proxy lets somebody in. */
const right = {
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: at('temporal.pem'),
  TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
  TEMPORAL_TLS_CLIENT_CERT_PATH: at('armature.pem'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: at('armature.key'),
}

// The Temporal of the tests speaks no TLS, so a proxy ends it in front of it, as the ingress of a cluster does.
beforeAll(async () => {
  certificate('temporal', 'temporal.internal')
  certificate('armature', 'armature.internal')
  certificate('stranger', 'armature.internal')
  const [host = '', port = ''] = inject('temporalAddress').split(':')
  const options = {
    key: readFileSync(at('temporal.key')),
    cert: readFileSync(at('temporal.pem')),
    ca: readFileSync(at('armature.pem')),
    requestCert: true,
    rejectUnauthorized: true,
    ALPNProtocols: ['h2'],
  }
  proxy = createServer(options, socket => {
    const upstream = connect(Number(port), host)
    for (const each of [socket, upstream]) each.on('error', () => each.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
})

afterAll(() => {
  proxy.close()
  rmSync(dir, { recursive: true })
})

test('a private authority, a name and a client certificate connect, given as files or as text', async () => {
  expect(await outcome(right)).toBe('answered')
  const asText = {
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: readFileSync(at('temporal.pem'), 'utf8'),
    TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
    TEMPORAL_TLS_CLIENT_CERT_DATA: readFileSync(at('armature.pem'), 'utf8'),
    TEMPORAL_TLS_CLIENT_KEY_DATA: readFileSync(at('armature.key'), 'utf8'),
  }
  expect(await outcome(asText)).toBe('answered')
})

const { TEMPORAL_TLS_SERVER_CA_CERT_PATH: _, ...withoutAuthority } = right
const { TEMPORAL_TLS_SERVER_NAME: __, ...withoutName } = right
test.each([
  ['without the authority', withoutAuthority],
  ['under a name that is not in the certificate', withoutName],
  ['with the authority of somebody else', { ...right, TEMPORAL_TLS_SERVER_CA_CERT_PATH: at('stranger.pem') }],
  [
    'with a client certificate that Temporal does not know',
    {
      ...right,
      TEMPORAL_TLS_CLIENT_CERT_PATH: at('stranger.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: at('stranger.key'),
    },
  ],
  ['without TLS', { TEMPORAL_TLS: false }],
])('no connection is made %s', async (_, settings) => {
  expect(await outcome(settings)).not.toBe('answered')
})

const { TEMPORAL_TLS_CLIENT_KEY_PATH: ___, ...withoutKey } = right
test.each([
  ['a certificate without its key', withoutKey, 'TEMPORAL_TLS_CLIENT_KEY_'],
  ['a file that does not exist', { ...right, TEMPORAL_TLS_SERVER_CA_CERT_PATH: at('nothing.pem') }, 'nothing.pem'],
  ['a file beside the text', { ...right, TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'text' }, 'server_ca_cert'],
])('a process does not start with %s, and says so', (_, settings, said) => {
  const env = { DATABASE_URL: 'mysql://u:p@h/d', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'), ...settings }
  expect(() => readConfig(env)).toThrow(said)
})
