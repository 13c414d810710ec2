// Calls of a tenant that moves or has moved, and requests for moves.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { presenceMs } from '../../db/cells/presence.js'
import { connect } from '../../db/connect.js'
import { newId } from '../../runtime/ids.js'
import { armature } from '../../server/admin/command/command.js'
import { admin, type Problem, type Tenant } from '../support/api.js'
import { glueTenant } from '../support/glue-factories.js'

const address = 'https://b.example.org'
let db: Knex
let tenant: Tenant
let tenant_id: number
beforeAll(async () => {
  db = connect(inject('databaseUrl'), { poolSize: 1 })
  const endpoints = [{ key: 'open', steps: [{ name: 'answer', respond: {} }] }]
  tenant = await glueTenant({ endpoints })
  tenant_id = await tenantIdOf(db, tenant.tenantKey)
})
afterAll(() => db.destroy())
afterEach(() => db('tenant_moves').where({ tenant_id }).delete())

/** Puts the tenant into a state, and waits until every process has heard of it. */
async function isNow(state: string): Promise<void> {
  const move = { tenant_id, tenant_key: tenant.tenantKey, move_id: newId(), state, cell: 'b', address }
  await db('tenant_moves').insert({ ...move, changed_at: new Date() })
  await sleep(presenceMs)
}

const calls: [name: string, path: () => string, isOfAdministrator?: true][] = [
  ['the API', () => '/api/v1/structureType'],
  ['an endpoint of the tenant', () => `/glue/${tenant.tenantKey}/open`],
  ['the administration', () => `/admin/v1/tenants/${tenant.tenantKey}`, true],
]
const sent = async (path: string, isOfAdministrator = false) =>
  (isOfAdministrator ? await admin(inject('baseUrl')) : tenant).get<Problem>(path)

describe.each(calls)('%s', (_, path, isOfAdministrator) => {
  test('asks the callers of a tenant that stands still to come again', async () => {
    await isNow('frozen')
    const { status, body, headers } = await sent(path(), isOfAdministrator)
    expect([status, body.type, headers.get('retry-after')]).toEqual([503, '/problems/tenant-moving', '1'])
  })

  test('names the cell of a tenant that has moved', async () => {
    await isNow('moved')
    const { status, body, headers } = await sent(path(), isOfAdministrator)
    expect([status, body.type, headers.get('armature-cell')]).toEqual([421, '/problems/tenant-moved', address])
  })
})

test('a tenant that is copied is served', async () => {
  await isNow('copying')
  expect((await tenant.get('/api/v1/structureType')).status).toBe(200)
})

test('a move without a cell, and one of an unknown tenant, are refused', async () => {
  const platform = await admin(inject('baseUrl'))
  const path = (key: string) => `/admin/v1/tenants/${key}/move`
  expect(await platform.post(path(tenant.tenantKey), {})).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/cell', code: 'required' }] },
  })
  expect((await platform.post(path('t-none'), { cell: 'b' })).status).toBe(404)
  expect((await platform.post<Problem>(path(tenant.tenantKey), { what: 'undo' })).status).toBe(409)
  expect((await tenant.get(path(tenant.tenantKey))).status).toBe(403)
})

test.each([
  [['tenant', 'move', 'x']],
  [['tenant', 'move', 'x', '--to', 'b', '--undo']],
  [['tenant', 'move', '--to', 'b']],
  [['tenant', 'move', 'x', '--to', 'b', '--wait', 'long']],
])('%j is wrong use', async args => {
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  expect(await armature(args, { env: {}, console: { log, error: log } })).toBe(2)
  expect(lines.join('\n')).toContain('armature tenant move <key> --to <cell>')
})
