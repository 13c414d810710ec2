// Evaluates JSONata expressions and Liquid templates in confined child processes, with limits on time and memory.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isBulkheadRejectedError } from 'cockatiel'
import jsonata from 'jsonata'
import { parseJsonAsWritten, stringifyExactJson } from '../json/exact-json.js'
import { createBulkheads } from '../load/bulkheads.js'
import { Problem } from '../problems/problem.js'
import { createProcessPool, ProcessEnded, type ProcessPool } from '../process/process-pool.js'
import { processorMs } from '../process/processor-time.js'
import type { Place } from './escaped-output.js'
import { faultOf, placeOf } from './expression-faults.js'
import type { Evaluated, Evaluation } from './expression-process.js'
import { NotEvaluated, type TextFault } from './parsed-texts.js'
import { followed } from './simple-jsonata-paths.js'
import { isTemplate } from './templates.js'

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
/** At least two, so that one is left when the other was killed. */
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
export type Kind = keyof typeof limits

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

/**
 * Creates an evaluator whose child processes start when they are first needed. Threads would not do: V8 ends the whole
 * process when a thread runs out of heap. Only texts that leave nothing to run are resolved in this process: plain
 * paths, and templates without tags.
 * @param file path of the compiled program that the child processes run.
 */
export function createEvaluator(file = fileURLToPath(new URL('./expression-process.js', import.meta.url))): Evaluator {
  const pools = {
    request: createProcessPool({ file, processes, heapMb }),
    job: createProcessPool({ file, processes, heapMb }),
  }
  const tenants = { request: createBulkheads<number>(1, maxWaiting), job: createBulkheads<number>(1, maxWaiting) }

  async function made(tenant: number, kind: Kind, evaluation: Pick<Evaluation, 'by' | 'text' | 'scope' | 'place'>) {
    const { ms, restMs, ...max } = limits[kind]
    const outcome = await new Promise<Evaluated>((resolve, reject) => {
      const evaluate = async () => {
        const outcome = await inProcess(pools[kind], { ...evaluation, ...max }, ms)
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
      const json = stringifyExactJson(scope)
      return parseJsonAsWritten(await made(tenant, kind, { by: 'expression', text, scope: json }))
    },

    async template(tenant, kind, text, scope, place) {
      if (!isTemplate(text)) return text
      // Most templates read one member of several, and the others may be large.
      const read = Object.fromEntries(Object.entries(scope).filter(([name]) => text.includes(name)))
      return made(tenant, kind, { by: 'template', text, scope: stringifyExactJson(read), place })
    },
  }
}

/** Evaluates in a process that is killed after `ms` of processor time. */
async function inProcess(pool: ProcessPool, evaluation: Evaluation, ms: number): Promise<Evaluated> {
  const end = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // The time that the evaluation spends waiting for a free process does not count.
  const watch = (pid: number) => {
    const [began, usedBefore] = [Date.now(), processorMs(pid)]
    const look = (afterMs: number) => {
      timer = setTimeout(() => {
        const used = (processorMs(pid) ?? Number.POSITIVE_INFINITY) - (usedBefore ?? 0)
        // On a busy machine the process has had less processor time than has passed, so look again later.
        if (used < ms && Date.now() - began < ms * longestWait) look(Math.max(ms - used, 10))
        else end.abort()
      }, afterMs)
    }
    look(ms)
  }
  try {
    return await pool.run<Evaluated>(evaluation, end.signal, watch)
  } catch (error) {
    // The process reports every other failure itself.
    if (!(error instanceof ProcessEnded && error.hasBegun)) throw error
    return tooMuch(evaluation.by, end.signal.aborted ? 'time' : 'memory')
  } finally {
    clearTimeout(timer)
  }
}

const tooMuch = (by: Evaluation['by'], lacked: 'time' | 'memory'): Evaluated => ({
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
