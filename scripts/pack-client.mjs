// `npm run client:pack`: makes the package of `armature/client` alone, which programs of others install.
// Plain JavaScript and node builtins only, as the build.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const made = join(root, 'dist', 'client')
const target = join(root, '.data', 'client-package')

/** The packages that the client imports, with the versions of the project. */
function dependenciesOf(files, { dependencies }) {
  const texts = files.map(file => readFileSync(join(made, file), 'utf8')).join('\n')
  const names = [...texts.matchAll(/\b(?:from|import) '([^.'][^']*)'/g)].map(([, name]) => name)
  const own = [...new Set(names)].filter(name => !name.startsWith('node:')).sort()
  return Object.fromEntries(own.map(name => [name, dependencies[name]]))
}

function pack() {
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const files = readdirSync(made).filter(file => /\.(js|d\.ts)$/.test(file))
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'client'), { recursive: true })
  for (const file of files) cpSync(join(made, file), join(target, 'client', file))
  const { name, version, license, type, engines } = project
  const description = 'Client of the Armature API: tokens, repetition, jobs and pages'
  const exports = { './client': { types: './client/index.d.ts', default: './client/index.js' } }
  const dependencies = dependenciesOf(files, project)
  const manifest = { name, version, description, license, type, engines, exports, dependencies }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const npm = spawnSync('npm', ['pack', '--silent', '--pack-destination', dirname(target)], {
    cwd: target,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (npm.status !== 0) throw new Error('npm pack failed: see the errors above')
  return join(dirname(target), npm.stdout.trim())
}

try {
  await build()
  console.log(pack())
} catch (error) {
  console.error(`There is no package: ${error.message}`)
  process.exitCode = 1
}
