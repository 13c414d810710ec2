// Sessions of our pools, on a server whose own defaults differ.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { asProblem } from '../../db/errors.js'
import { until } from '../support/until.js'

test('a transaction reads one snapshot, whatever the isolation level of the server', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 2 })
  const tenant = { tenant_key: `snapshot-${process.pid}` }
  const found = (source: typeof db) => source('tenants').where(tenant).select('name')
  try {
    await db.transaction(async trx => {
      expect(await found(trx)).toEqual([])
      const settings = { user_access: 'direct', limits: '{}', entity_settings: '{}' }
      await db('tenants').insert({ ...tenant, ...settings, name: 'Snapshot', updated_at: new Date() })
      expect(await found(trx)).toEqual([])
    })
    expect(await found(db)).toEqual([{ name: 'Snapshot' }])
  } finally {
    await db('tenants').where(tenant).delete()
    await db.destroy()
  }
})

test('a list of many keys is read by its index, whatever the statistics say', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  const table = 'many_keys'
  const hashes = Array.from({ length: 20_000 }, (_, n) => `X'${n.toString(16).padStart(32, '0')}'`)
  try {
    await db.raw(
      `CREATE TABLE ${table} (tenant_id INT NOT NULL, hash BINARY(16) NOT NULL, PRIMARY KEY (tenant_id, hash))
       ENGINE=InnoDB STATS_AUTO_RECALC=0`,
    )
    await db.raw(`INSERT INTO ${table} VALUES ${hashes.map(hash => `(1, ${hash})`).join()}`)
    const some = hashes.filter((_, n) => n % 16 === 0).join()
    const [plan] = await db.raw(
      `EXPLAIN FORMAT=TRADITIONAL SELECT * FROM ${table} WHERE tenant_id = 1 AND hash IN (${some})`,
    )
    expect(plan).toMatchObject([{ table, type: 'range', key_len: '20' }])
  } finally {
    await db.raw(`DROP TABLE IF EXISTS ${table}`)
    await db.destroy()
  }
})

test('a connection that nobody uses stays open, however long the server has been silent', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 2, silenceTimeoutMs: 300 })
  const connectionId = async () => Number((await db.raw('SELECT CONNECTION_ID() AS id'))[0][0].id)
  try {
    const before = await connectionId()
    await sleep(900)
    expect(await connectionId()).toBe(before)
  } finally {
    await db.destroy()
  }
})

test('the server ends a statement whose caller has stopped waiting', async () => {
  const [hasty, watching] = [
    connect(inject('databaseUrl'), { poolSize: 1, silenceTimeoutMs: 5_000 }),
    connect(inject('databaseUrl'), { poolSize: 1 }),
  ]
  const endless = `SELECT COUNT(*) /* endless ${process.pid} */
    FROM information_schema.collations WHERE SLEEP(60) = 0`
  const running = async (): Promise<unknown[]> => {
    const [rows]: { Info: string | null }[][] = await watching.raw('SHOW FULL PROCESSLIST')
    return (rows ?? []).filter(({ Info }) => Info?.includes(`endless ${process.pid}`))
  }
  try {
    // The error of the server itself: no connection was closed.
    expect(await hasty.raw(endless).catch(asProblem)).toMatchObject({
      status: 503,
      message: expect.stringContaining('took too long'),
    })
    await until('it runs no more', async () => (await running()).length === 0)
    expect(await hasty.select(hasty.raw('1 AS one'))).toEqual([{ one: 1 }])
  } finally {
    await Promise.all([hasty.destroy(), watching.destroy()])
  }
})
