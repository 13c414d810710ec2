// docs/problems.md has the table of codes, and the table has no code that nobody answers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../dev/programs.js'
import { problemKinds } from '../../runtime/problem-codes.js'

const page = readFileSync(join(projectRoot, 'docs', 'problems.md'), 'utf8')
const rowsAfter = (heading: string) => {
  const [, part = ''] = new RegExp(`^## ${heading}$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(page) ?? []
  return part.split('\n').filter(line => line.startsWith('| `'))
}
const sources = ['activities', 'db', 'forms', 'runtime', 'server', 'workflows']
  .flatMap(room =>
    readdirSync(join(projectRoot, room), { recursive: true, encoding: 'utf8' }).map(name => join(room, name)),
  )
  .filter(name => name.endsWith('.ts'))
const textOf = (names: string[]) => names.map(name => readFileSync(join(projectRoot, name), 'utf8')).join('\n')

test('the page has a row for every code, as the table of the source says it', () => {
  const rows = Object.entries(problemKinds).map(
    ([code, { status, meaning, next }]) => `| \`${code}\` | ${status} | ${meaning} | ${next} |`,
  )
  expect(rowsAfter('Codes').join('\n')).toBe(rows.join('\n'))
})

test('every code is answered somewhere, and nothing but codes of the table', () => {
  const isTable = (name: string) => ['runtime/problem-codes.ts', 'server/problem-groups.ts'].includes(name)
  const text = textOf(sources.filter(name => !isTable(name)))
  const unused = Object.keys(problemKinds).filter(code => !text.includes(`'${code}'`))
  expect(unused).toEqual([])
  // Workflows import nothing of ours: their problems are checked here.
  const inWorkflows = textOf(sources.filter(name => name.startsWith('workflows/')))
  const codes = [...inWorkflows.matchAll(/\bcode: '([\w-]+)'/g)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(2)
  expect(codes.filter(code => !(code in problemKinds))).toEqual([])
})

test('every code of a fault on the page is one that the code gives', () => {
  const codes = rowsAfter('Faults').map(row => /`([\w-]+)`/.exec(row)?.[1] ?? '')
  expect(codes.length).toBeGreaterThan(10)
  const text = textOf(sources)
  expect(codes.filter(code => !text.includes(`'${code}'`))).toEqual([])
})
