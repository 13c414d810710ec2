// Makes JSONata handle numbers that a double cannot represent (ExactNumber) without losing their digits.
import jsonata from 'jsonata'
import { stringifyExactJson } from '../json/exact-json.js'
import { ExactNumber } from '../json/exact-number.js'

/** A built-in JSONata function, in the form that evaluating `$sum` returns. */
interface BuiltIn {
  implementation(this: unknown, ...args: unknown[]): unknown
  signature: { validate(args: unknown[], context: unknown): unknown[] }
}

/** Variables that hold our conversions. An author cannot refer to them, because JSONata variables contain no spaces. */
const asNumber = 'as number'
const asText = 'as text'

/** Built-in functions that work on doubles, so their ExactNumber arguments are rounded first. */
const ofNumbers = [
  ...['abs', 'average', 'ceil', 'floor', 'formatBase', 'formatInteger', 'formatNumber', 'fromMillis', 'max', 'min'],
  ...['number', 'power', 'round', 'sqrt', 'sum', 'type'],
]

const rounded = (value: unknown): unknown => {
  if (value instanceof ExactNumber) return Number(value.text)
  return Array.isArray(value) ? value.map(rounded) : value
}

/**
 * Makes a parsed expression accept an ExactNumber wherever it accepts a number. Arithmetic, comparisons and sort keys
 * use the nearest double; `&` uses the digits. Functions that only pass the value on return it unchanged. Modifies the
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
}) {
  const { type, value } = node
  if (
    type === 'binary' &&
    typeof value === 'string' &&
    ['+', '-', '*', '/', '%', '<', '<=', '>', '>=', '..', '&'].includes(value)
  ) {
    const as = value === '&' ? asText : asNumber
    node.lhs = call(as, node.lhs)
    node.rhs = call(as, node.rhs)
  }
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
