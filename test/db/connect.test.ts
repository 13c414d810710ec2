// Sessions of our pools, on a server whose own defaults differ.
import { expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'

test('a transaction reads one snapshot, whatever the isolation level of the server', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 2 })
  const tenant = { tenant_key: `snapshot-${process.pid}` }
  const found = (source: typeof db) => source('tenants').where(tenant).select('name')
  try {
    await db.transaction(async trx => {
      expect(await found(trx)).toEqual([])
      await db('tenants').insert({ ...tenant, name: 'Snapshot', limits: '{}', updated_at: new Date() })
      expect(await found(trx)).toEqual([])
    })
    expect(await found(db)).toEqual([{ name: 'Snapshot' }])
  } finally {
    await db('tenants').where(tenant).delete()
    await db.destroy()
  }
})
