// The router before the API of the shared stack, with the directory of its database.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readDirectory } from '../../db/cells/directory.js'
import { connect } from '../../db/connect.js'
import { newTenant, type Problem } from '../support/api.js'
import { aType } from '../support/factories.js'
import { startRouter } from '../support/router.js'
import { until } from '../support/until.js'

let db: Knex
beforeAll(() => {
  db = connect(inject('databaseUrl'), { poolSize: 2 })
})
afterAll(() => db.destroy())

const overStack = () => startRouter({ main: { address: inject('baseUrl'), read: () => readDirectory(db) } })

test('a tenant that was made through the router gets a token, writes and reads at once', async () => {
  const { baseUrl, lines } = await overStack()
  const tenant = await newTenant(baseUrl)
  expect((await tenant.put('/api/v1/structureType', aType('ward'))).status).toBe(201)
  expect((await tenant.get('/api/v1/structureType/ward')).body).toMatchObject({ Key: 'ward' })
  expect((await tenant.get<Problem>('/api/v1/structureType/none')).body).toMatchObject({ type: '/problems/not-found' })
  expect((await fetch(`${baseUrl}/api/v1/structureType`)).status).toBe(401)
  expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200)
  expect(lines.filter(line => JSON.parse(line).level >= 40)).toEqual([])
})

test('the API says in the router’s place that a tenant is on its way', async () => {
  const { baseUrl } = await overStack()
  const tenant_key = `t-${randomBytes(6).toString('hex')}`
  const coming = { tenant_id: 4_000_000_000 + Math.floor(Math.random() * 1e8), tenant_key, state: 'arriving' }
  await db('tenant_moves').insert({ ...coming, move_id: tenant_key, cell: 'b', changed_at: new Date() })
  try {
    const directory = await readDirectory(db)
    expect(directory.filter(({ tenantKey }) => tenantKey === tenant_key)).toEqual([
      { tenantKey: tenant_key, clientId: null, presence: 'arriving' },
    ])
    expect(directory).toContainEqual({ tenantKey: 'demo', clientId: 'platform-admin', presence: 'served' })
    const path = `/glue/${tenant_key}/x`
    // A process hears of a move within half a second.
    await until('the API knows it', async () => (await fetch(inject('baseUrl') + path)).status === 503)
    const answer = await fetch(baseUrl + path)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ type: '/problems/tenant-moving' })
  } finally {
    await db('tenant_moves').where({ tenant_key }).delete()
  }
})
