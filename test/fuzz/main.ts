// `npm run fuzz [-- <requests> [<operation>...]]`: has schemathesis send requests made up from the description, alone and in chains where one answer
// leads to the next request, to a stack of its own: 100,000 by default, to all operations or to those named. A 5xx other than a declared 503, and an answer that is not as
// it is described, is printed with the request that led to it, and fails the run. FUZZ_SEED, which is printed, repeats a run.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, run } from '../../dev/programs.js'
import { scriptedProvider } from '../support/data-sets.js'
import { furnishedTenant } from '../support/furnished-tenant.js'
import { readOperations } from '../support/operations.js'
import { startStack } from '../support/stack.js'
import { countedAnswers } from './counted-answers.js'
import { settingsOf } from './settings.js'

const version = '4.32.5'
const wanted = Number(process.argv[2] ?? 100_000)
const only = process.argv.slice(3).flatMap(operation => ['--include-operation-id', operation])
let seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))

const schemathesis = await installed()
const directory = await mkdtemp(join(tmpdir(), 'armature-fuzz-'))
const stack = await startStack({}, { keptIn: join(directory, 'stack') })
let hasFailed = false
const { operations } = await readOperations(stack.baseUrl)
const provider = await scriptedProvider(stack.providerPorts)
try {
  for (let sent = 0; sent < wanted; seed++) {
    // A tenant for each round: its token lasts an hour, and what a round has erased is there again for the next one.
    const tenant = await furnishedTenant(provider, stack)
    await writeFile(join(directory, 'schemathesis.toml'), settingsOf(tenant, operations, seed))
    const before = await countedAnswers(stack.metricsUrl)
    console.log(`\nFUZZ_SEED=${seed}, after ${sent} requests`)
    if ((await ends(schemathesis, ['run', `${stack.baseUrl}/openapi.json`, ...only])) !== 0) hasFailed = true
    const after = await countedAnswers(stack.metricsUrl)
    const round = Object.entries(after).map(([status, count]) => [status, count - (before[status] ?? 0)] as const)
    const total = round.reduce((sum, [, count]) => sum + count, 0)
    sent += total
    console.log(`${total} requests, answered with ${round.map(each => each.join(': ')).join(', ')}`)
    if (total === 0) throw new Error('schemathesis sent nothing: see above.')
  }
  process.exitCode = hasFailed ? 1 : 0
} finally {
  await provider.stop()
  await stack.stop()
  // The API logs the cause of a 5xx under the trace id of its answer, so a run that has failed leaves the log.
  if (hasFailed) console.log(`The log of the API is ${stack.api.logFile}`)
  else await rm(directory, { recursive: true, force: true })
}

/** Installs schemathesis, outside of the checkout, unless it is there. @returns the path of its program. */
async function installed(): Promise<string> {
  const place = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'armature', `schemathesis-${version}`)
  const program = join(place, 'bin', 'schemathesis')
  if (existsSync(program)) return program
  const python = findProgram('python3', 'python')
  if (!python) throw new Error('Fuzzing needs Python 3.10 or later: install it and try again.')
  console.log('Installing schemathesis…')
  const logFile = join(tmpdir(), 'armature-fuzz-install.log')
  await run(python, ['-m', 'venv', place], { logFile })
  await run(join(place, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `schemathesis==${version}`], { logFile })
  return program
}

/** Runs a program in the directory of its settings, with its output here. @returns its exit code. */
function ends(program: string, args: string[]): Promise<number> {
  const started = spawn(program, args, { cwd: directory, stdio: 'inherit' })
  return new Promise((resolve, reject) => started.once('error', reject).once('exit', code => resolve(code ?? 1)))
}
