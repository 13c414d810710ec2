// Runs `npm start` and reads its output.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../../runtime/process/version.js'
import { minHashCost } from '../../runtime/secrets/secrets.js'

/** One `npm start`, as a process of its own. */
export interface Start {
  process: ChildProcess
  /** Resolves with all that it prints until it says so, or rejects when it ends without. */
  prints(text: string): Promise<string>
  /** Resolves with its exit code and all that it has printed. */
  ended: Promise<{ code: number | null; printed: string }>
}

/** Starts the program behind `npm start` with these variables; nothing of the test's own environment points elsewhere. */
export function npmStart(env: Record<string, string>): Start {
  const own = {
    DATABASE_URL: '',
    EXPORT_DIRECTORY: '',
    DATABASE_PORT: '',
    TEMPORAL_ADDRESS: '',
    PUBLIC_URL: '',
    IDENTITY_AUTHORITY: '',
    HOST: '',
    DEMO_TENANTS: '',
  }
  const cost = { SECRET_HASH_COST: String(minHashCost) }
  const started = spawn(process.execPath, [join(projectRoot, 'dist/dev/start.js')], {
    env: { ...process.env, ...own, ...cost, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', chunk => (printed += chunk))
  const ended = new Promise<{ code: number | null; printed: string }>(resolve =>
    started.once('close', code => resolve({ code, printed })),
  )
  return {
    process: started,
    ended,
    async prints(text) {
      while (!printed.includes(text)) {
        if (started.exitCode !== null || started.signalCode) throw new Error(`It ended, having printed:\n${printed}`)
        await sleep(50)
      }
      return printed
    },
  }
}

/** The processes that a process has started, by the program or script that they run. Only Linux tells. */
export function childrenOf(pid: number | undefined): Record<string, number> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return Object.fromEntries(children.map(child => [programOf(child), child]))
}

function programOf(pid: number): string {
  const [command = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  if (args.some(arg => arg.endsWith('server/main.js'))) return 'api'
  if (args.some(arg => arg.endsWith('activities/worker.js'))) return 'worker'
  if (args.some(arg => arg.endsWith('provider/main.js'))) return 'provider'
  return command.includes('temporal') ? 'temporal' : 'database'
}

/** Whether a process still runs. One that has ended and was not yet collected by its parent does not. */
export function runs(pid: number): boolean {
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) return false
  return !/^\d+ \(.*\) Z/.test(readFileSync(stat, 'utf8'))
}
