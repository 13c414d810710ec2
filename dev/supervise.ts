// Starts programs, and restarts them when they end.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram, type LogLine, logTail, StartProblem } from './programs.js'

/** A program that should run until it is stopped. */
export interface Program {
  /** Name on the console and in the names of its files. */
  name: string
  command: string
  args: string[]
  env?: NodeJS.ProcessEnv
  /** Marks a Node process of this project. It gets an IPC channel and ends by itself when the channel disconnects. */
  ours?: boolean
}

/** A program that is restarted whenever it dies. */
export interface Supervised {
  readonly name: string
  /** Current process id, which changes with every restart. Undefined while the program does not run. */
  readonly pid: number | undefined
  readonly logFile: string
  /**
   * Calls `probe` until it resolves. Waits as long as the program lives, because a busy machine may take minutes, and says so from time to time.
   * @throws StartProblem with what the program has logged since it was started, if it keeps dying or `timeoutMs` (forever) have passed.
   */
  ready(probe: () => Promise<unknown>, timeoutMs?: number): Promise<void>
  /** Ends the program for good: by SIGTERM, then after `withinMs` by SIGKILL to its process group. Resolves when it is gone. */
  stop(withinMs?: number): Promise<void>
}

/** All programs that this process supervises, so that a shutdown in the middle of a start finds each of them. */
export const supervised = new Set<Supervised>()

const maxLogBytes = 64 * 1024 * 1024
const maxBackoffMs = 5_000

/** While a program does not answer yet, the console says so this often, in ms. */
const reminderMs = 30_000

/**
 * Starts the program in a process group of its own. So Ctrl-C reaches only the supervisor, which knows the order in which to
 * shut down. The output is appended to `<logDir>/<name>.log`. While the program runs, `<name>.pid` has its process id.
 */
export function supervise(program: Program, { logDir, log }: { logDir: string; log: LogLine }): Supervised {
  const { name } = program
  const logFile = openLog(logDir, name)
  const logStart = existsSync(logFile) ? statSync(logFile).size : 0
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

    async ready(probe, timeoutMs = Number.POSITIVE_INFINITY) {
      const startedAt = Date.now()
      let reminders = 0
      for (;;) {
        try {
          return void (await probe())
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          if (stopping) throw new StartProblem(`${name} was stopped before it answered.`)
          const waitedMs = Date.now() - startedAt
          if (failures >= 5 || waitedMs > timeoutMs) {
            throw new StartProblem(
              `${name} does not start (${reason}). The end of ${logFile}:\n${logTail(logFile, logStart)}`,
            )
          }
          if (waitedMs > reminderMs * (reminders + 1)) {
            reminders++
            const seconds = Math.round(waitedMs / 1_000)
            log(`${name} runs but has not answered for ${seconds} s (${reason}). Still waiting; its log: ${logFile}`)
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
      // Ends processes that the program has started and left behind.
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
 * Returns a prefix for the command line with which Linux ends the program when its parent is gone, even by kill -9. Empty on
 * other systems. The signal is SIGKILL because MariaDB loses a SIGTERM that arrives while it starts; it would then live on
 * and occupy the data directory.
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
    // The process has already ended.
  }
}

export const pidFileOf = (logDir: string, name: string): string => join(logDir, `${name}.pid`)

function openLog(logDir: string, name: string): string {
  mkdirSync(logDir, { recursive: true })
  const logFile = join(logDir, `${name}.log`)
  if (existsSync(logFile) && statSync(logFile).size > maxLogBytes) renameSync(logFile, `${logFile}.1`)
  return logFile
}
