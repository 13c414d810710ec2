// An API with the settings of production.
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { publishedSecrets, refusePublishedSecrets } from '../../db/identity/published-secrets.js'
import { migrate } from '../../db/migrate.js'
import { demoPeople } from '../../dev/demo-people.js'
import { applyDemoTenants } from '../../dev/demo-tenants.js'
import { minHashCost, standardHashCost } from '../../runtime/secrets/secrets.js'
import { interpolated, services } from '../support/compose.js'
import { startOwnApi } from '../support/own-api.js'

const url = new URL(inject('databaseUrl'))
url.pathname = `/armature_test_${randomBytes(6).toString('hex')}`
const server = connect(inject('databaseUrl'), { poolSize: 1 })
const db = connect(url.href, { poolSize: 1 })
const encryptionKey = randomBytes(32).toString('base64')

/** The settings of the API under Compose, in the image that the Dockerfile makes; but for where MySQL and Temporal are. */
const production = {
  ...imageEnvironment(),
  ...interpolated(services.api?.environment ?? {}, { ARMATURE_DB_PASSWORD: 'x', ENCRYPTION_KEY: encryptionKey }),
}
type Api = Awaited<ReturnType<typeof startOwnApi>>
const started: Api[] = []
async function start(): Promise<Api> {
  const { PORT: _port, METRICS_PORT: _metrics, PUBLIC_URL: _url, ...settings } = production
  // The tests stay on this machine.
  const here = { HOST: '127.0.0.1', DATABASE_URL: url.href, TEMPORAL_ADDRESS: '127.0.0.1:1' }
  const api = await startOwnApi({ ...settings, ...here })
  started.push(api)
  return api
}

await server.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [url.pathname.slice(1)])
await migrate(url.href)
afterAll(async () => {
  await Promise.all(started.map(api => api.stop()))
  await db.destroy()
  await server.raw('DROP DATABASE ??', [url.pathname.slice(1)])
  await server.destroy()
})

describe('an API in production', () => {
  let api: Api
  beforeAll(async () => {
    api = await start()
    await api.live()
  })

  test('is in production, and is not for demonstrations', () => {
    const cost = String(standardHashCost)
    expect(production).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', SECRET_HASH_COST: cost })
    for (const name of ['DEMO_TENANTS', 'TEMPORAL_CODEC_LOCAL_UI']) expect(production).not.toHaveProperty(name)
  })

  test('has no tenant and no client, and no published secret gives a token', async () => {
    expect([await db('tenants').pluck('tenant_key'), await db('clients').pluck('client_id')]).toEqual([[], []])
    for (const [client_id, client_secret] of Object.entries(publishedSecrets)) {
      const form = { grant_type: 'client_credentials', tenant_key: 'demo', scope: 'FrameApi', client_id, client_secret }
      const body = new URLSearchParams(form)
      expect((await fetch(`${api.baseUrl}/identity/connect/token`, { method: 'POST', body })).status).toBe(401)
    }
  })

  test('opens nothing without a token', async () => {
    const open = []
    for (const path of ['/api/v1/group', '/admin/v1/tenants/demo', '/admin/v1/signingKeys', '/temporal/codec/decode']) {
      const method = path.startsWith('/temporal') ? 'POST' : 'GET'
      const { status } = await fetch(`${api.baseUrl}${path}`, { method, headers: { origin: 'http://127.0.0.1:8233' } })
      if (status !== 401) open.push(`${path} ${status}`)
    }
    expect(open).toEqual([])
  })

  test.skipIf(!existsSync('/proc/net/tcp'))('listens on its own port and that of its metrics alone', () => {
    const metrics = Number(new URL(api.metricsUrl).port)
    expect(new Set(listeningPorts(api.pid ?? 0))).toEqual(new Set([api.port, metrics]))
  })
})

test('no API starts in production while a client or a person has a published secret; its message says what to do, and that helps', async () => {
  const providerUrl = 'http://127.0.0.1:1'
  await applyDemoTenants(url.href, { encryptionKey, providerUrl, secretHashCost: minHashCost })
  await db('clients').where({ client_id: 'demo-reader' }).update({ disabled: 1 })
  const { code, printed } = await (await start()).ended
  expect(code).not.toBe(0)
  const ids = ['demo-integration', 'demo-provider', 'other-integration', 'platform-admin']
  const emails = demoPeople.map(({ email }) => email).sort()
  const people = `the passwords of ${emails.join(', ')} are published`
  expect(printed).toContain(`the secrets of the clients ${ids.join(', ')} and ${people}`)
  const statements = printed.match(/DELETE FROM [^;]+/g) ?? []
  expect(statements).toHaveLength(2)
  for (const statement of statements) await db.raw(statement)
  await refusePublishedSecrets(db)
})

/** What the Dockerfile sets. */
function imageEnvironment(): Record<string, string> {
  const [, line = ''] = /^ENV (.+)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? []
  return Object.fromEntries(line.split(' ').map(assignment => assignment.split('=')))
}

/** The TCP ports on which a process listens. Only Linux tells. */
function listeningPorts(pid: number): number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap(fd => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        // Closed since it was listed.
        return []
      }
    }),
  )
  const listening = '0A'
  return ['tcp', 'tcp6'].flatMap(name =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
      .split('\n')
      .slice(1)
      .map(line => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === listening && sockets.has(inode ?? ''))
      .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16)),
  )
}
