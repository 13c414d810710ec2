// The tables and examples of docs/operations.md.
import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { Environment } from '../../runtime/environment.js'
import { admin } from '../support/api.js'

const page = readFileSync('docs/operations.md', 'utf8')
const rows = new Map(
  [...page.matchAll(/^\| `([A-Z\d_]+)` *\| ([^|]+?) *\|/gm)].map(([, name = '', standard = '']) => [name, standard]),
)

test('the operators’ page lists every environment variable of the processes, and no other', () => {
  expect([...rows.keys()].sort()).toEqual(Object.keys(Environment.properties).sort())
})

test.each(Object.entries(Environment.properties))('the page gives the default of %s', (name, schema) => {
  if ('default' in schema) expect(rows.get(name)).toBe(`\`${schema.default}\``)
  else if (Environment.required.some(required => required === name)) expect(rows.get(name)).toBe('none; required')
})

test('the exports on the page are taken by a tenant with the example forms, which has all that they name', async () => {
  const [, exports = ''] = /^```yaml\n(forms:\n {2}exports:.*?)^```/ms.exec(page) ?? []
  const platform = await admin(inject('baseUrl'))
  const demo = await platform.get<object>('/admin/v1/tenants/demo')
  const { status, body } = await platform.put('/admin/v1/tenants/demo?plan=true', { ...demo.body, ...parse(exports) })
  expect({ status, body }).toMatchObject({ status: 200, body: { applied: false } })
  expect(JSON.stringify(body)).not.toContain('not-published')
  expect(JSON.stringify(body)).toContain('/forms/exports/warehouse')
})
