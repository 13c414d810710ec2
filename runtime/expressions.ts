import { createContext, Script } from 'node:vm'
import jsonata from 'jsonata'
import { kept, NotEvaluated, type TextFault } from './author-text.js'
import { acceptExactNumbers, exactFunctions } from './exact-expressions.js'
import { hasExactNumber, parseLosslessJson, stringifyExactJson } from './exact-json.js'

/** Longest evaluation in ms: it holds up everything else in the process. By the clock on the wall, so a busy machine needs some more. */
const evaluateMs = 5_000
/** Deepest nesting of calls; a call in tail position does not count. */
const deepest = 500
/** Most items of a list that is made. */
const mostItems = 1_000_000

/** Matches a pattern within a time: some patterns take for ever on a text that is made for it, and nothing else stops them. */
class LimitedRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    // No pattern takes long on so few characters, and the limit costs some 0.15 ms.
    if (text.length <= 20) return super.exec(text)
    const room: { match?: RegExpExecArray | null } = {}
    Object.assign(sandbox, { match: () => (room.match = super.exec(text)) })
    match.runInContext(sandbox, { timeout: evaluateMs / 5 })
    return room.match ?? null
  }
}
const sandbox = createContext({})
const match = new Script('match()')

const options = { timeout: evaluateMs, stack: deepest, sequence: mostItems, RegexEngine: LimitedRegExp }
const parsed = kept((text: string) => jsonata(text, options as jsonata.JsonataOptions))
/** The same for data with numbers that no double holds. Their conversion is a call around every operand. */
const exactOptions = { ...options, stack: 2 * deepest }
const parsedExact = kept((text: string) => acceptExactNumbers(jsonata(text, exactOptions as jsonata.JsonataOptions)))
const functionsOfExact = exactFunctions()

/** What is wrong with an expression that does not parse. */
export function expressionFault(text: string): TextFault | undefined {
  try {
    parsed(text)
    return undefined
  } catch (error) {
    return { ...placeOf(text, error), message: faultOf(error).message ?? 'It cannot be read' }
  }
}

/**
 * What an expression gives on `scope`, as plain JSON: null where that is nothing. It calculates with doubles; an ExactNumber
 * that it hands on, or makes a text of, keeps its digits.
 * @throws NotEvaluated when it does not parse, fails, or takes too much time or depth.
 */
export async function evaluate(text: string, scope: object): Promise<unknown> {
  try {
    const isExact = hasExactNumber(scope)
    const functions = isExact ? await functionsOfExact : {}
    // No `$eval`: data is no code.
    const result: unknown = await (isExact ? parsedExact : parsed)(text).evaluate(scope, {
      ...functions,
      eval: undefined,
    })
    // Its lists carry marks of their own, and a function in it is no JSON.
    return parseLosslessJson(stringifyExactJson(result ?? null))
  } catch (error) {
    const { code = '', position } = faultOf(error)
    const { line, column } = placeOf(text, error)
    const place = position === undefined ? 'The expression' : `Line ${line}, column ${column} of the expression`
    throw new NotEvaluated(`${place}: ${reasons[code] ?? (code ? `JSONata ${code}` : 'it cannot be evaluated')}.`)
  }
}

/** The library's own messages quote values. */
const reasons: Record<string, string> = {
  D1011: 'it calls itself too deeply',
  D1012: 'it takes too long',
  ERR_SCRIPT_EXECUTION_TIMEOUT: 'it takes too long',
  D2014: 'its list is too long',
  D2015: 'its list is too long',
  T1006: 'it calls what is no function',
}

/** Of the token at which an error was found; the library says where it ends. */
function placeOf(text: string, error: unknown): { line: number; column: number } {
  const { position = 0, token } = faultOf(error)
  const isThere = typeof token === 'string' && text.endsWith(token, position)
  const before = text.slice(0, isThere ? position - token.length : position).split('\n')
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

/** The library throws objects that are no errors. */
const faultOf = (error: unknown): Partial<jsonata.JsonataError> => Object(error)
