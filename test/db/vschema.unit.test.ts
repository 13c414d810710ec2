// The VSchema with which Vitess finds the shard of a row.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { steps } from '../../db/migrations/index.js'
import { projectRoot } from '../../runtime/process/version.js'

interface Vschema {
  tables: Record<string, { column_vindexes?: { column: string; name: string }[]; auto_increment?: { column: string } }>
}

const vschema = (keyspace: string): Vschema =>
  JSON.parse(readFileSync(join(projectRoot, 'deploy/vitess/vschema', `${keyspace}.json`), 'utf8'))
const tenants = vschema('tenants').tables
const platform = vschema('armature').tables

const created = steps.flatMap(step => {
  const statement = 'up' in step ? step.up : ''
  const table = /^CREATE TABLE (\w+)/.exec(statement)?.[1]
  return table === undefined ? [] : [{ table, statement }]
})

test('there are tables to look at', () => expect(created.length).toBeGreaterThan(70))

test.each(created)(
  '$table is sharded by its tenant, or not at all if its rows belong to none',
  ({ table, statement }) => {
    const column = table === 'tenants' ? 'id' : /\btenant_id\b/.exec(statement)?.[0]
    const [vindex] = tenants[table]?.column_vindexes ?? []
    expect(vindex).toEqual(column === undefined ? undefined : { column, name: 'tenant' })
    expect(table in platform).toBe(column === undefined)
  },
)

test.each(created)('$table takes numbers from a sequence where one server would count', ({ table, statement }) => {
  const column = /(\w+) [\w ]+ AUTO_INCREMENT/.exec(statement)?.[1]
  expect(tenants[table]?.auto_increment?.column).toBe(column)
})

test('no table is sharded that the schema does not have', () =>
  expect(Object.keys(tenants).filter(name => !created.some(({ table }) => table === name))).toEqual([]))
