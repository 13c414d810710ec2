// `npm run test:mysql [-- vitest arguments]`: `npm test` on a real MySQL; `-- --faults` or `-- --hostile`: that suite.
// DATABASE_URL is its server, and its user may create databases. Without it, Debian's is set up under DATA_DIR for this run.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { type MysqlServer, requireMysql, startMysql } from './mysql-chroot.js'
import { projectRoot, StartProblem } from './programs.js'

/** Suites beside `npm test`, as `npm run test:<suite>`. */
const suites = ['faults', 'hostile']
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const log = (line: string) => console.log(line)
let interrupted: NodeJS.Signals | undefined

// From here on a signal no longer ends this process by itself: it ends the tests, and then the server is stopped.
for (const signal of signals) process.on(signal, () => (interrupted = signal))

try {
  process.exitCode = await testOnMysql()
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function testOnMysql(): Promise<number> {
  const { url, stop } = await mysql()
  try {
    log(`Testing on MySQL ${await requireMysql(url)}`)
    return await npmTest({ ...process.env, DATABASE_URL: url })
  } finally {
    await stop()
  }
}

async function mysql(): Promise<Pick<MysqlServer, 'url' | 'stop'>> {
  const { DATABASE_URL: given, DATA_DIR } = process.env
  if (given) return { url: given, stop: async () => {} }
  return startMysql({ dataDir: resolve(projectRoot, DATA_DIR || '.data'), log })
}

/** Exit code of `npm test`, or of the suite that is asked for, to which this process's own arguments are passed. */
function npmTest(env: NodeJS.ProcessEnv): Promise<number> {
  if (interrupted) return Promise.resolve(128 + constants.signals[interrupted])
  // In a process group of its own, because npm does not hand every signal on to what it runs: the group gets it whole.
  const options = { cwd: projectRoot, env, stdio: 'inherit', detached: true } as const
  const given = process.argv.slice(2)
  const suite = suites.find(name => given.includes(`--${name}`))
  const others = given.filter(argument => argument !== `--${suite}`)
  const tests = spawn('npm', ['run', suite ? `test:${suite}` : 'test', '--', ...others], options)
  const running = () => tests.exitCode === null && tests.signalCode === null
  for (const signal of signals) process.on(signal, () => tests.pid && running() && process.kill(-tests.pid, signal))
  return new Promise((resolve, reject) => {
    tests.once('error', reject)
    tests.once('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)))
  })
}
