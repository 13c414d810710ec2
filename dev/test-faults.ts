// `npm run test:faults [-- --short]`: several tenants upsert batches while processes are killed at random, for FAULT_MINUTES
// (10; with --short 1), and FAULT_ASSIGNMENTS (a million; with --short 250,000) are transferred while everything is killed;
// besides, what takes too long for `npm test`: endpoints, deliveries, mails, bulks, transfers, uploads, refreshes and extracts
// through outages and kills, crowds of callers, and FAULT_EXTRACTS (a thousand; with --short 250) random extracts compared
// with a model.
// FAULT_SEED repeats the choices of an earlier run.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { projectRoot } from './programs.js'

const given = process.argv.slice(2)
const short = given.includes('--short')
const minutes = short ? '1' : process.env.FAULT_MINUTES || '10'
const assignments = short ? '250000' : process.env.FAULT_ASSIGNMENTS || '1000000'
const extracts = short ? '250' : process.env.FAULT_EXTRACTS || '1000'
const seed = process.env.FAULT_SEED || String(randomInt(2 ** 31))
console.log(
  `Killing at random for ${minutes} minutes. To repeat: FAULT_SEED=${seed} FAULT_MINUTES=${minutes} npm run test:faults`,
)

const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs')
const rest = given.filter(argument => argument !== '--short')
const tests = spawn(
  process.execPath,
  [vitest, 'run', '--project', 'main-long', '--project', 'faults-long', '--disable-console-intercept', ...rest],
  {
    cwd: projectRoot,
    stdio: 'inherit',
    env: {
      ...process.env,
      FAULT_MINUTES: minutes,
      FAULT_ASSIGNMENTS: assignments,
      FAULT_EXTRACTS: extracts,
      FAULT_SEED: seed,
    },
  },
)
// A signal is for the tests, which stop what they started; this process ends with them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal))
tests.once('exit', code => {
  process.exitCode = code ?? 1
})
