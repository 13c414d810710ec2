// Every table of the schema is known to moves of tenants.
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { MoveRefused, tablesOfCell, tenantTables } from '../../db/cells/tenant-tables.js'
import { connect } from '../../db/connect.js'

let db: Knex
beforeAll(() => {
  db = connect(inject('databaseUrl'), { poolSize: 1 })
})
afterAll(() => db.destroy())

/** Names of all tables. */
async function names(): Promise<string[]> {
  const [rows]: { name: string }[][] = await db.raw(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  )
  return (rows ?? []).map(({ name }) => name).sort()
}

test('each table moves with its tenant or stays with its cell', async () => {
  const moved = (await tenantTables(db)).map(({ name }) => name)
  expect([...moved, ...tablesOfCell].sort()).toEqual(await names())
  expect(moved).toEqual(expect.arrayContaining(['jobs', 'subjects', 'file_chunks', 'webhooks']))
})

test('a table that is neither is refused by its name', async () => {
  const stray = 'stray_rows_of_nobody'
  const listed: Pick<Knex, 'raw'> = {
    raw: ((sql: string) =>
      db
        .raw(sql)
        .then(([rows]: [object[]]) => [
          sql.includes('data_type') ? [...rows, { table_name: stray, name: 'n', type: 'int', data_type: 'int' }] : rows,
        ])) as Knex['raw'],
  }
  await expect(tenantTables(listed as Knex)).rejects.toThrow(MoveRefused)
  await expect(tenantTables(listed as Knex)).rejects.toThrow(stray)
})
