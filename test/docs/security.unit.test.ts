// The promises of SECURITY.md and their tests.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = readFileSync('SECURITY.md', 'utf8')

test('every promise names a test, and every test that the page names exists', () => {
  const [, promises = ''] = /^## Promises$(.*?)^## /ms.exec(page) ?? []
  const rows = promises.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| Promise |'))
  expect(rows.length).toBeGreaterThan(10)
  const untested = rows.filter(row => !/`test\/[\w./-]+`/.test(row))
  expect(untested).toEqual([])
  const named = [...page.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file)
  expect(named.filter(file => !existsSync(file))).toEqual([])
})
