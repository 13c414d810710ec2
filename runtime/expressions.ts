import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import jsonata from 'jsonata'
import { Tinypool } from 'tinypool'
import { NotEvaluated, type TextFault } from './author-text.js'
import { createBulkheads } from './bulkheads.js'
import { parseLosslessJson, stringifyExactJson } from './exact-json.js'
import { faultOf, placeOf } from './expression-faults.js'
import type { Evaluated, Evaluation } from './expression-process.js'
import type { Log } from './log.js'

/**
 * Longest evaluation in ms; most characters of its result, and values in it. A list that stands in a result a thousand times is
 * one in the expression's process, and a thousand in the process that asked.
 */
const limits = {
  /** A caller waits. */
  request: { ms: 250, longest: 4_000_000, values: 400_000 },
  job: { ms: 5_000, longest: 64_000_000, values: 2_000_000 },
}
type Limits = (typeof limits)[keyof typeof limits]
/** Of a process, in MB. */
const heap = 256
/** Two at least: a process that was ended leaves another one that is warm. */
const processes = Math.min(4, Math.max(2, availableParallelism()))

/**
 * The value of an expression on `scope`, as plain JSON: null where it has none. It calculates with doubles; an ExactNumber
 * that it hands on, or makes a text of, keeps its digits. A tenant's expressions of a kind are evaluated one after the other.
 * @throws NotEvaluated when it does not parse, fails, or takes too much time, depth or memory. The same scope fails again.
 */
export type Evaluate = (tenant: number, kind: keyof typeof limits, text: string, scope: object) => Promise<unknown>

interface EvaluateOptions {
  log: Pick<Log, 'warn'>
  /** File of the processes, built. */
  file?: string | undefined
}

/**
 * Evaluates in child processes, which start with the first expression of their kind. Threads are no bound: V8 ends the whole
 * process where a thread's text does not fit into its heap.
 */
export function createEvaluate({
  log,
  file = fileURLToPath(new URL('./expression-process.js', import.meta.url)),
}: EvaluateOptions): Evaluate {
  const pools = new Map<keyof typeof limits, Tinypool>()
  const tenants = { request: createBulkheads<number>(1), job: createBulkheads<number>(1) }

  function poolFor(kind: keyof typeof limits): Tinypool {
    const pool = pools.get(kind) ?? started()
    pools.set(kind, pool)
    return pool
  }

  function started(): Tinypool {
    const pool = new Tinypool({
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
    // Of a process that evaluates nothing: the pool starts another one.
    pool.on('error', err => log.warn({ err }, 'a process for expressions has ended by itself'))
    return pool
  }

  return async (tenant, kind, text, scope) => {
    const outcome = await tenants[kind].run(tenant, () =>
      inProcess(poolFor(kind), text, stringifyExactJson(scope), limits[kind]),
    )
    if ('failed' in outcome) throw new NotEvaluated(outcome.failed, undefined, outcome.lacked)
    return parseLosslessJson(outcome.json)
  }
}

/** The result as JSON, or why there is none. */
type Outcome = { json: string } | { failed: string; lacked?: 'time' | 'memory' }

async function inProcess(pool: Tinypool, text: string, scope: string, limits: Limits): Promise<Outcome> {
  const evaluation: Evaluation = { text, scope, longest: limits.longest, values: limits.values }
  const first = await begun(pool, evaluation, limits.ms)
  // A process may end by itself while the expression is on its way there. The second one has no such excuse.
  return first ?? (await begun(pool, evaluation, limits.ms)) ?? tooMuch('memory')
}

/** @returns undefined where the process ended before the expression began. */
async function begun(pool: Tinypool, evaluation: Evaluation, ms: number): Promise<Outcome | undefined> {
  const end = new AbortController()
  const waiting: { timer?: NodeJS.Timeout } = {}
  const channel = {
    onMessage: () => undefined,
    // The process has begun: the wait for a free one does not count.
    postMessage() {
      waiting.timer = setTimeout(() => end.abort(), ms)
    },
  }
  try {
    const evaluated: Evaluated = await pool.run(evaluation, { signal: end.signal, channel })
    return evaluated
  } catch {
    // The process answers every other fault: what rejects is its end.
    return waiting.timer && tooMuch(end.signal.aborted ? 'time' : 'memory')
  } finally {
    clearTimeout(waiting.timer)
  }
}

const tooMuch = (lacked: 'time' | 'memory'): Outcome => ({
  failed: `The expression: it ${lacked === 'time' ? 'takes too long' : 'needs too much memory'}.`,
  lacked,
})

/** The fault of an expression that does not parse. */
export function expressionFault(text: string): TextFault | undefined {
  try {
    jsonata(text)
    return undefined
  } catch (error) {
    const { line, column } = placeOf(text, error)
    return { line, column, message: faultOf(error).message ?? 'It cannot be read' }
  }
}
