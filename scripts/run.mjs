// `node scripts/run.mjs dev/start` installs packages and builds if necessary, and then runs `dist/dev/start.js` in this
// process, so that it receives signals. `node scripts/run.mjs vitest run …` does the same for tests. Uses Node builtins
// only, because packages may not be installed yet.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from './build.mjs'
import { withLock } from './lock.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [thing, ...args] = process.argv.slice(2)
if (!thing) stop('Usage: node scripts/run.mjs <path under dist, or vitest> [arguments]')

try {
  if (!installed()) await withLock(join(root, 'dist', '.install-lock'), install)
  await build()
} catch (error) {
  stop(`Cannot start: ${error.message}`)
}
const script = join(root, thing === 'vitest' ? 'node_modules/vitest/vitest.mjs' : `dist/${thing}.js`)
process.argv = [process.execPath, script, ...args]
await import(pathToFileURL(script).href)

/**
 * Tells whether node_modules matches package-lock.json, by the record that npm keeps of what it has installed there.
 */
function installed() {
  const wanted = lockedPackages('package-lock.json')
  const present = lockedPackages('node_modules/.package-lock.json')
  return Object.entries(wanted).every(([path, { version, optional, devOptional, peer }]) => {
    if (path === '') return true
    if (!present[path]) return Boolean(optional || devOptional || peer)
    return present[path].version === version
  })
}

function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
  } catch {
    return {}
  }
}

function install() {
  if (installed()) return
  console.error('Installing the packages (npm ci), about a minute the first time…')
  // npm tells the scripts it runs where it is. If this was not started by npm, the one on PATH is used.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const [command, ...first] = npm
  const { status, error } = spawnSync(
    command,
    [...first, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
  if (error) throw error
  if (status !== 0) throw new Error('npm ci failed: see above')
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
