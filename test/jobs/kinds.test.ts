// The kinds of jobs against the schema.
import { expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { kinds } from '../../workflows/jobs/contracts.js'
import { columnsOfTenants } from '../support/schema.js'

test('the rows of every table by job are deleted with the jobs of some kind', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  try {
    const rows: { name: string }[] = await columnsOfTenants(db)
      .where({ 'c.column_name': 'job_id', 'c.is_nullable': 'NO' })
      .select({ name: 'c.table_name' })
    const tables = new Set(Object.values(kinds).flatMap(kind => [...kind.tables]))
    expect(rows.map(({ name }) => name).sort()).toEqual([...tables].sort())
  } finally {
    await db.destroy()
  }
})
