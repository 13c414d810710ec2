// The permitted imports between rooms, without circles.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../runtime/process/version.js'

const rooms = [
  'client',
  'nexus',
  'forms',
  'browser',
  'console',
  'runtime',
  'db',
  'workflows',
  'activities',
  'server',
  'dev',
  'bench',
  'test',
] as const

interface Import {
  file: string
  target: string
  typeOnly: boolean
}

const files = rooms
  .flatMap(room =>
    readdirSync(join(projectRoot, room), { recursive: true, encoding: 'utf8' }).map(name => join(room, name)),
  )
  .filter(name => /\.tsx?$/.test(name))
  .map(file => ({ file, text: readFileSync(join(projectRoot, file), 'utf8') }))

/** Every import of a file of this project, from code and from types. */
const imports: Import[] = files.flatMap(({ file, text }) =>
  [...text.matchAll(/^(?:import|export) (type )?[^'"]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)].map(match => ({
    file,
    target: relative('.', join(dirname(file), match[2] ?? match[3] ?? '')).replace(/\.js$/, '.ts'),
    typeOnly: match[1] !== undefined,
  })),
)

const isContract = (target: string) => /^workflows\/(\w+\/)?contracts\.ts$/.test(target)
const within =
  (...paths: string[]) =>
  (target: string) =>
    paths.some(path => target === path || target.startsWith(`${path}/`))

/** What each room may import besides itself (DESIGN: "Who may import whom"). `contracts` names queues, inputs, results and ids. */
const allowed: Record<(typeof rooms)[number], (wanted: Import) => boolean> = {
  // A package of its own, for integrators.
  client: () => false,
  // The gateway of integrators calls the API as every other client does.
  nexus: ({ target }) => within('client', 'runtime')(target),
  forms: () => false,
  browser: ({ target }) => within('forms')(target),
  // A client of the API like any other: it knows nothing but the types of the description.
  console: ({ target, typeOnly }) => typeOnly && within('client/api.ts')(target),
  runtime: ({ target }) => isContract(target),
  db: ({ target }) => isContract(target) || within('runtime', 'forms')(target),
  workflows: ({ target, typeOnly }) => typeOnly && within('activities')(target),
  activities: ({ target }) => isContract(target) || within('runtime', 'db')(target),
  server: ({ target, file }) =>
    isContract(target) ||
    within('runtime', 'forms', 'db', 'activities/auth', 'activities/jobs/start-run.ts')(target) ||
    // The command is a client like any other.
    (file.startsWith('server/admin/') && within('client')(target)) ||
    // Where the process is put together: its own worker needs all activities.
    (['server/main.ts', 'server/app.ts'].includes(file) && within('activities')(target)),
  dev: ({ target }) => within('client', 'runtime', 'forms', 'db', 'server')(target),
  bench: ({ target }) => !within('server', 'workflows')(target) || isContract(target),
  test: () => true,
}

const roomOf = (path: string) => rooms.find(room => path.startsWith(`${room}/`))

test('the check finds the imports of the tree', () => {
  expect(imports.length).toBeGreaterThan(200)
  expect(imports).toContainEqual({ file: 'server/main.ts', target: 'server/app.ts', typeOnly: false })
  expect(imports).toContainEqual(
    expect.objectContaining({
      file: 'workflows/jobs/run-job.ts',
      target: 'activities/create-activities.ts',
      typeOnly: true,
    }),
  )
})

test.each(rooms)('%s imports only what it may', room => {
  const wrong = imports.filter(
    each => roomOf(each.file) === room && roomOf(each.target) !== room && !allowed[room](each),
  )
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([])
})

test('domains meet only in contracts and stores', () => {
  const domains = ['frame', 'forms', 'glue']
  const domainOf = (path: string) => domains.find(domain => path.split('/')[1] === domain)
  const wrong = imports.filter(({ file, target }) => {
    const [from, to] = [domainOf(file), domainOf(target)]
    return roomOf(file) !== 'test' && from && to && from !== to && !isContract(target) && roomOf(target) !== 'db'
  })
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([])
})

/** Finds the circles of a graph, each as its nodes in order, the first one again at the end. */
function circlesIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(' → '))
    if (done.has(node) || path.includes(node)) return
    for (const target of arrows.get(node) ?? []) visit(target, [...path, node])
    done.add(node)
  }
  for (const node of arrows.keys()) visit(node, [])
  return circles
}

/** Collects arrows from what each import comes from to what it leads to. Arrows within one node are left out. */
function arrowsOf(wanted: readonly Import[], nodeOf: (path: string) => string | undefined) {
  const arrows = new Map<string, Set<string>>()
  for (const { file, target } of wanted) {
    const [from, to] = [nodeOf(file), nodeOf(target)]
    if (from === undefined || to === undefined || from === to) continue
    arrows.set(from, (arrows.get(from) ?? new Set()).add(to))
  }
  return arrows
}

test('no file imports itself through others, types included', () => {
  expect(circlesIn(arrowsOf(imports, path => path))).toEqual([])
})

test('folders side by side import each other in one direction only, types included', () => {
  // Contracts are common ground: they name queues, inputs and results, and import nothing but each other.
  const counted = imports.filter(({ target }) => !isContract(target))
  const folders = new Set(files.flatMap(({ file }) => foldersAround(file)))
  const circles = [...folders].flatMap(folder => circlesIn(arrowsOf(counted, path => childOf(folder, path))))
  expect(circles).toEqual([])
})

/** Lists the folders a file is in: `['.', 'db', 'db/frame']` for `db/frame/x.ts`. */
const foldersAround = (file: string): string[] =>
  file.split('/').map((_, depth, parts) => (depth === 0 ? '.' : parts.slice(0, depth).join('/')))

/** Names the folder directly in `folder` that holds a file, at any depth. Undefined for files that lie in `folder` itself, or elsewhere. */
function childOf(folder: string, file: string): string | undefined {
  const start = folder === '.' ? '' : `${folder}/`
  const end = file.startsWith(start) ? file.indexOf('/', start.length) : -1
  return end === -1 ? undefined : file.slice(0, end)
}

test('workflows run in a sandbox: of packages they take the SDK only, and contracts take nothing', () => {
  const taken = files
    .filter(({ file }) => file.startsWith('workflows/'))
    .flatMap(({ file, text }) => [...text.matchAll(/from '([^'.][^']*)'/g)].map(match => ({ file, name: match[1] })))
  expect(taken.filter(({ name }) => name !== '@temporalio/workflow' && name !== '@temporalio/common')).toEqual([])
  expect(taken.filter(({ file }) => isContract(file))).toEqual([])
})

test('no folder or file is called util, helper, misc or lib', () => {
  expect(files.map(({ file }) => file).filter(file => /(^|\/)(utils?|helpers?|misc|lib)(\/|\.ts$)/.test(file))).toEqual(
    [],
  )
})
