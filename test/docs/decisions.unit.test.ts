// Decision records have one form, and the index has them all.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../dev/programs.js'

const folder = join(projectRoot, 'docs', 'decisions')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const records = readdirSync(folder).filter(name => name !== 'README.md')
const statusOf = (text: string) =>
  /^Status: (accepted|superseded by \[\d{4}\]\([^)]+\)), (\d{1,2} [A-Z][a-z]+ \d{4})/m.exec(text)?.slice(1) ?? []
const index = read('README.md')

test.each(records)('%s has a subject, a status with a date, and the four parts in their order', name => {
  const text = read(name)
  expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)} — \\S`))
  expect(statusOf(text)).toHaveLength(2)
  const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, part]) => part)
  expect(parts).toEqual(['Context', 'Decision', 'Alternatives', 'Consequences'])
})

test.each(records)('the index has %s with its subject, status and date', name => {
  const [, subject = ''] = /^# \d{4} — (.+)$/m.exec(read(name)) ?? []
  const [status, date] = statusOf(read(name))
  expect(index).toContain(`| [${name.slice(0, 4)}](${name}) | ${subject} | ${status} | ${date} | `)
})

test('the index has nothing else, and every link leads to a file', () => {
  expect(index.match(/^\| \[\d{4}\]/gm)).toHaveLength(records.length)
  const links = ['README.md', ...records].flatMap(name =>
    [...read(name).matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target),
  )
  expect(links.filter(target => !target.includes(':') && !existsSync(join(folder, target)))).toEqual([])
})

test('a record that the status of another names, names that one in its own', () => {
  const statuses = new Map(
    records.map(name => {
      const [status = ''] = /^Status: [\s\S]*?(?=\n\n)/m.exec(read(name)) ?? []
      return [name.slice(0, 4), [...status.matchAll(/\[(\d{4})\]/g)].map(([, number = '']) => number)] as const
    }),
  )
  const oneWay = [...statuses].flatMap(([number, named]) =>
    named.flatMap(other => (statuses.get(other)?.includes(number) ? [] : `${other} does not name ${number}`)),
  )
  expect(oneWay).toEqual([])
})
