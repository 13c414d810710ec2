// Secrets in the section `glue`.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { aKey, api } from '../support/api.js'
import { openDatabase } from '../support/factories.js'
import { manifestOf } from '../support/manifest.js'
import { startOwnApp } from '../support/own-app.js'
import { tablesWithColumn } from '../support/schema.js'

const aSecret = () => `plain-${randomBytes(12).toString('hex')}`
const secrets = (...all: object[]) => ({ glue: { secrets: all } })

const db = openDatabase()
let own: Awaited<ReturnType<typeof startOwnApp>>
beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'))
})
afterAll(() => own.stop())

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

/** What the table has of the tenant: name to mark. */
async function stored(): Promise<Record<string, string>> {
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const rows = await db('glue_secrets').where({ tenant_id }).orderBy('name').select('name', 'mark')
  return Object.fromEntries(rows.map(({ name, mark }) => [name, mark]))
}

test('a secret is created, changed, kept and removed, and the reported changes never contain it', async () => {
  const [first, second] = [aSecret(), aSecret()]
  const made = await tenant.put(secrets({ name: 'a', value: first }, { name: 'b', value: first }))
  expect(made.body.changes).toContainEqual({ path: '/glue/secrets/a', change: 'created', after: { hosts: [] } })
  const before = await stored()
  expect(Object.keys(before)).toEqual(['a', 'b'])

  const changed = secrets({ name: 'a', value: second }, { name: 'b' })
  const changes = [{ path: '/glue/secrets/a/value', change: 'updated' }]
  expect((await tenant.plan(changed)).body.changes).toEqual(changes)
  expect(await stored()).toEqual(before)
  expect((await tenant.put(changed)).body).toEqual({ applied: true, changes, secrets: {}, warnings: [] })
  expect(await stored()).toEqual({ a: expect.not.stringMatching(before.a ?? ''), b: before.b })

  // The same value again, and none, are no change.
  expect((await tenant.put(changed)).body.changes).toEqual([])
  expect((await tenant.put((await tenant.get()).body)).body.changes).toEqual([])

  const removed = await tenant.put(secrets({ name: 'b' }))
  expect(removed.body.changes).toEqual([{ path: '/glue/secrets/a', change: 'deleted', before: { hosts: [] } }])
  expect(await stored()).toEqual({ b: before.b })
  await tenant.put({})
  expect(await stored()).toEqual({})
})

test('a secret without a value is 400 if it is new or was removed before, for a plan too', async () => {
  const value = aSecret()
  await tenant.put(secrets({ name: 'a', value }))
  const detail = "The secret 'b' has no value yet; give one."
  const errors = [{ pointer: '/glue/secrets/1/value', code: 'required', detail }]
  for (const answer of [
    await tenant.put(secrets({ name: 'a' }, { name: 'b' })),
    await tenant.plan(secrets({ name: 'a' }, { name: 'b' })),
  ]) {
    expect(answer.body).toMatchObject({ status: 400, errors })
  }
  expect(Object.keys(await stored())).toEqual(['a'])
  await tenant.put({})
  expect((await tenant.put(secrets({ name: 'a' }))).status).toBe(400)
})

test('a variable becomes a secret and a secret a variable', async () => {
  await tenant.put({ glue: { variables: { a: 'x' }, ...secrets({ name: 'b', value: 'y' }).glue } })
  const swapped = await tenant.put({ glue: { variables: { b: 'y' }, ...secrets({ name: 'a', value: 'x' }).glue } })
  expect(swapped.body.changes).toEqual([
    { path: '/glue/variables/a', change: 'deleted', before: 'x' },
    { path: '/glue/variables/b', change: 'created', after: 'y' },
    { path: '/glue/secrets/b', change: 'deleted', before: { hosts: [] } },
    { path: '/glue/secrets/a', change: 'created', after: { hosts: [] } },
  ])
  expect(Object.keys(await stored())).toEqual(['a'])
})

test('the rows of two tenants do not show that both have the same secret', async () => {
  const value = aSecret()
  const other = await manifestOf()
  await tenant.put(secrets({ name: 'a', value }))
  await other.put(secrets({ name: 'a', value }))
  const rows = await db('glue_secrets')
    .whereIn('tenant_id', [await tenantIdOf(db, tenant.tenantKey), await tenantIdOf(db, other.tenantKey)])
    .select('sealed_value', 'mark')
  expect(new Set(rows.flatMap(row => [row.sealed_value, row.mark])).size).toBe(4)
})

test('of several manifests applied at once one counts as a whole, without parts of another', async () => {
  const values = Array.from({ length: 8 }, aSecret)
  const answers = await Promise.all(
    values.map((value, n) =>
      tenant.put({
        glue: {
          variables: { n: String(n) },
          secrets: [
            { name: 'same', value },
            { name: `own${n}`, value },
          ],
        },
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200))
  const { body } = await tenant.get<{ glue: { variables: { n: string }; secrets: object[] } }>()
  const { n } = body.glue.variables
  expect(body.glue.secrets).toEqual([
    { name: 'same', hosts: [] },
    { name: `own${n}`, hosts: [] },
  ])
  expect(Object.keys(await stored())).toEqual([`own${n}`, 'same'])
  // The values are that manifest's: giving them again changes nothing.
  const value = values[Number(n)]
  const again = [
    { name: 'same', value },
    { name: `own${n}`, value },
  ]
  expect((await tenant.put({ glue: { variables: { n }, secrets: again } })).body.changes).toEqual([])
})

test('no secret is in an answer, a log line or the database', async () => {
  const token = await own.issuer.token({ tenant_key: 'demo', client_id: 'platform-admin', scope: 'PlatformAdmin' })
  const platform = api(own.baseUrl, token)
  const path = `/admin/v1/tenants/${aKey()}`
  const [first, second, refused] = [aSecret(), aSecret(), aSecret()]
  const answers = [
    await platform.put(path, secrets({ name: 'a', value: first })),
    await platform.put(`${path}?plan=true`, secrets({ name: 'a', value: second })),
    await platform.put(path, secrets({ name: 'a', value: second })),
    await platform.put(path, secrets({ name: 'a', value: refused }, { name: 'a', value: refused })),
    await platform.put(path, secrets({ name: 'a', value: [refused] })),
    await platform.put(path, secrets({ name: 'a', valeu: refused })),
    await platform.get(path),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 400, 200])
  const log = own.lines.join('')
  expect(log).toContain(path)
  const tenant_id = await tenantIdOf(db, path.split('/').at(-1) ?? '')
  const dumped: string[] = []
  for (const name of await tablesWithColumn(db, 'tenant_id'))
    dumped.push(JSON.stringify(await db(name).where({ tenant_id })))
  const dump = dumped.join('')
  expect(dump).toContain('"name":"a"')
  for (const secret of [first, second, refused]) {
    for (const place of [JSON.stringify(answers), log, dump]) expect(place.includes(secret)).toBe(false)
    expect(dump.includes(Buffer.from(secret).toString('base64').slice(0, -4))).toBe(false)
  }
})
