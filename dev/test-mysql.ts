// `npm run test:mysql [-- vitest arguments]`: runs `npm test` on a real MySQL; with `-- --faults` or `-- --hostile`, that
// suite. DATABASE_URL names a server on which we may create databases. Without it, one from Debian is installed under
// DATA_DIR and started for this run. `npm run test:vitess [-- --sharded]` puts Vitess in front of such servers, and runs the
// tests of the domains; with `-- --faults` the one that kills its processes and moves data, which starts a Vitess of its own.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import { type MysqlServer, requireMysql, startMysql } from './mysql-chroot.js'
import { StartProblem } from './programs.js'
import { startVitess } from './vitess.js'

/** Suites that can be run instead of `npm test`, as `npm run test:<suite>`. */
const suites = ['faults', 'hostile']
/** What runs through Vitess if no files are named. */
const domains = ['test/frame', 'test/jobs', 'test/forms', 'test/glue']
const vitessFaults = ['test/faults/long/vitess.test.ts']
const throughVitess = process.argv.includes('--vitess')
const sharded = process.argv.includes('--sharded')
const faultsOfVitess = throughVitess && process.argv.includes('--faults')
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const log = (line: string) => console.log(line)
let interrupted: NodeJS.Signals | undefined

// From here on a signal does not end this process directly. It ends the tests; then the server is stopped.
for (const signal of signals) process.on(signal, () => (interrupted = signal))

try {
  process.exitCode = await testOnMysql()
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function testOnMysql(): Promise<number> {
  if (faultsOfVitess) return npmTest({ ...process.env, THROUGH_VITESS: '1' })
  const { url, stop } = await mysql()
  try {
    log(`Testing on MySQL ${await requireMysql(url)}`)
    return await npmTest({ ...process.env, DATABASE_URL: url, ...(throughVitess ? { THROUGH_VITESS: '1' } : {}) })
  } finally {
    await stop()
  }
}

async function mysql(): Promise<Pick<MysqlServer, 'url' | 'stop'>> {
  const { DATABASE_URL: given, DATA_DIR } = process.env
  if (given) return { url: given, stop: async () => {} }
  const dataDir = resolve(projectRoot, DATA_DIR || '.data')
  if (!throughVitess) return startMysql({ dataDir, log })
  return startVitess({ dataDir, log, ...(sharded ? { shards: ['tenants/-80', 'tenants/80-'], sharded } : {}) })
}

/** Runs `npm test`, or the suite that was asked for, with the arguments of this process. @returns its exit code. */
function npmTest(env: NodeJS.ProcessEnv): Promise<number> {
  if (interrupted) return Promise.resolve(128 + constants.signals[interrupted])
  // In its own process group, so that a signal can be sent to all of its processes. npm does not pass on every signal.
  const options = { cwd: projectRoot, env, stdio: 'inherit', detached: true } as const
  const given = process.argv.slice(2).filter(argument => argument !== '--vitess' && argument !== '--sharded')
  const suite = suites.find(name => given.includes(`--${name}`))
  const named = given.filter(argument => argument !== `--${suite}`)
  const others = named.length === 0 && throughVitess ? (faultsOfVitess ? vitessFaults : domains) : named
  const tests = spawn('npm', ['run', suite ? `test:${suite}` : 'test', '--', ...others], options)
  const running = () => tests.exitCode === null && tests.signalCode === null
  for (const signal of signals) process.on(signal, () => tests.pid && running() && process.kill(-tests.pid, signal))
  return new Promise((resolve, reject) => {
    tests.once('error', reject)
    tests.once('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)))
  })
}
