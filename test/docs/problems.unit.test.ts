// docs/problems.md has the tables of codes, and these have no code that nobody answers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataTypes } from '../../forms/template.js'
import { type FaultKind, faultCodes, faultGroups } from '../../runtime/problems/fault-codes.js'
import { problemKinds } from '../../runtime/problems/problem-codes.js'
import { projectRoot } from '../../runtime/process/version.js'

const page = readFileSync(join(projectRoot, 'docs', 'problems.md'), 'utf8')
const rowsAfter = (heading: string) => {
  const [, part = ''] = new RegExp(`^## ${heading}$([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(page) ?? []
  return part.split('\n').filter(line => line.startsWith('| `'))
}
const isDataType = (code: string): boolean => dataTypes.some(each => each === code)
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
  const isTable = (name: string) => ['runtime/problems/problem-codes.ts', 'server/problem-groups.ts'].includes(name)
  const text = textOf(sources.filter(name => !isTable(name)))
  const unused = Object.keys(problemKinds).filter(code => !text.includes(`'${code}'`))
  expect(unused).toEqual([])
  // Workflows import nothing of ours: their problems are checked here.
  const inWorkflows = textOf(sources.filter(name => name.startsWith('workflows/')))
  const codes = [...inWorkflows.matchAll(/\bcode: '([\w-]+)'/g)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(2)
  expect(codes.filter(code => !(code in problemKinds))).toEqual([])
})

test('the page has a row for every code of a fault, as the table of the source says it', () => {
  const groups = Object.values(faultGroups).flatMap((group): [string, FaultKind][] => Object.entries(group))
  expect(new Set(groups.map(([code]) => code)).size, 'each is once in the table').toBe(groups.length)
  expect(groups.length).toBeGreaterThan(100)
  const rows = groups.map(([code, { meaning, next }]) => `| \`${code}\` | ${meaning} | ${next} |`)
  expect(rowsAfter('Faults').join('\n')).toBe(rows.join('\n'))
})

test('every code of a fault is given somewhere', () => {
  const text = textOf(sources.filter(name => !name.endsWith('/fault-codes.ts')))
  // `invalid-${kind}`, and the names of data types.
  const made = ['invalid-template', 'invalid-expression']
  expect(faultCodes.filter(code => !text.includes(`'${code}'`) && !made.includes(code) && !isDataType(code))).toEqual(
    [],
  )
})
