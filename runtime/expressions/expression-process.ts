// Evaluates expressions and templates in a confined child process, which runtime/expressions/expressions.ts kills when
// an evaluation takes too long.
import jsonata from 'jsonata'
import { hasExactNumber, parseJsonAsWritten, stringifyExactJson } from '../json/exact-json.js'
import { answerInputs } from '../process/confined-process.js'
import type { Place } from './escaped-output.js'
import { acceptExactNumbers, exactFunctions } from './exact-expressions.js'
import { placeOf, reasonOf, saidBy } from './expression-faults.js'
import { NotEvaluated, parseOnce } from './parsed-texts.js'
import { render } from './templates.js'

/**
 * One evaluation as it is sent to the process. The scope travels as text, which is cheap to copy and keeps every digit.
 */
export interface Evaluation {
  by: 'expression' | 'template'
  text: string
  /** The input as JSON, with all digits of its numbers. */
  scope: string
  /**
   * Limits of the result as JSON, in characters and in values. They protect the calling process, which has to parse it.
   */
  longest: number
  values: number
  /** What kind of text a template produces, by which its values are escaped. By default they are not. */
  place?: Place | undefined
}

/** The rendered text, the result as JSON, or why there is none. */
export type Evaluated =
  | { made: string }
  | {
      failed: string
      /** The undefined name that caused the failure, if one did. */
      missing?: string | undefined
      /** The text with which the expression has ended itself. */
      said?: string | undefined
      /** The resource that ran out, if one did. */
      lacked?: 'time' | 'memory' | undefined
    }

/** Maximum depth of nested calls. Tail calls do not count. */
const deepest = 500
/** Approximate number of characters and list items that the filters of one template may create. */
const maxMemory = 50_000_000
/** Maximum length of a list that an expression creates. */
const maxItems = 1_000_000

const options = { stack: deepest, sequence: maxItems }
const parsed = parseOnce((text: string) => jsonata(text, options as jsonata.JsonataOptions))
/**
 * Parses expressions for input with ExactNumbers. The conversion adds a call around every operand, hence twice the
 * depth.
 */
const exactOptions = { ...options, stack: 2 * deepest }
const parsedExact = parseOnce((text: string) =>
  acceptExactNumbers(jsonata(text, exactOptions as jsonata.JsonataOptions)),
)
// Prepared at start-up so that it does not count against the time limit of the first expression.
const functionsOfExact = await exactFunctions()

async function expression({ text, scope, longest, values }: Evaluation): Promise<Evaluated> {
  try {
    const input = parseJsonAsWritten(scope)
    const isExact = hasExactNumber(input)
    const functions = isExact ? functionsOfExact : {}
    const compiled = (isExact ? parsedExact : parsed)(text)
    // `$eval` is disabled because it would run text from the input as code.
    const result: unknown = await compiled.evaluate(input, { ...functions, eval: undefined })
    // Undefined if the result is a function, which has no JSON.
    const json: string | undefined = stringifyExactJson(result ?? null)
    if (json === undefined) return { failed: 'The expression: it cannot be evaluated.' }
    const isTooLong = json.length > longest || hasMoreValues(json, values)
    return isTooLong ? { failed: 'The expression: its result is too long.' } : { made: json }
  } catch (error) {
    const { line, column, isKnown } = placeOf(text, error)
    return {
      said: saidBy(error),
      failed: `${isKnown ? `Line ${line}, column ${column} of the expression` : 'The expression'}: ${reasonOf(error)}.`,
    }
  }
}

function template({ text, scope, longest, place = 'text' }: Evaluation): Evaluated {
  try {
    return { made: render(text, Object(parseJsonAsWritten(scope)), place, { memory: maxMemory, longest }) }
  } catch (error) {
    if (!(error instanceof NotEvaluated)) throw error
    return { failed: error.message, missing: error.missing, lacked: error.lacked }
  }
}

const [quote, comma, backslash, openList, openObject] = [0x22, 0x2c, 0x5c, 0x5b, 0x7b]

/** Tells whether a JSON text holds more than `max` values, counting members, list items, lists and objects. */
function hasMoreValues(json: string, max: number): boolean {
  // Every value takes at least two characters, so a short text needs no counting.
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

answerInputs((evaluation: Evaluation) => (evaluation.by === 'template' ? template(evaluation) : expression(evaluation)))
