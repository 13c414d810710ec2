// The time of every regular expression.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { parseAst, transformWithOxc } from 'vite'
import { expect, test } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'

/** What reads texts of callers. */
const rooms = ['activities', 'db', 'forms', 'runtime', 'server', 'workflows']

interface Expression {
  file: string
  source: string
  flags: string
}

/** Every literal of a regular expression, and every `pattern` of a schema that is one text. */
function* expressionsIn(node: unknown, file: string): Generator<Expression> {
  if (typeof node !== 'object' || node === null) return
  const { type, regex, key, value } = node as Partial<Record<string, unknown>>
  if (type === 'Literal' && regex) {
    const { pattern: source, flags } = regex as { pattern: string; flags: string }
    yield { file, source, flags }
  }
  const { value: text } = Object(value)
  if (type === 'Property' && Object(key).name === 'pattern' && typeof text === 'string') {
    yield { file, source: text, flags: 'u' }
  }
  for (const each of Object.values(node)) yield* expressionsIn(each, file)
}

const filesOf = (room: string) =>
  readdirSync(join(projectRoot, room), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(room, name))

async function expressionsOf(file: string): Promise<Expression[]> {
  const { code } = await transformWithOxc(readFileSync(join(projectRoot, file), 'utf8'), file)
  return [...expressionsIn(parseAst(code), file)]
}

/** Without a repetition that has no end, the time has one. */
const isUnbounded = ({ source }: Expression) => /[*+]|\{\d+,\}/.test(source)

/** Steps alone bound the search. With bounds in ms, a busy machine makes a linear expression a quadratic one. */
const bounds = { timeout: null, seedingTimeout: null, incubationTimeout: null, attackTimeout: null }

/** What recheck finds: nothing, or how the time grows with the text. */
async function growthOf({ source, flags }: Expression): Promise<string> {
  const found = await check(source, flags, bounds)
  if (found.status === 'safe') return 'linear'
  return found.status === 'vulnerable' ? found.complexity.summary : found.error.kind
}

test('the check finds super-linear expressions', async () => {
  for (const source of ['-+$', String.raw`(\[\d+\])*$`, '^(a+)+$']) {
    expect(await growthOf({ file: '', source, flags: '' })).toMatch(/polynomial|exponential/)
  }
})

test('every expression takes a time in proportion to its text', async () => {
  const all = (await Promise.all(rooms.flatMap(filesOf).map(expressionsOf))).flat()
  expect(all.length).toBeGreaterThan(150)
  const different = new Map(all.filter(isUnbounded).map(each => [`/${each.source}/${each.flags}`, each]))
  const slow = await Promise.all(
    [...different].map(async ([expression, each]) => [expression, each.file, await growthOf(each)] as const),
  )
  expect(slow.filter(([, , growth]) => growth !== 'linear')).toEqual([])
})
