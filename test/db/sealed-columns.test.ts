// Sealed columns of the database, each value of which opens in its own place only.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { accountStore } from '../../db/identity/accounts.js'
import { oidcRecords } from '../../db/identity/oidc-records.js'
import { secondFactors } from '../../db/identity/second-factors.js'
import { createKey, listSigningKeys } from '../../db/identity/signing-keys.js'
import { createSeal, sealPurposes } from '../../runtime/secrets/seal.js'
import { aSmallTemplate, launchTenant, openDatabase } from '../support/factories.js'
import { hidden, page, smallForm } from '../support/launches.js'
import { type Column, columnsLike, columnsWithSealed, opens, opensFor, type Row } from '../support/sealed-columns.js'

const db = openDatabase()
const seal = createSeal(Buffer.from(inject('encryptionKey'), 'base64'))
const controls = [{ id: 'note', label: 'Note' }]
const tenants = await Promise.all([1, 2].map(() => launchTenant([aSmallTemplate(controls)])))
afterAll(() => Promise.all(tenants.map(tenant => tenant.endpoint.stop())))

/** Two of everything that is sealed, in both tenants. A new sealed column needs its rows here. */
beforeAll(async () => {
  for (const tenant of tenants) {
    tenant.endpoint.answers(503)
    for (const note of ['one', 'two']) {
      const opened = await page(`${tenant.path('small', 1)}/launch`, smallForm(['token', 'x']))
      const sent = smallForm(['note', note], ['ticket', hidden(opened.text, 'ticket')])
      expect((await page(tenant.path('small', 1), sent)).status).toBe(303)
    }
    await tenant.change({
      glue: {
        secrets: [
          { name: 'a', value: 'x' },
          { name: 'b', value: 'x' },
        ],
      },
    })
  }
})

test('every sealed value opens for its own purpose, tenant and name, and in the place of no other one', async () => {
  const columns = await columnsLike(db, 'sealed\\_%')
  const keys = new Map<unknown, string>()
  for (const { tenantKey } of tenants) keys.set(await tenantIdOf(db, tenantKey), tenantKey)
  const trx = await db.transaction()
  try {
    // A key that another test has added and that does not sign yet is enough.
    if ((await listSigningKeys(trx)).every(({ state }) => state !== 'published')) await createKey(trx, seal)
    for (const [tenantId, tenantKey] of keys) {
      const person = { name: 'Ada', roles: [], disabled: false }
      const id = await accountStore(trx, Number(tenantId)).create('ada@example.org', person)
      const owner = { tenantId: Number(tenantId), tenantKey, id }
      const app = { kind: 'app', name: 'App', secret: 'AAAA', lastStep: 0 } as const
      await secondFactors(trx, seal).add(owner, app, { kind: 'recovery', hashes: [] })
    }
    for (const session of ['one', 'two']) await oidcRecords(trx, seal, 'Session').upsert(session, {}, 60)
    const values: (Column & { sealed: string; what: ReturnType<typeof opensFor>[number] | undefined })[] = []
    for (const { table, column } of columns) {
      const rows: Row[] = await trx(table)
      const mine = rows.filter(row => !('tenant_id' in row) || keys.has(row.tenant_id))
      expect(mine.length, `rows with ${table}.${column}: make two in this file`).toBeGreaterThan(1)
      for (const row of mine) {
        const places = opensFor(seal, keys.get(row.tenant_id) ?? '', row, column)
        expect(places, `${table}.${column} is bound to its row`).toHaveLength(1)
        values.push({ table, column, sealed: String(row[column]), what: places[0] })
      }
    }
    expect([...new Set([...values.map(({ what }) => what?.purpose), 'launch ticket'])].sort()).toEqual(
      [...sealPurposes].sort(),
    )
    const swapped = values.flatMap(to =>
      values.filter(from => from !== to && to.what && opens(seal, to.what, from.sealed)).map(from => [from, to]),
    )
    expect(swapped).toEqual([])
  } finally {
    await trx.rollback()
  }
})

test('no other column of texts holds a sealed value', async () => {
  const sealed = await columnsLike(db, 'sealed\\_%')
  const known = new Set(sealed.map(({ table, column }) => `${table}.${column}`))
  expect((await columnsWithSealed(db)).filter(({ table, column }) => !known.has(`${table}.${column}`))).toEqual([])
})
