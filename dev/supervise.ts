// Starts programs and restarts those that end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, type LogLine, logTail, StartProblem } from './programs.js'

/** A program that is to run all the time. */
export interface Program {
  /** Its name on the console and of its log file. */
  name: string
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  /** A Node process of this project: it gets an ipc channel, and ends when that disconnects. */
  ours?: boolean
}

/** A program that runs, and runs again when it dies. */
export interface Supervised {
  readonly name: string
  /** Process id; undefined while it does not run. Changes with every restart. */
  readonly pid: number | undefined
  readonly logFile: string
  /**
   * Waits until `probe` resolves for the first time.
   * @throws StartProblem with the end of the log when the program keeps ending, or after `timeoutMs`.
   */
  ready(probe: () => Promise<unknown>, timeoutMs?: number): Promise<void>
  /** Ends it for good: SIGTERM, and SIGKILL to its whole group after `withinMs`. Resolves when it is gone. */
  stop(withinMs?: number): Promise<void>
}

/** Every program this process supervises, so that a shutdown in the middle of a start misses none. */
export const supervised = new Set<Supervised>()

const maxLogBytes = 64 * 1024 * 1024
const maxBackoffMs = 5_000

/**
 * Starts the program in a process group of its own, so that Ctrl-C reaches only the supervisor, which knows the order
 * of the shutdown. Its output is appended to `<logDir>/<name>.log`; while it runs, its process id stands in `<name>.pid` beside it.
 */
export function supervise(program: Program, { logDir, log }: { logDir: string; log: LogLine }): Supervised {
  const { name } = program
  const logFile = openLog(logDir, name)
  const pidFile = pidFileOf(logDir, name)
  let child: ChildProcess | undefined
  let again: NodeJS.Timeout | undefined
  let stopping = false
  let failures = 0

  const start = () => {
    const startedAt = Date.now()
    const started = spawnInOwnGroup(program, logFile)
    child = started
    if (started.pid) writeFileSync(pidFile, `${started.pid}\n`)
    const gone = (reason: string) => {
      if (child !== started) return
      child = undefined
      rmSync(pidFile, { force: true })
      if (stopping) return
      failures = Date.now() - startedAt > 10_000 ? 1 : failures + 1
      const delay = Math.min(100 * 2 ** failures, maxBackoffMs)
      log(`${name} ended (${reason}) and is started again; its log: ${logFile}`)
      again = setTimeout(start, delay)
    }
    // A program that cannot be spawned emits only 'error'.
    started.once('error', error => gone(error.message))
    started.once('exit', (code, signal) => gone(signal ?? `exit code ${code}`))
  }
  start()

  const self: Supervised = {
    name,
    logFile,
    get pid() {
      return child?.pid
    },

    async ready(probe, timeoutMs = 60_000) {
      const deadline = Date.now() + timeoutMs
      for (;;) {
        try {
          return void (await probe())
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          if (stopping) throw new StartProblem(`${name} was stopped before it answered.`)
          if (failures >= 5 || Date.now() > deadline) {
            throw new StartProblem(`${name} does not start (${reason}). The end of ${logFile}:\n${logTail(logFile)}`)
          }
        }
        await sleep(100)
      }
    },

    async stop(withinMs = 10_000) {
      stopping = true
      clearTimeout(again)
      supervised.delete(self)
      const running = child
      if (!running?.pid) return
      const group = -running.pid
      const exited = new Promise(resolve => running.once('exit', resolve))
      running.kill('SIGTERM')
      const force = setTimeout(() => signalIfAlive(group, 'SIGKILL'), withinMs)
      await exited
      clearTimeout(force)
      // Processes that it may have started itself and left behind.
      signalIfAlive(group, 'SIGKILL')
    },
  }
  supervised.add(self)
  return self
}

function spawnInOwnGroup({ command, args, env = process.env, ours = false }: Program, logFile: string): ChildProcess {
  const output = openSync(logFile, 'a')
  try {
    if (ours) return spawn(command, args, { env, detached: true, stdio: ['ignore', output, output, 'ipc'] })
    const [first = command, ...rest] = [...dyingWithParent(), command, ...args]
    return spawn(first, rest, { env, detached: true, stdio: ['ignore', output, output] })
  } finally {
    closeSync(output)
  }
}

let prefix: string[] | undefined

/**
 * Linux can end a program when its parent is gone, even by kill -9: a prefix for the command line, empty elsewhere. By SIGKILL:
 * MariaDB loses a SIGTERM that comes while it starts, and would stay with the data directory.
 */
function dyingWithParent(): string[] {
  if (!prefix) {
    const setpriv = findProgram('setpriv')
    const works = setpriv && spawnSync(setpriv, ['--pdeathsig', 'KILL', 'true']).status === 0
    prefix = works ? [setpriv, '--pdeathsig', 'KILL'] : []
  }
  return prefix
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended in the meantime, which is all that was wanted.
  }
}

export const pidFileOf = (logDir: string, name: string): string => join(logDir, `${name}.pid`)

function openLog(logDir: string, name: string): string {
  mkdirSync(logDir, { recursive: true })
  const logFile = join(logDir, `${name}.log`)
  if (existsSync(logFile) && statSync(logFile).size > maxLogBytes) renameSync(logFile, `${logFile}.1`)
  return logFile
}
