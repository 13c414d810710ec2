// Finds and runs programs, and reads their logs.
import { type SpawnOptions, spawn } from 'node:child_process'
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A problem that the person at the console can solve. Its message is shown to them as it is, without a stack trace. */
export class StartProblem extends Error {}

/** Prints one line for the person at the console. */
export type LogLine = (line: string) => void

// Packages install servers into directories that are often not on the PATH of an ordinary user.
const serverDirectories = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/usr/libexec',
]

/** Returns the path of the first of these programs that is installed, or undefined. */
export function findProgram(...names: string[]): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...serverDirectories]
  return names.flatMap(name => directories.map(directory => join(directory, name))).find(isExecutable)
}

/** Reports whether `path` is a file that we may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * Runs a program to its end and appends its output to the log file.
 * @throws StartProblem with the end of the log if it fails or takes longer than `timeoutMs`, by default ten minutes.
 */
export async function run(
  command: string,
  args: string[],
  {
    logFile,
    ...options
  }: { logFile: string; timeoutMs?: number; cwd?: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<void> {
  const output = openSync(logFile, 'a')
  try {
    const { timeoutMs = 600_000, ...rest } = options
    await ended(command, args, { ...rest, timeout: timeoutMs, stdio: ['ignore', output, output] })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartProblem(`${command} failed (${reason}). The end of ${logFile}:\n${logTail(logFile)}`)
  } finally {
    closeSync(output)
  }
}

function ended(command: string, args: string[], options: SpawnOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    spawn(command, args, options)
      .once('error', reject)
      .once('exit', (code, signal) => (code === 0 ? resolve() : reject(new Error(signal ?? `exit code ${code}`))))
  })
}

/** Returns the last lines of a log file, indented for the console. What stands before the byte `from` is left out. */
export function logTail(logFile: string, from = 0): string {
  const text = existsSync(logFile) ? readFileSync(logFile).subarray(from).toString('utf8').trimEnd() : ''
  if (!text) return '  (empty)'
  return text
    .split('\n')
    .slice(-12)
    .map(line => `  ${line}`)
    .join('\n')
}
