// Many rows, which take several statements.
import { afterAll, expect, test } from 'vitest'
import { isDuplicate } from '../../db/errors.js'
import { type Cell, insertRows } from '../../db/rows.js'
import { openDatabase } from '../support/factories.js'

const db = openDatabase()
afterAll(() => db.destroy())

test('after a failed statement no further one is sent', async () => {
  const tenant = 4_000_000_000 + process.pid
  const columns = ['tenant_id', 'name', 'sealed_value', 'mark']
  // Each row takes a third of a statement.
  const sealed = 'x'.repeat(80 * 1024)
  const rows = Array.from({ length: 12 }, (_, n): Cell[] => [tenant, `row-${String(n).padStart(2, '0')}`, sealed, ''])
  const secrets = () => db('glue_secrets').where({ tenant_id: tenant })
  await insertRows(db, 'glue_secrets', columns, rows.slice(4, 5))
  try {
    await db.transaction(async trx => {
      await expect(insertRows(trx, 'glue_secrets', columns, rows)).rejects.toSatisfy(isDuplicate)
    })
    // The first three are those of the statement before it.
    const names = (await secrets().orderBy('name').select('name')).map(({ name }) => name)
    expect(names).toEqual(['row-00', 'row-01', 'row-02', 'row-04'])
  } finally {
    await secrets().delete()
  }
})

test('texts and times are kept as they are given, also where those of the rows differ', async () => {
  const tenant = 4_100_000_000 + process.pid
  const columns = ['tenant_id', 'entity_key', 'display_name', 'depth', 'type_key', 'updated_at']
  const times = [new Date('2026-01-02T03:04:05.678Z'), new Date('2026-06-07T08:09:10.011Z')]
  const names = ["O'Neill", 'C:\\new', "\\'; --", '?', 'Ärztehaus 😀']
  const written = names.flatMap((name, n) => times.map((time, m) => ({ key: `e${n}${m}`, name, time })))
  const rows = written.map(({ key, name, time }): Cell[] => [tenant, key, name, 1, 'place', time])
  const entities = () => db('structural_entities').where({ tenant_id: tenant })
  try {
    await insertRows(db, 'structural_entities', columns, rows)
    const read = await entities().orderBy('entity_key').select('entity_key', 'display_name', 'updated_at')
    expect(read.map(row => ({ key: row.entity_key, name: row.display_name, time: row.updated_at }))).toEqual(written)
  } finally {
    await entities().delete()
  }
})
