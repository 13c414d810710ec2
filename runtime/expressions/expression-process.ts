// Runs in a child process of runtime/expressions/expressions.ts, which ends it where an expression takes too long.
import { Worker } from 'node:worker_threads'
import jsonata from 'jsonata'
import { hasExactNumber, parseLosslessJson, stringifyExactJson } from '../json/exact-json.js'
import { acceptExactNumbers, exactFunctions } from './exact-expressions.js'
import { placeOf, reasonOf } from './expression-faults.js'
import { NotEvaluated, parseOnce } from './parsed-texts.js'
import { render } from './templates.js'

/** Input of the process. Texts, since a copy of a text costs little and loses no digits. */
export interface Evaluation {
  text: string
  /** JSON, numbers with all their digits. */
  scope: string
  /** Most characters of the result as JSON, and values in it: the process that asked parses it. */
  longest: number
  values: number
}

/** The text of a template or the result of an expression as JSON; or why there is none, and which name it has not. */
export type Evaluated = { made: string } | { failed: string; missing?: string | undefined; lacked?: undefined }

/** Deepest nesting of calls; a call in tail position does not count. */
const deepest = 500
/** Characters and items that one rendering may make, about. */
const maxMemory = 50_000_000
/** Most items of a list that is made. */
const maxItems = 1_000_000

const options = { stack: deepest, sequence: maxItems }
const parsed = parseOnce((text: string) => jsonata(text, options as jsonata.JsonataOptions))
/** The same for data with numbers that no double holds. Their conversion is a call around every operand. */
const exactOptions = { ...options, stack: 2 * deepest }
const parsedExact = parseOnce((text: string) =>
  acceptExactNumbers(jsonata(text, exactOptions as jsonata.JsonataOptions)),
)
// Before the first expression, whose time is short.
const functionsOfExact = await exactFunctions()

export async function expression({ text, scope, longest, values }: Evaluation): Promise<Evaluated> {
  // The time of the expression counts from here.
  process.send?.(process.pid)
  try {
    const input = parseLosslessJson(scope)
    const isExact = hasExactNumber(input)
    const functions = isExact ? functionsOfExact : {}
    const compiled = (isExact ? parsedExact : parsed)(text)
    // No `$eval`: data is no code.
    const result: unknown = await compiled.evaluate(input, { ...functions, eval: undefined })
    // A function in it is no JSON.
    const json: string | undefined = stringifyExactJson(result ?? null)
    if (json === undefined) return { failed: 'The expression: it cannot be evaluated.' }
    const isTooLong = json.length > longest || hasMoreValues(json, values)
    return isTooLong ? { failed: 'The expression: its result is too long.' } : { made: json }
  } catch (error) {
    const { line, column, isKnown } = placeOf(text, error)
    return {
      failed: `${isKnown ? `Line ${line}, column ${column} of the expression` : 'The expression'}: ${reasonOf(error)}.`,
    }
  }
}

export function template({ text, scope, longest }: Evaluation): Evaluated {
  process.send?.(process.pid)
  try {
    const limits = { renderMs: Number.POSITIVE_INFINITY, memory: maxMemory, longest }
    return { made: render(text, Object(parseLosslessJson(scope)), limits) }
  } catch (error) {
    if (!(error instanceof NotEvaluated)) throw error
    return { failed: error.message, missing: error.missing }
  }
}

const [quote, comma, backslash, openList, openObject] = [0x22, 0x2c, 0x5c, 0x5b, 0x7b]

/** Whether a JSON text has more members, items, lists and objects than so many. */
function hasMoreValues(json: string, max: number): boolean {
  // No value has less than two characters.
  if (json.length <= 2 * max) return false
  let values = 0
  let isInText = false
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at)
    if (character === quote) isInText = !isInText
    else if (isInText) at += character === backslash ? 1 : 0
    else if (character === comma || character === openList || character === openObject) values++
  }
  return values > max
}

// A busy process does not see that its parent is gone; a thread of its own does.
const watch = `const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1000)`
new Worker(watch, { eval: true }).unref()
