// What code can do that has escaped from the interpreters of expressions and templates.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createProcessPool } from '../../runtime/process/process-pool.js'
import { projectRoot } from '../../runtime/process/version.js'
import { expressionProcess } from '../support/expressions.js'

// Stands among the built programs, as that of expressions does, and has the same permissions.
const file = join(projectRoot, 'dist', `escaped-program-${process.pid}.mjs`)
cpSync(join(projectRoot, 'test', 'support', 'escaped-program.mjs'), file)
const data = join(projectRoot, '.data', `confined-${process.pid}`)
mkdirSync(data, { recursive: true })
const secret = join(data, 'secret')
writeFileSync(secret, 'secret')
afterAll(() => {
  for (const path of [file, data]) rmSync(path, { recursive: true })
})

const pool = createProcessPool({ file, processes: 1, heapMb: 256 })
const attempt = (...input: string[]) => pool.run<object>(input, AbortSignal.timeout(20_000))

test('its environment is empty', async () => {
  const { succeeded = {} }: { succeeded?: object } = await attempt('environment')
  expect(Object.keys(succeeded)).toEqual([])
})

test('it can read its own code', async () => {
  expect(await attempt('readFile', expressionProcess)).toEqual({ succeeded: expect.any(Number) })
})

test.each([
  ['readFile', '/proc/1/environ'],
  ['readFile', '/proc/self/environ'],
  ['readFile', secret],
  ['readFile', join(projectRoot, 'dist', '..', 'docker-compose.yml')],
  ['readFile', '/etc/passwd'],
  ['environmentOfParent'],
  ['memoryOfParent'],
  ['writeFile', join(projectRoot, 'dist', 'written')],
  ['spawn'],
  ['replaceProcess'],
  ['startThread'],
  ['internals'],
  ['debugger'],
])('%s %s is denied', async (...input) => {
  expect(await attempt(...input)).toEqual({ refused: 'ERR_ACCESS_DENIED' })
})

test.each([
  ['ERR_DLOPEN_DISABLED', 'nativeCode', join(projectRoot, 'node_modules', 'none.node')],
  ['ERR_UNKNOWN_BUILTIN_MODULE', 'database', join(data, 'sqlite')],
  ['EvalError', 'compile'],
  ['ECONNREFUSED', 'debuggerOfParent'],
])('it meets %s when it tries %s', async (refused, ...input) => {
  expect(await attempt(...input)).toEqual({ refused })
})

test('it reaches the network on Node 24, as SECURITY.md says, and not on later ones', async () => {
  const isOpen = Number.parseInt(process.versions.node, 10) === 24
  expect(await attempt('network')).toEqual(isOpen ? { succeeded: 'connected' } : { refused: 'ERR_ACCESS_DENIED' })
})

test.skipIf(process.platform !== 'linux')('it ends with its parent, even in an endless loop', async () => {
  const evaluate = `const { createEvaluator } = await import(${JSON.stringify(join(projectRoot, 'dist/runtime/expressions/expressions.js'))})
    const { readdirSync, readFileSync } = await import('node:fs')
    createEvaluator().expression(1, 'job', '($f := function() { $f() }; $f())', {}).catch(() => undefined)
    const child = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim()
    setTimeout(() => console.log(child()), 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', evaluate], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = String((await once(parent.stdout, 'data'))[0]).split('\n')
  expect(readFileSync(`/proc/${pid}/cmdline`, 'latin1')).toContain('expression-process')
  parent.kill('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
})

test('templates are rendered in the process of expressions only', () => {
  const rooms = ['activities', 'browser', 'client', 'db', 'forms', 'nexus', 'runtime', 'server', 'workflows']
  const sources = rooms.flatMap(room =>
    readdirSync(join(projectRoot, room), { recursive: true, encoding: 'utf8' }).map(name => join(room, name)),
  )
  const rendering = sources.filter(
    source =>
      source.endsWith('.ts') &&
      /\brender\b[^}]*\} from '.*templates\.js'/.test(readFileSync(join(projectRoot, source), 'utf8')),
  )
  expect(rendering).toEqual(['runtime/expressions/expression-process.ts'])
})
