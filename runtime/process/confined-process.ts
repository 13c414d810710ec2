// Starts child processes that run code which is not ours, and connects their programs with this process.
import { type ChildProcess, fork } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Commands that start the process with a priority lower by ten steps, which leaves it a tenth of a processor when its
 * parent is busy. On Linux it also ends with its parent, even in an endless loop, and cannot gain privileges.
 */
const launcher = [
  ...(process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs'] : []),
  ...['nice', '-n', '10'],
]

// Node's permissions do not cover signals, and by default Node answers this one by opening its debugger to every program
// of the machine. A confined process could so take over this one. A listener prevents that.
process.on('SIGUSR1', () => undefined)

/**
 * Starts a program that can read its own code and compute, and with Node's permission model nothing else: no other
 * files, no processes or threads, no native code. Its environment is empty. Node 24 does not restrict the network.
 * @param file path of the compiled program, which calls {@link answerInputs}.
 * @param heapMb heap limit.
 */
export function startConfined(file: string, heapMb: number): ChildProcess {
  const manifest = findPackageJSON(pathToFileURL(file))
  if (manifest === undefined) throw new Error(`${file} belongs to no package`)
  const code = ['dist', 'node_modules'].map(folder => realpathSync(join(dirname(manifest), folder)))
  const [execPath, ...before] = [...launcher, process.execPath]
  const child = fork(file, [], {
    execPath,
    execArgv: [
      ...before,
      `--max-old-space-size=${heapMb}`,
      '--permission',
      ...[manifest, ...code].map(path => `--allow-fs-read=${path}`),
      // Its statement ATTACH opens files past the permission model.
      '--no-experimental-sqlite',
      // The usual way out of an interpreter is the constructor of functions.
      '--disallow-code-generation-from-strings',
    ],
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Passes texts and bytes unchanged. JSON would escape every quote in them.
    serialization: 'advanced',
  })
  // An idle process does not keep its parent running.
  child.unref()
  child.channel?.unref?.()
  return child
}

/**
 * Answers the inputs that a program gets from the pool that started it, one after the other. A rejection ends the
 * program.
 */
export function answerInputs<Input>(answer: (input: Input) => unknown): void {
  process.on('message', async message => {
    const { input }: { input: Input } = Object(message)
    process.send?.({})
    process.send?.({ answer: await answer(input) })
  })
}
