// Writes of a transaction that has ended.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { insertRows } from '../../db/rows.js'

const db = connect(inject('databaseUrl'), { poolSize: 1 })
const table = 'ended_transaction'
beforeAll(() => db.raw(`CREATE TABLE ${table} (id INT NOT NULL PRIMARY KEY) ENGINE=InnoDB`))
afterAll(async () => {
  await db.raw(`DROP TABLE ${table}`)
  await db.destroy()
})

test('rows of a transaction that has ended are not written on its connection', async () => {
  const write = await db.transaction(async trx => {
    await insertRows(trx, table, ['id'], [[1]])
    return () => insertRows(trx, table, ['id'], [[2]])
  })
  await expect(write()).rejects.toThrow('The transaction has ended')
  expect(await db(table).pluck('id')).toEqual([1])
})

test('rows of a transaction that is rolled back are not there', async () => {
  const failed = db.transaction(async trx => {
    await insertRows(trx, table, ['id'], [[3]])
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  expect(await db(table).where({ id: 3 })).toEqual([])
})
