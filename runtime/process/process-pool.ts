// Runs work in child processes that can do little but compute.
import type { ChildProcess } from 'node:child_process'
import { bulkhead } from 'cockatiel'
import { startConfined } from './confined-process.js'

/** A process ended while it had an input: it was killed, ran out of memory, or could not be started. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
  constructor(
    /** True if the process had begun to work on the input, which may then be the reason for its end. */
    readonly hasBegun: boolean,
    cause: unknown,
  ) {
    super(hasBegun ? 'A process ended in the middle of its work' : 'A process could not be started', { cause })
  }
}

/** Child processes that each work on one input at a time. */
export interface ProcessPool {
  /**
   * Waits for a free process and returns its answer to an input.
   * @param signal kills the process when it is aborted.
   * @param begun is called with the id of the process when it begins to work on this input.
   * @throws ProcessEnded, or the signal's reason if it is aborted before a process is free.
   */
  run<Output>(input: unknown, signal: AbortSignal, begun?: (pid: number) => void): Promise<Output>
}

interface PoolOptions {
  /** Path of the compiled program that the processes run, which calls `answerInputs`. */
  file: string
  /** Maximum number of processes. */
  processes: number
  /** Heap limit of each process. */
  heapMb: number
  /** After how many ms without work a child process is ended. By default it is kept as long as its parent runs. */
  idleMs?: number
}

/** Creates a pool whose processes start when they are first needed. */
export function createProcessPool({ file, processes, heapMb, idleMs }: PoolOptions): ProcessPool {
  const slots = bulkhead(processes, Number.POSITIVE_INFINITY)
  const running = new Set<ChildProcess>()
  const idleTimers = new WeakMap<ChildProcess, NodeJS.Timeout>()
  let idle: ChildProcess[] = []

  function start(): ChildProcess {
    const child = startConfined(file, heapMb)
    running.add(child)
    const ended = () => {
      running.delete(child)
      idle = idle.filter(each => each !== child)
    }
    return child.on('exit', ended).on('error', ended)
  }

  function free(child: ChildProcess): void {
    const isRunning = running.has(child)
    const ready = isRunning ? child : start()
    // The successor of a process that has ended needs time to start, so it stands behind the others.
    if (isRunning) idle.unshift(ready)
    else idle.push(ready)
    if (idleMs !== undefined) idleTimers.set(ready, setTimeout(() => ready.kill('SIGKILL'), idleMs).unref())
  }

  async function runOnce<Output>(...[input, signal, begun]: Parameters<ProcessPool['run']>): Promise<Output> {
    signal.throwIfAborted()
    const child = idle.shift() ?? start()
    clearTimeout(idleTimers.get(child))
    try {
      return await answerOf<Output>(child, input, signal, begun)
    } catch (error) {
      // A process that takes no input any more may be known to have ended only later, and must not get the next one.
      running.delete(child)
      child.kill('SIGKILL')
      throw error
    } finally {
      free(child)
    }
  }

  async function run<Output>(...parameters: Parameters<ProcessPool['run']>): Promise<Output> {
    for (let tries = 0; ; tries++) {
      try {
        return await runOnce<Output>(...parameters)
      } catch (error) {
        // An idle process may have ended just now, and in the worst case all of them have.
        if (!(error instanceof ProcessEnded) || error.hasBegun || tries === processes) throw error
      }
    }
  }

  return { run: (...parameters) => slots.execute(() => run(...parameters)) }
}

/** Sends an input to an idle process. The process first says that it begins, and then answers. */
function answerOf<Output>(
  child: ChildProcess,
  input: unknown,
  signal: AbortSignal,
  begun?: (pid: number) => void,
): Promise<Output> {
  let hasBegun = false
  const { promise, resolve, reject } = Promise.withResolvers<Output>()
  const listeners = {
    message(message: unknown) {
      const { answer }: { answer?: Output } = Object(message)
      if (answer !== undefined) return resolve(answer)
      hasBegun = true
      if (child.pid !== undefined) begun?.(child.pid)
    },
    exit: (code: unknown, killedBy: unknown) => reject(new ProcessEnded(hasBegun, `exit ${code ?? killedBy}`)),
    error: (error: unknown) => reject(new ProcessEnded(hasBegun, error)),
  }
  const kill = () => child.kill('SIGKILL')
  for (const [event, listener] of Object.entries(listeners)) child.on(event, listener)
  signal.addEventListener('abort', kill)
  // While it works, this process waits for it.
  child.ref()
  child.send({ input }, error => error && reject(new ProcessEnded(hasBegun, error)))
  return promise.finally(() => {
    child.unref()
    signal.removeEventListener('abort', kill)
    for (const [event, listener] of Object.entries(listeners)) child.off(event, listener)
  })
}
