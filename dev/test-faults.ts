// `npm run test:faults [-- --short] [--clocks] [--distance] [-- <files>]`: tests kills, hangs, outages, crowds and random extracts, and compares the
// results with a model. FAULT_MINUTES (10), FAULT_ASSIGNMENTS (a million) and FAULT_EXTRACTS (1,000) set sizes. --short runs
// a random selection for five minutes; FAULT_SEED repeats a selection. --clocks sets the API's clock a minute ahead and the
// worker's a minute behind; --distance moves MySQL and Temporal 100 ms away.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import { shuffled } from './shuffle.js'

/** Seconds of tests in a short run. Starting the servers takes another half minute. */
const shortSeconds = 220

const given = process.argv.slice(2)
const flags = given.filter(argument => argument.startsWith('--'))
const short = flags.includes('--short')
const seed = process.env.FAULT_SEED || String(randomInt(2 ** 31))
const sizes = short
  ? { FAULT_MINUTES: '1', FAULT_ASSIGNMENTS: '250000', FAULT_EXTRACTS: '250' }
  : {
      FAULT_MINUTES: process.env.FAULT_MINUTES || '10',
      FAULT_ASSIGNMENTS: process.env.FAULT_ASSIGNMENTS || '1000000',
      FAULT_EXTRACTS: process.env.FAULT_EXTRACTS || '1000',
    }
const modes = {
  ...(flags.includes('--clocks') ? { FAULT_CLOCK_SECONDS: '60' } : {}),
  ...(flags.includes('--distance') ? { FAULT_DISTANCE_MS: '100' } : {}),
}
const named = given.filter(argument => !argument.startsWith('--'))
const files = short && named.length === 0 ? [...filesOf('test/faults'), ...choice(Number(seed))] : named
console.log(`To repeat: FAULT_SEED=${seed} npm run test:faults${flags.length > 0 ? ` -- ${flags.join(' ')}` : ''}`)
for (const file of files) console.log(`  ${file}`)

const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs')
const projects = ['main-long', 'faults', 'faults-long'].flatMap(name => ['--project', name])
const tests = spawn(process.execPath, [vitest, 'run', ...projects, '--disableConsoleIntercept=true', ...files], {
  cwd: projectRoot,
  stdio: 'inherit',
  env: { ...process.env, ...sizes, ...modes, FAULT_SEED: seed },
})
// Signals are passed on to the tests, which stop what they started. This process ends when they do.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tests.kill(signal))
tests.once('exit', code => {
  process.exitCode = code ?? 1
})

/** Picks files at random that fit into {@link shortSeconds}. @throws Error that names files whose duration is unknown. */
function choice(seed: number): string[] {
  const seconds = new Map<string, number>(
    Object.entries(JSON.parse(readFileSync(join(projectRoot, 'test/long-seconds.json'), 'utf8'))),
  )
  const all = filesOf('test/long', 'test/faults/long')
  const unknown = all.filter(file => !seconds.has(file))
  if (unknown.length > 0) {
    throw new Error(`test/long-seconds.json lacks the seconds that these files take: ${unknown.join(', ')}`)
  }
  let left = shortSeconds
  return shuffled(all, seed).filter(file => {
    const fits = (seconds.get(file) ?? 0) <= left
    if (fits) left -= seconds.get(file) ?? 0
    return fits
  })
}

function filesOf(...folders: string[]): string[] {
  return folders.flatMap(folder =>
    readdirSync(join(projectRoot, folder))
      .filter(name => name.endsWith('.test.ts'))
      .map(name => `${folder}/${name}`),
  )
}
