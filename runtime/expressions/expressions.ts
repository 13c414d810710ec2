// Evaluates JSONata expressions and Liquid templates in child processes, with limits on time and memory.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isBulkheadRejectedError } from 'cockatiel'
import jsonata from 'jsonata'
import { Tinypool } from 'tinypool'
import { parseJsonAsWritten, stringifyExactJson } from '../json/exact-json.js'
import { createBulkheads } from '../load/bulkheads.js'
import type { Log } from '../observe/log.js'
import { Problem } from '../problems/problem.js'
import { childProcesses } from '../process/child-processes.js'
import { processorMs } from '../process/processor-time.js'
import type { Place } from './escaped-output.js'
import { faultOf, placeOf } from './expression-faults.js'
import type { Evaluated, Evaluation } from './expression-process.js'
import { NotEvaluated, type TextFault } from './parsed-texts.js'
import { followed } from './simple-jsonata-paths.js'
import { isLinear, render } from './templates.js'

/**
 * Limits of an evaluation: processor time in ms, and the size of its result in characters and in values. The values are
 * limited too because a list that a result refers to a thousand times exists once in the child process, but a thousand
 * times after this process has parsed it.
 */
const limits = {
  /**
   * For calls that a client is waiting for. After an evaluation was killed, the tenant's next one waits for `restMs`,
   * so that endless loops take at most a quarter of a processor.
   */
  request: { ms: 250, restMs: 750, longest: 4_000_000, values: 400_000 },
  /** For jobs. No rest is needed, because killing an evaluation also ends its job. */
  job: { ms: 5_000, restMs: 0, longest: 64_000_000, values: 2_000_000 },
}
/**
 * Maximum wall-clock time, as a multiple of the processor time. Child processes run at low priority: next to two busy
 * processes, one gets only a tenth of a processor.
 */
const longestWait = 20
/** Heap limit of one child process. */
const heapMb = 256
/**
 * Maximum size, in characters of JSON, of the data of a template with loops or list filters that is rendered in this
 * process. Such templates take 10 µs for each item.
 */
const smallScope = 32_000
/** At least two, so that one warm process is left when the other was killed. */
const processes = Math.min(4, Math.max(2, availableParallelism()))

/**
 * Maximum number of evaluations of one kind that may queue for a tenant. If they all have to be killed, each takes a
 * second.
 */
const maxWaiting = 500
const tooManyWait = new Problem(
  'busy',
  `${maxWaiting} templates and expressions of this tenant wait already. Please try again.`,
  [],
  { 'Retry-After': '5' },
)

/** `request` for evaluations that a client is waiting for, `job` for those of jobs. */
type Kind = keyof typeof limits

/**
 * Evaluates the expressions and templates that tenants write. For each tenant and kind, a child process evaluates one
 * at a time.
 */
export interface Evaluator {
  /**
   * Evaluates an expression on `scope` and returns plain JSON, or null if it has no value. Arithmetic uses doubles, but
   * an ExactNumber that is passed on or turned into text keeps its digits.
   * @throws NotEvaluated if the expression does not parse, fails, or exceeds its time, depth or memory. Retrying with
   * the same scope fails again.
   */
  expression(tenant: number, kind: Kind, text: string, scope: object): Promise<unknown>
  /**
   * Renders a template with the values of `scope`, which are escaped for the place.
   * @throws NotEvaluated if the template does not parse, uses an undefined name, or exceeds its time or memory.
   */
  template(tenant: number, kind: Kind, text: string, scope: object, place?: Place): Promise<string>
}

interface EvaluatorOptions {
  log: Pick<Log, 'warn'>
  /** Path of the compiled program that the child processes run. */
  file?: string | undefined
}

/**
 * Creates an evaluator whose child processes start with the first evaluation of each kind. Threads would not do: V8
 * ends the whole process when a thread runs out of heap. Cheap templates are rendered in this process, and plain paths
 * are resolved without JSONata.
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
    // A process that was idle has died; the pool replaces it.
    pool.on('error', err => log.warn({ err }, 'a process for expressions has ended by itself'))
    return pool
  }

  async function made(
    tenant: number,
    kind: Kind,
    by: 'expression' | 'template',
    { text, scope, place }: Pick<Evaluation, 'text' | 'scope' | 'place'>,
  ) {
    const { ms, restMs, ...max } = limits[kind]
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      const evaluate = async () => {
        const outcome = await inProcess(poolFor(kind), by, { text, scope, place, ...max }, ms)
        resolve(outcome)
        if ('failed' in outcome && outcome.lacked) await sleep(restMs, undefined, { ref: false })
      }
      tenants[kind]
        .run(tenant, evaluate)
        .catch((error: unknown) => reject(isBulkheadRejectedError(error) ? tooManyWait : error))
    })
    if ('failed' in outcome) throw new NotEvaluated(outcome.failed, outcome.missing, outcome.lacked, outcome.said)
    return outcome.made
  }

  return {
    async expression(tenant, kind, text, scope) {
      const plain = followed(text, scope)
      if (plain) return plain.value
      return parseJsonAsWritten(await made(tenant, kind, 'expression', { text, scope: stringifyExactJson(scope) }))
    },

    async template(tenant, kind, text, scope, place) {
      const json = isLinear(text) ? '' : stringifyExactJson(scope)
      try {
        if (json.length <= smallScope) return render(text, scope, place)
      } catch (error) {
        if (!(error instanceof NotEvaluated && error.lacked)) throw error
      }
      return made(tenant, kind, 'template', { text, scope: json || stringifyExactJson(scope), place })
    },
  }
}

type Outcome = Evaluated | { failed: string; missing?: undefined; said?: undefined; lacked: 'time' | 'memory' }

async function inProcess(
  pool: Tinypool,
  by: 'expression' | 'template',
  evaluation: Evaluation,
  ms: number,
): Promise<Outcome> {
  // A process may die before it has started the evaluation, and in the worst case all of them do. After one try more
  // than there are processes, the evaluation itself is to blame.
  for (let tries = 0; tries <= processes; tries++) {
    const outcome = await begun(pool, by, evaluation, ms)
    if (outcome) return outcome
  }
  return tooMuch(by, 'memory')
}

/** Runs an evaluation once. @returns undefined if the process died before the evaluation started. */
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
    // The evaluation has started; the time spent waiting for a free process does not count.
    postMessage(pid: number) {
      const [began, usedBefore] = [Date.now(), processorMs(pid)]
      const look = (afterMs: number) => {
        waiting.timer = setTimeout(() => {
          const used = (processorMs(pid) ?? Number.POSITIVE_INFINITY) - (usedBefore ?? 0)
          // On a busy machine the process has had less processor time than has passed, so look again later.
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
    // The process reports every other failure itself, so a rejection means that it has died.
    return waiting.timer && tooMuch(by, end.signal.aborted ? 'time' : 'memory')
  } finally {
    clearTimeout(waiting.timer)
  }
}

const tooMuch = (by: 'expression' | 'template', lacked: 'time' | 'memory'): Outcome => ({
  failed: `The ${by}: it ${lacked === 'time' ? 'takes too long' : 'needs too much memory'}.`,
  lacked,
})

/** Parses an expression and returns its syntax error, or undefined if it has none. */
export function expressionFault(text: string): TextFault | undefined {
  try {
    jsonata(text)
    return undefined
  } catch (error) {
    const { line, column } = placeOf(text, error)
    return { line, column, message: faultOf(error).message ?? 'It cannot be read' }
  }
}
