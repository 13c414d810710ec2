// The guides name what is in the tree: a file that moves takes its name there with it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'

const guides = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/dependencies.md']

/** What runs and tests leave behind, or an installation. */
const made = ['.data', 'dist', 'node_modules', '.git']
const rooms = readdirSync('.', { withFileTypes: true })
  .filter(entry => entry.isDirectory() && !made.includes(entry.name))
  .map(entry => entry.name)

/** Texts in code ticks, and the words of code blocks: drawings, commands. */
const wordsOf = (page: string): string[] => {
  const blocks = [...page.matchAll(/^```(?:bash|mermaid)\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.split(/[\s"'()[\]{}<>|,;]+/),
  )
  const ticks = [...page.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  return [...ticks, ...blocks]
}

/** Whether a text is meant as a path of this tree: it begins with a room, or ends as the files of ours do. */
const isPath = (text: string): boolean =>
  /^[\w.][\w./-]*$/.test(text) &&
  !made.includes(text.split('/')[0] ?? '') &&
  text.includes('/') &&
  (rooms.includes(text.split('/')[0] ?? '') || /\.(tsx?|mjs|json|md|ya?ml|liquid|css)$/.test(text))

/** A path without an ending may be the beginning of several: as commands name programs and tests. */
const isThere = (path: string): boolean => {
  if (existsSync(path) || /\.\w+$/.test(path)) return existsSync(path)
  return existsSync(dirname(path)) && readdirSync(dirname(path)).some(name => name.startsWith(basename(path)))
}

test.each(guides)('every path that %s names is in the tree', guide => {
  const paths = wordsOf(readFileSync(guide, 'utf8')).filter(isPath)
  if (guide !== 'README.md') expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter(path => !isThere(path))).toEqual([])
})

test.each(guides)('every name of several words that %s has in code ticks stands in the code', guide => {
  const code = ['client', 'forms', 'browser', 'runtime', 'db', 'workflows', 'activities', 'server', 'dev', 'test']
    .flatMap(room => readdirSync(room, { recursive: true, encoding: 'utf8' }).map(file => `${room}/${file}`))
    .filter(file => file.endsWith('.ts'))
    .map(file => readFileSync(file, 'utf8'))
    .join('\n')
  const ticks = [...readFileSync(guide, 'utf8').matchAll(/`([A-Za-z]+)(?:\([^`]*)?`/g)].map(([, name = '']) => name)
  const names = new Set(ticks.filter(name => /[a-z][A-Z]/.test(name)))
  expect([...names].filter(name => !code.includes(name))).toEqual([])
})

test.each(guides)('every link of %s to another file leads there', guide => {
  const directory = guide.includes('/') ? 'docs/' : ''
  const links = [...readFileSync(guide, 'utf8').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to)
  expect(links.filter(to => !existsSync(directory + to))).toEqual([])
})

test('each drawing of ways has a name for every end of an arrow, and fewer than twenty of them', () => {
  const drawings = [...readFileSync('docs/architecture.md', 'utf8').matchAll(/^```mermaid\n(flowchart.*?)^```/gms)]
  expect(drawings).toHaveLength(3)
  for (const [, drawing = ''] of drawings) {
    const ends = drawing
      .split('\n')
      .slice(1)
      .flatMap(line => line.trim().split(/ -->(?:\|[^|]*\|)? /))
    const ids = ends.filter(Boolean).map(end => /^\w+/.exec(end)?.[0])
    const named = ends.filter(end => /^\w+[[({]/.test(end)).map(end => /^\w+/.exec(end)?.[0])
    expect([...new Set(ids)].sort()).toEqual([...named].sort())
    expect(named.length).toBeLessThan(20)
  }
})

test('the drawing of the states of a job says who moves it at every arrow, by functions that exist', () => {
  const [, drawing = ''] =
    /^```mermaid\n(stateDiagram.*?)^```/ms.exec(readFileSync('docs/architecture.md', 'utf8')) ?? []
  const arrows = drawing.split('\n').filter(line => line.includes(' --> '))
  expect(arrows.length).toBeGreaterThan(10)
  for (const arrow of arrows) expect(arrow).toMatch(/ --> [^:]+: .* — \w+/)
})

test('the glossary has at most thirty words, each once', () => {
  const [, glossary = ''] = readFileSync('docs/architecture.md', 'utf8').split('## Glossary')
  const words = [...glossary.matchAll(/^\| ([a-z][^|]*) \|/gm)].map(([, word]) => word).slice(1)
  expect(new Set(words).size).toBe(words.length)
  expect(words.length).toBeGreaterThan(20)
  expect(words.length).toBeLessThanOrEqual(30)
})

test('the way of a bulk has at most twelve files, each with a function that an earlier one calls', () => {
  const [, way = ''] = /^## The way of a bulk\n(.*?)^## /ms.exec(readFileSync('docs/architecture.md', 'utf8')) ?? []
  const steps = [...way.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)].map(([, file = '', name = '']) => ({ file, name }))
  expect(steps.length).toBeGreaterThan(4)
  expect(steps.length).toBeLessThanOrEqual(12)
  // Temporal finds workflows and activities by the names that stand there.
  const byName = readFileSync('workflows/jobs/contracts.ts', 'utf8')
  for (const [n, { file, name }] of steps.entries()) {
    expect(readFileSync(file, 'utf8'), `${file} has ${name}`).toContain(name)
    const before = steps.slice(0, n).map(step => readFileSync(step.file, 'utf8'))
    if (n > 0) expect(before.join('\n') + byName, `${name} is called`).toContain(name)
  }
})
