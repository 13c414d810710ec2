import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import jsonata from 'jsonata'
import { Tinypool } from 'tinypool'
import { NotEvaluated, type TextFault } from './author-text.js'
import { parseLosslessJson, stringifyExactJson } from './exact-json.js'
import { faultOf, placeOf } from './expression-faults.js'
import type { Evaluated, Evaluation } from './expression-process.js'
import { followed } from './plain-paths.js'

/** Longest evaluation in ms, and most characters of its result. */
const limits = {
  /** A caller waits. */
  request: { ms: 250, longest: 4_000_000 },
  job: { ms: 5_000, longest: 64_000_000 },
}
/** Of a process, in MB. */
const heap = 256
/** Two at least: a process that was ended leaves another one that is warm. */
const processes = Math.min(4, Math.max(2, availableParallelism()))

/**
 * What an expression gives on `scope`, as plain JSON: null where that is nothing. It calculates with doubles; an ExactNumber
 * that it hands on, or makes a text of, keeps its digits. A tenant's expressions of a kind are evaluated one after the other.
 * @throws NotEvaluated when it does not parse, fails, or takes too much time, depth or memory.
 */
export type Evaluate = (tenant: number, kind: keyof typeof limits, text: string, scope: object) => Promise<unknown>

/**
 * Evaluates in child processes, which start with the first expression of their kind; a plain path is followed here. Threads are no bound: V8 ends the whole
 * process where a thread's text does not fit into its heap. @param file of the processes, built.
 */
export function createEvaluate(file = fileURLToPath(new URL('./expression-process.js', import.meta.url))): Evaluate {
  const pools = new Map<keyof typeof limits, Tinypool>()
  const turns = new Map<string, Promise<unknown>>()

  function poolFor(kind: keyof typeof limits): Tinypool {
    const pool =
      pools.get(kind) ??
      new Tinypool({
        runtime: 'child_process',
        // Texts cross as they are: as JSON each quote in them would be escaped.
        serialization: 'advanced',
        filename: file,
        minThreads: processes,
        maxThreads: processes,
        // None of our secrets.
        env: {},
        execArgv: [`--max-old-space-size=${heap}`],
      })
    pools.set(kind, pool)
    return pool
  }

  return async (tenant, kind, text, scope) => {
    const plain = followed(text, scope)
    if (plain) return plain.value
    const id = `${kind} ${tenant}`
    const before = turns.get(id)
    const evaluated = (async () => {
      await before
      return inProcess(poolFor(kind), text, stringifyExactJson(scope), limits[kind])
    })()
    const turn = evaluated.catch(() => undefined)
    turns.set(id, turn)
    const outcome = await evaluated.finally(() => turns.get(id) === turn && turns.delete(id))
    if ('failed' in outcome) throw new NotEvaluated(outcome.failed)
    return parseLosslessJson(outcome.json)
  }
}

async function inProcess(
  pool: Tinypool,
  text: string,
  scope: string,
  { ms, longest }: { ms: number; longest: number },
): Promise<Evaluated> {
  const end = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const channel = {
    onMessage: () => undefined,
    // The process has begun: the wait for a free one does not count.
    postMessage() {
      timer = setTimeout(() => end.abort(), ms)
    },
  }
  const evaluation: Evaluation = { text, scope, longest }
  try {
    return await pool.run(evaluation, { signal: end.signal, channel })
  } catch {
    // The process answers every other fault: what rejects is its end.
    return { failed: `The expression: it ${end.signal.aborted ? 'takes too long' : 'needs too much memory'}.` }
  } finally {
    clearTimeout(timer)
  }
}

/** What is wrong with an expression that does not parse. */
export function expressionFault(text: string): TextFault | undefined {
  try {
    jsonata(text)
    return undefined
  } catch (error) {
    const { line, column } = placeOf(text, error)
    return { line, column, message: faultOf(error).message ?? 'It cannot be read' }
  }
}
