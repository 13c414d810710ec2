// Makes JSONata handle numbers that a double would not write as they are (ExactNumber) without losing their digits.
import jsonata from 'jsonata'
import { stringifyExactJson } from '../json/exact-json.js'
import { ExactNumber, parseLossless } from '../json/exact-number.js'

/** A built-in JSONata function, in the form that evaluating `$sum` returns. */
interface BuiltIn {
  implementation(this: unknown, ...args: unknown[]): unknown
  signature: { validate(args: unknown[], context: unknown): unknown[] }
}

/** Variables that hold our conversions. An author cannot refer to them, because JSONata variables contain no spaces. */
const asNumber = 'as number'
const asComparable = 'as comparable'
const asText = 'as text'

/** Built-in functions that work on doubles, so their ExactNumber arguments are rounded first. */
const ofNumbers = [
  ...['abs', 'average', 'boolean', 'ceil', 'floor', 'formatBase', 'formatInteger', 'formatNumber', 'fromMillis'],
  ...['match', 'max', 'min', 'not', 'number', 'pad', 'power', 'replace', 'round', 'split', 'sqrt', 'substring', 'sum'],
  'type',
]

/** The binary operators by what their operands become. */
const operands: Record<string, string> = {
  ...Object.fromEntries(
    ['+', '-', '*', '/', '%', '<', '<=', '>', '>=', '..', 'and', 'or'].map(sign => [sign, asNumber]),
  ),
  ...Object.fromEntries(['=', '!=', 'in'].map(sign => [sign, asComparable])),
  '&': asText,
}

const rounded = (value: unknown): unknown => {
  if (value instanceof ExactNumber) return Number(value.text)
  return Array.isArray(value) ? value.map(rounded) : value
}

/** Turns an ExactNumber into the double that equals it, if there is one: `77.50` equals 77.5. */
const comparable = (value: unknown): unknown => {
  if (value instanceof ExactNumber) return parseLossless(value.text) instanceof ExactNumber ? value : Number(value.text)
  return Array.isArray(value) ? value.map(comparable) : value
}

/**
 * Makes a parsed expression accept an ExactNumber wherever it accepts a number. Arithmetic, comparisons, conditions,
 * indexes and sort keys use the nearest double; `=` and `in` the double that equals it; `&` the digits. Functions that only pass the value on return it unchanged. Modifies the
 * expression in place.
 */
export function acceptExactNumbers(expression: jsonata.Expression): jsonata.Expression {
  const open: unknown[] = [expression.ast()]
  const seen = new Set<unknown>()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== 'object' || node === null || node instanceof RegExp || seen.has(node)) continue
    seen.add(node)
    open.push(...Object.values(node))
    acceptInOperands(node)
  }
  return expression
}

function acceptInOperands(node: {
  type?: unknown
  value?: unknown
  lhs?: unknown
  rhs?: unknown
  expression?: unknown
  condition?: unknown
  expr?: unknown
}) {
  const { type, value } = node
  const as = type === 'binary' ? operands[String(value)] : undefined
  if (as !== undefined) {
    node.lhs = call(as, node.lhs)
    node.rhs = call(as, node.rhs)
  }
  if (type === 'condition') node.condition = call(asNumber, node.condition)
  // An index or a condition in brackets. A literal index is told from others by its type.
  if (type === 'filter' && Object(node.expr).type !== 'number') node.expr = call(asNumber, node.expr)
  const isNegation = type === 'unary' && value === '-'
  // One sort key of an order-by clause; the parser gives these nodes no type.
  const isTerm = type === undefined && 'descending' in node
  if (isNegation || isTerm) node.expression = call(asNumber, node.expression)
}

const call = (name: string, argument: unknown) => ({
  type: 'function',
  value: '(',
  procedure: { type: 'variable', value: name },
  arguments: [argument],
})

/** Returns the variables that an expression changed by {@link acceptExactNumbers} must be evaluated with. */
export async function exactFunctions(): Promise<Record<string, unknown>> {
  const builtIn = async (name: string): Promise<BuiltIn> => jsonata(`$${name}`).evaluate({})
  const [string, sort] = [await builtIn('string'), await builtIn('sort')]
  const text = function (this: unknown, value: unknown, prettify: unknown = false) {
    if (value === undefined) return undefined
    return stringifyExactJson(value, each => String(string.implementation.call(this, each, prettify)))
  }
  const calculating = ofNumbers.map(async name => {
    const { signature, ...rest } = await builtIn(name)
    const validate = (args: unknown[], context: unknown) => signature.validate(args.map(rounded), rounded(context))
    return [name, { ...rest, signature: { ...signature, validate } }] as const
  })
  return {
    ...Object.fromEntries(await Promise.all(calculating)),
    string: { ...string, implementation: text },
    sort: {
      ...sort,
      implementation(this: unknown, list: unknown, comparator = Array.isArray(list) ? orderOf(list) : undefined) {
        return sort.implementation.call(this, list, comparator)
      },
    },
    [asNumber]: rounded,
    [asComparable]: comparable,
    [asText]: (value: unknown) => (typeof value === 'object' && value !== null ? text(value) : value),
  }
}

/**
 * Returns a comparator for a list that contains an ExactNumber. Returns undefined for other lists, which JSONata sorts
 * itself.
 */
function orderOf(list: readonly unknown[]): ((a: unknown, b: unknown) => boolean) | undefined {
  if (!list.some(each => each instanceof ExactNumber)) return undefined
  return (a, b) => Number(a) > Number(b)
}
