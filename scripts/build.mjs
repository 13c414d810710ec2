// Builds `dist/`: TypeScript to JavaScript, and the workflows to one bundle. Quick when nothing changed.
// Plain JavaScript and node builtins only: this runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
/** Written by `npm run build` from what is built here; only types, so nothing that runs needs it. */
const generatedTypes = join(root, 'client', 'api.ts')
/** Workflows of the platform, and those of the Nexus gateway. */
const bundles = [
  {
    entry: join(dist, 'workflows', 'index.js'),
    bundle: join(dist, 'workflows', 'bundle.js'),
    interceptors: [join(dist, 'workflows', 'interceptors.js')],
    /** The one of the workers too: what a workflow throws is converted inside it. */
    failureConverterPath: join(dist, 'runtime', 'temporal', 'failure-converter.js'),
  },
  { entry: join(dist, 'nexus', 'workflows.js'), bundle: join(dist, 'nexus', 'bundle.js'), interceptors: [] },
]

/** Brings `dist/` up to date with the sources; throws when they do not compile. */
export function build() {
  return withLock(join(dist, '.lock'), async () => {
    const state = sourceState()
    if (read(join(dist, '.sources')) !== state) {
      compile()
      copyPages()
    }
    for (const each of bundles) await bundleWorkflows(each)
    // Written last: a build that was interrupted or failed is done again.
    writeFileSync(join(dist, '.sources'), state)
  })
}

/** Every source with its time and size. A file that is added, removed or edited changes it. */
function sourceState() {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const files = ['tsconfig.json', 'package-lock.json', 'browser', ...include].flatMap(name =>
    filesUnder(join(root, name)),
  )
  return files
    .filter(file => file !== generatedTypes && (/\.(ts|mts|json)$/.test(file) || isOfPages(file)))
    .sort()
    .map(file => {
      const { mtimeMs, size } = statSync(file)
      return `${relative(root, file)} ${mtimeMs} ${size}`
    })
    .join('\n')
}

function compile() {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  if (!existsSync(compiler)) throw new Error('the packages are not installed: run npm ci first')
  console.error('Building…')
  // Code for browsers has other globals. Types are checked by `npm run lint`: that takes four times as long.
  for (const project of [root, join(root, 'browser')]) {
    const tsc = spawnSync(process.execPath, [compiler, '--noCheck', '--pretty', '--project', project], {
      stdio: 'inherit',
    })
    if (tsc.status !== 0) throw new Error('the sources do not compile: see the errors above')
  }
  for (const file of filesUnder(dist)) {
    const source = join(root, relative(dist, file)).replace(/(\.d\.ts|\.js(\.map)?)$/, '.ts')
    if (/\.(d\.ts|js|js\.map)$/.test(file) && !isBundle(file) && !existsSync(source)) rmSync(file)
  }
}

const isBundle = file => bundles.some(({ bundle }) => file === bundle)

/** The files of pages besides code. */
const isOfPages = file => /\.(liquid|css|svg)$/.test(file)

/** Puts what pages are made of beside the code that reads it. */
function copyPages() {
  for (const file of filesUnder(join(root, 'server')).filter(isOfPages)) {
    cpSync(file, join(dist, relative(root, file)))
  }
}

async function bundleWorkflows({ entry, bundle, interceptors, failureConverterPath }) {
  if (!existsSync(entry)) return
  // The lock file stands for the versions of the packages that go into the bundle.
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  const converter = failureConverterPath ? [failureConverterPath] : []
  for (const file of [...importsOf(entry), ...converter, ...interceptors.flatMap(each => importsOf(each))])
    hash.update(file).update(readFileSync(file))
  const inputs = hash.digest('hex')
  if (existsSync(bundle) && read(`${bundle}.inputs`) === inputs) return
  console.error('Bundling the workflows…')
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker')
  const logger = new DefaultLogger('WARN')
  const { code } = await bundleWorkflowCode({
    workflowsPath: entry,
    workflowInterceptorModules: interceptors,
    failureConverterPath,
    logger,
  })
  // Renamed into place, so that a worker that starts meanwhile never reads half a bundle.
  writeFileSync(`${bundle}.new`, code)
  renameSync(`${bundle}.new`, bundle)
  writeFileSync(`${bundle}.inputs`, inputs)
}

/** The file and all that it imports from this project, sorted. */
function importsOf(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(file)) return []
  seen.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
    importsOf(join(dirname(file), path), seen)
  }
  return [...seen].sort()
}

function filesUnder(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path).flatMap(name => filesUnder(join(path, name)))
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build().catch(error => {
    console.error(`The build failed: ${error.message}`)
    process.exitCode = 1
  })
}
