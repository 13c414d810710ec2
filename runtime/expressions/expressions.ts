// Evaluates JSONata expressions in child processes, with limits of time and memory.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isBulkheadRejectedError } from 'cockatiel'
import jsonata from 'jsonata'
import { Tinypool } from 'tinypool'
import { parseLosslessJson, stringifyExactJson } from '../json/exact-json.js'
import { createBulkheads } from '../load/bulkheads.js'
import type { Log } from '../observe/log.js'
import { Problem } from '../problems/problem.js'
import { childProcesses } from '../process/child-processes.js'
import { processorMs } from '../process/processor-time.js'
import { faultOf, placeOf } from './expression-faults.js'
import type { Evaluated, Evaluation } from './expression-process.js'
import { NotEvaluated, type TextFault } from './parsed-texts.js'
import { followed } from './simple-jsonata-paths.js'
import { isLinear, render } from './templates.js'

/**
 * Longest evaluation in ms of processor time; most characters of its result, and values in it. A list that stands in a result a thousand times is
 * one in the expression's process, and a thousand in the process that asked.
 */
const limits = {
  /** A caller waits. After an evaluation that was ended the tenant's next one waits for `restMs`: endless texts have a quarter of a processor. */
  request: { ms: 250, restMs: 750, longest: 4_000_000, values: 400_000 },
  /** An evaluation that is ended ends its job: no other follows. */
  job: { ms: 5_000, restMs: 0, longest: 64_000_000, values: 2_000_000 },
}
/** Longest wait for that processor time, as a multiple of it: beside two busy processes its own has a tenth of a processor. */
const longestWait = 20
/** Of a process. */
const heapMb = 256
/**
 * Most characters of the data of a template with loops or list filters that is rendered in this process. They take 10
 * µs an item.
 */
const smallScope = 32_000
/** Two at least: a process that was ended leaves another one that is warm. */
const processes = Math.min(4, Math.max(2, availableParallelism()))

/** Most texts of a tenant and a kind that wait for the one in evaluation. Each that is ended takes a second. */
const maxWaiting = 500
const tooManyWait = new Problem(
  'busy',
  `${maxWaiting} templates and expressions of this tenant wait already. Please try again.`,
  [],
  { 'Retry-After': '5' },
)

/** A caller waits for a `request`. */
type Kind = keyof typeof limits

/** Evaluates the texts of tenants' authors. A tenant's texts of a kind that leave the process are evaluated one after the other. */
export interface Evaluator {
  /**
   * The value of an expression on `scope`, as plain JSON: null where it has none. It calculates with doubles; an ExactNumber
   * that it hands on, or makes a text of, keeps its digits.
   * @throws NotEvaluated when it does not parse, fails, or takes too much time, depth or memory. The same scope fails again.
   */
  expression(tenant: number, kind: Kind, text: string, scope: object): Promise<unknown>
  /**
   * The text that a template gives on `scope`. Nothing is escaped: the filters `json` and `url_encode` are for that.
   * @throws NotEvaluated when it does not parse, names something that is not there, or takes too much time or memory.
   */
  template(tenant: number, kind: Kind, text: string, scope: object): Promise<string>
}

interface EvaluatorOptions {
  log: Pick<Log, 'warn'>
  /** File of the processes, built. */
  file?: string | undefined
}

/**
 * Evaluates in child processes, which start with the first text of their kind. Threads are no bound: V8 ends the whole
 * process where a thread's text does not fit into its heap. Templates that cost little are
 * rendered here, and plain paths followed.
 */
export function createEvaluator({
  log,
  file = fileURLToPath(new URL('./expression-process.js', import.meta.url)),
}: EvaluatorOptions): Evaluator {
  const pools = new Map<Kind, Tinypool>()
  const tenants = { request: createBulkheads<number>(1, maxWaiting), job: createBulkheads<number>(1, maxWaiting) }

  function poolFor(kind: Kind): Tinypool {
    const pool = pools.get(kind) ?? started()
    pools.set(kind, pool)
    return pool
  }

  function started(): Tinypool {
    const pool = new Tinypool({
      ...childProcesses(heapMb),
      filename: file,
      minThreads: processes,
      maxThreads: processes,
    })
    // Of a process that evaluates nothing: the pool starts another one.
    pool.on('error', err => log.warn({ err }, 'a process for expressions has ended by itself'))
    return pool
  }

  async function made(tenant: number, kind: Kind, by: 'expression' | 'template', text: string, scope: string) {
    const { ms, restMs, ...max } = limits[kind]
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      const evaluate = async () => {
        const outcome = await inProcess(poolFor(kind), by, { text, scope, ...max }, ms)
        resolve(outcome)
        if ('failed' in outcome && outcome.lacked) await sleep(restMs, undefined, { ref: false })
      }
      tenants[kind]
        .run(tenant, evaluate)
        .catch((error: unknown) => reject(isBulkheadRejectedError(error) ? tooManyWait : error))
    })
    if ('failed' in outcome) throw new NotEvaluated(outcome.failed, outcome.missing, outcome.lacked)
    return outcome.made
  }

  return {
    async expression(tenant, kind, text, scope) {
      const plain = followed(text, scope)
      if (plain) return plain.value
      return parseLosslessJson(await made(tenant, kind, 'expression', text, stringifyExactJson(scope)))
    },

    async template(tenant, kind, text, scope) {
      const json = isLinear(text) ? '' : stringifyExactJson(scope)
      try {
        if (json.length <= smallScope) return render(text, scope)
      } catch (error) {
        if (!(error instanceof NotEvaluated && error.lacked)) throw error
      }
      return made(tenant, kind, 'template', text, json || stringifyExactJson(scope))
    },
  }
}

type Outcome = Evaluated | { failed: string; missing?: undefined; lacked: 'time' | 'memory' }

async function inProcess(
  pool: Tinypool,
  by: 'expression' | 'template',
  evaluation: Evaluation,
  ms: number,
): Promise<Outcome> {
  // Processes may end by themselves, all at the same time, while the text is on its way to one. The last try has no such excuse.
  for (let tries = 0; tries <= processes; tries++) {
    const outcome = await begun(pool, by, evaluation, ms)
    if (outcome) return outcome
  }
  return tooMuch(by, 'memory')
}

/** @returns undefined where the process ended before the evaluation began. */
async function begun(
  pool: Tinypool,
  by: 'expression' | 'template',
  evaluation: Evaluation,
  ms: number,
): Promise<Outcome | undefined> {
  const end = new AbortController()
  const waiting: { timer?: NodeJS.Timeout } = {}
  const channel = {
    onMessage: () => undefined,
    // The process has begun: the wait for a free one does not count.
    postMessage(pid: number) {
      const [began, usedBefore] = [Date.now(), processorMs(pid)]
      const look = (afterMs: number) => {
        waiting.timer = setTimeout(() => {
          const used = (processorMs(pid) ?? Number.POSITIVE_INFINITY) - (usedBefore ?? 0)
          // On a busy machine the process has had less than the time that is over.
          if (used < ms && Date.now() - began < ms * longestWait) look(Math.max(ms - used, 10))
          else end.abort()
        }, afterMs)
      }
      look(ms)
    },
  }
  try {
    const evaluated: Evaluated = await pool.run(evaluation, { name: by, signal: end.signal, channel })
    return evaluated
  } catch {
    // The process answers every other fault: what rejects is its end.
    return waiting.timer && tooMuch(by, end.signal.aborted ? 'time' : 'memory')
  } finally {
    clearTimeout(waiting.timer)
  }
}

const tooMuch = (by: 'expression' | 'template', lacked: 'time' | 'memory'): Outcome => ({
  failed: `The ${by}: it ${lacked === 'time' ? 'takes too long' : 'needs too much memory'}.`,
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
