import { Drop, Liquid, LiquidError, type Template, UndefinedVariableError } from 'liquidjs'
import { kept, NotEvaluated, type TextFault } from './author-text.js'
import { stringifyExactJson } from './exact-json.js'

/** A text in Liquid that is longer does not parse; the manifest allows 100,000 characters. */
const longest = 200_000
/** Longest rendering in ms: it holds up everything else in the process. */
const renderMs = 500
/** Characters and items that one rendering may make, about. */
const mostMemory = 50_000_000

const engine = new Liquid({
  // A name that means nothing is an error, but `if` and the filter `default` may ask for it.
  strictVariables: true,
  lenientIf: true,
  strictFilters: true,
  ownPropertyOnly: true,
  outputEscape: written,
  templates: {},
  parseLimit: longest,
  renderLimit: renderMs,
  memoryLimit: mostMemory,
})
// A template stands alone: there are no others that it could take in.
for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag]
// `nil` and the like are objects of the engine's own.
engine.registerFilter('json', value => stringifyExactJson((value instanceof Drop ? value.valueOf() : value) ?? null))

/** A list or an object is written as JSON, everything else as Liquid would. */
function written(value: unknown): string {
  return typeof value === 'object' && value !== null ? stringifyExactJson(value) : String(value ?? '')
}

const parsed = kept((text: string): Template[] => engine.parse(text))

/** What is wrong with a template that does not parse. */
export function templateFault(text: string): TextFault | undefined {
  try {
    parsed(text)
    return undefined
  } catch (error) {
    const [line = 1, column = 1] = error instanceof LiquidError ? error.token.getPosition() : []
    return { line, column, message: withoutPlace(error) }
  }
}

/**
 * The text that a template gives. Nothing is escaped: the filters `json` and `url_encode` are for that.
 * @throws NotEvaluated when it does not parse, names what there is not, or takes too much time or memory.
 */
export function render(text: string, scope: object): string {
  // Most texts of a manifest are plain.
  if (!text.includes('{{') && !text.includes('{%')) return text
  try {
    return String(engine.renderSync(parsed(text), scope))
  } catch (error) {
    if (!(error instanceof LiquidError)) throw new NotEvaluated('The template cannot be rendered.')
    const [line, column] = error.token.getPosition()
    const missing = missingName(error)
    const why = missing === undefined ? reasonOf(error) : `there is no '${missing}'`
    throw new NotEvaluated(`Line ${line}, column ${column} of the template: ${why}.`, missing)
  }
}

function missingName(error: LiquidError): string | undefined {
  const { variableName }: { variableName?: unknown } = Object(error.originalError)
  return error instanceof UndefinedVariableError && typeof variableName === 'string' ? variableName : undefined
}

/** Only what the engine says itself: other messages may quote a value. */
const reasonOf = (error: Error): string =>
  /(memory alloc|template render) limit exceeded/.exec(error.message)?.[0] ?? 'it cannot be rendered'

const withoutPlace = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/, line:\d+, col:\d+$/, '')
