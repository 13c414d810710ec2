// How a process starts the child processes that do what may take long.

/**
 * Runs before the program of a child process: ten steps below its parent, it has a tenth of a processor beside it. Linux has a
 * priority for each thread; V8's run already. It is a text, because tests start the built program.
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

/** Options of a tinypool. The processes have none of our secrets, and a low priority. @param heapMb most memory of each. */
export const childProcesses = (heapMb: number) => ({
  runtime: 'child_process' as const,
  // Texts and bytes cross as they are: as JSON each quote in them would be escaped.
  serialization: 'advanced' as const,
  env: {},
  execArgv: [`--max-old-space-size=${heapMb}`, `--import=data:text/javascript,${encodeURIComponent(lowPriority)}`],
})
