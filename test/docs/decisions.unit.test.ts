// Decision records have one form and fit on a page, the index has them all, and comments name only records that exist.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'

const folder = join(projectRoot, 'docs', 'decisions')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const records = readdirSync(folder).filter(name => name !== 'README.md')
const index = read('README.md')

test.each(records)('%s has a subject, a status with a date, and the four parts in their order', name => {
  const text = read(name)
  expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)} — \\S`))
  expect(text).toMatch(/^Status: accepted, \d{1,2} [A-Z][a-z]+ \d{4}\.$/m)
  const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part)
  expect(parts).toEqual(['Context', 'Decision', 'Alternatives', 'Consequences'])
})

test.each(records)('the index has %s once, with its subject, in a group', name => {
  const [, subject = ''] = /^# \d{4} — (.+)$/m.exec(read(name)) ?? []
  const groups = index.split(/^## .+$/m).slice(1)
  const row = `- [${subject}](${name}): `
  expect(groups.map(group => group.split(row).length - 1).reduce((sum, count) => sum + count, 0)).toBe(1)
})

test('the index has nothing else', () => {
  expect(index.match(/^- \[/gm)).toHaveLength(records.length)
})

test('every record that a comment names exists', () => {
  const named = execFileSync(
    'git',
    ['grep', '-nE', 'decisions?( records?)? [0-9]{4}', '--', '*.ts', '*.mjs', 'docs/*.md'],
    {
      encoding: 'utf8',
    },
  )
  const numbers = [...named.matchAll(/decisions?(?: records?)? (\d{4})/g)].map(([, number = '']) => number)
  expect(numbers.length).toBeGreaterThan(10)
  expect(numbers.filter(number => !records.some(name => name.startsWith(number)))).toEqual([])
})
