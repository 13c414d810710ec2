// Options for child processes that do long-running work.

/**
 * Program that runs first in a child process and lowers its priority by ten steps, which leaves it a tenth of a
 * processor when its parent is busy. Linux has a priority for each thread, and V8's threads are already running, so it
 * sets them all. It is a text, not a file, because tests start the built program.
 */
const lowPriority = `import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
const priority = Math.min(getPriority() + 10, 19)
setPriority(priority)
try {
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), priority)
} catch {
  // No /proc: the priority is that of the process.
}`

/**
 * Returns the options of a tinypool whose processes have low priority and an empty environment, so that they cannot see
 * our secrets.
 * @param heapMb heap limit of each process.
 */
export const childProcesses = (heapMb: number) => ({
  runtime: 'child_process' as const,
  // Passes texts and bytes unchanged. JSON would escape every quote in them.
  serialization: 'advanced' as const,
  env: {},
  execArgv: [`--max-old-space-size=${heapMb}`, `--import=data:text/javascript,${encodeURIComponent(lowPriority)}`],
})
