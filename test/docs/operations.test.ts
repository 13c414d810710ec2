import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Environment } from '../../runtime/config.js'

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
