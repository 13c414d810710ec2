// Renders Liquid templates, with limits on time and size.
import {
  CaptureTag,
  Context,
  Drop,
  Liquid,
  LiquidError,
  Output,
  type Template,
  TokenKind,
  toValueSync,
  UndefinedVariableError,
} from 'liquidjs'
import { stringifyExactJson } from '../json/exact-json.js'
import { escapingFilters, inserted, outputOf, type Place } from './escaped-output.js'
import { NotEvaluated, parseOnce, type TextFault } from './parsed-texts.js'

/** Maximum length of a template. Longer ones fail to parse; the manifest allows 100,000 characters. */
const longest = 200_000
/**
 * Limits of rendering in this process. `renderMs` is checked between two tags. `memory` counts the characters and items
 * that filters create, which take up to 25 µs each. `longest` is the length of the result in characters.
 */
const here = { renderMs: 25, memory: 5_000, longest: 4_000_000 }

/** Adds the text of a `capture` to the memory count. The engine only counts what filters create. */
class CountedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context)
    context.memoryLimit.use(String(Object(context.bottom())[this.variable]).length)
  }
}

/** Creates the engine for templates of a place. */
function engineOf(place: Place): Liquid {
  const engine = new Liquid({
    // An undefined name is an error, except in `if` and in front of the filter `default`.
    strictVariables: true,
    lenientIf: true,
    strictFilters: true,
    ownPropertyOnly: true,
    templates: {},
    parseLimit: longest,
  })
  // Assigned here because the constructor's type wants a text; the result goes to the emitter as it is.
  Object.assign(engine.options, { outputEscape: inserted })
  engine.registerTag('capture', CountedCapture)
  // A template cannot include others, so these tags are removed.
  for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag]
  // The engine represents `nil` and similar values by objects of its own (Drop).
  engine.registerFilter('json', function (value) {
    // Counts against the memory limit, because a text that a template builds may be longer than all of its data.
    if (typeof value === 'string') this.context.memoryLimit.use(value.length)
    return stringifyExactJson((value instanceof Drop ? value.valueOf() : value) ?? null)
  })
  for (const name of escapingFilters[place]) {
    const filter = engine.filters[name]
    const handler = typeof filter === 'function' ? filter : filter?.handler
    if (handler) engine.registerFilter(name, { handler, raw: true })
  }
  return engine
}

/** An engine for each place, and its templates. */
interface Parser {
  engine: Liquid
  parse(text: string): Template[]
}

function parserOf(place: Place): Parser {
  const engine = engineOf(place)
  return { engine, parse: parseOnce((text: string) => engine.parse(text)) }
}

const parsers: Record<Place, Parser> = {
  text: parserOf('text'),
  address: parserOf('address'),
  json: parserOf('json'),
  form: parserOf('form'),
  markup: parserOf('markup'),
}

/** Parses a template and returns its syntax error, or undefined if it has none. */
export function templateFault(text: string): TextFault | undefined {
  try {
    parsers.text.parse(text)
    return undefined
  } catch (error) {
    const [line = 1, column = 1] = error instanceof LiquidError ? error.token.getPosition() : []
    return { line, column, message: withoutPlace(error) }
  }
}

/** Filters whose cost is proportional to the length of their value. */
const linear = ['json', 'default', 'append', 'prepend', 'strip', 'upcase', 'downcase', 'escape', 'xml_escape', 'raw']
  .concat(['url_encode', 'cgi_escape', 'uri_escape', 'base64_encode', 'plus', 'minus', 'times', 'divided_by', 'round'])
  // The name that the engine gives to `outputEscape`.
  .concat(String(Object.prototype.toString.call(inserted)))

/**
 * Tells whether a template only inserts values, so that rendering costs no more than writing its data as JSON. Returns
 * false for a template that does not parse.
 */
export function isLinear(text: string): boolean {
  if (!isTemplate(text)) return true
  if (templateFault(text)) return false
  return parsers.text.parse(text).every(part => {
    if (!(part instanceof Output)) return part.token.kind === TokenKind.HTML
    const { initial, filters } = part.value
    return initial.postfix.length === 1 && filters.every(({ name }) => linear.includes(name))
  })
}

/** Tells whether a text contains any Liquid. Most texts of a manifest do not. */
const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

/**
 * Renders a template in this process. Its values are escaped for the place, except where an author says `raw`.
 * @throws NotEvaluated if the template does not parse, uses an undefined name, or exceeds its time or memory.
 */
export function render(
  text: string,
  scope: object,
  place: Place = 'text',
  { renderMs, memory, longest } = here,
): string {
  if (!isTemplate(text)) return text
  try {
    const { engine, parse } = parsers[place]
    const parts = parse(text)
    // The engine measures wall-clock time from the creation of the context. On a busy machine that would stop templates
    // that cost next to nothing, so those have no limit.
    const renderLimit = isLinear(text) ? Number.POSITIVE_INFINITY : renderMs
    const options = { sync: true, renderLimit, memoryLimit: memory }
    const context = new Context(scope, engine.options, options, { liquid: engine })
    return String(toValueSync(engine.renderer.renderTemplates(parts, context, outputOf(place, longest, outputTooLong))))
  } catch (error) {
    if (!(error instanceof LiquidError)) {
      const lacked = lackedBy(error)
      throw new NotEvaluated(`The template: ${lacked ? limits[lacked] : 'it cannot be rendered'}.`, undefined, lacked)
    }
    const [line, column] = error.token.getPosition()
    const missing = missingName(error)
    const why = missing === undefined ? reasonOf(error) : `there is no '${missing}'`
    throw new NotEvaluated(`Line ${line}, column ${column} of the template: ${why}.`, missing, lackedBy(error))
  }
}

/** The messages of the engine's own limit errors, by which they are recognized. */
const limits = { time: 'template render limit exceeded', memory: 'memory alloc limit exceeded' }
const outputTooLong = () => new Error(limits.memory)

function lackedBy(error: unknown): 'time' | 'memory' | undefined {
  const message = error instanceof Error ? error.message : ''
  if (message.includes(limits.time)) return 'time'
  return message.includes(limits.memory) ? 'memory' : undefined
}

function missingName(error: LiquidError): string | undefined {
  const { variableName }: { variableName?: unknown } = Object(error.originalError)
  return error instanceof UndefinedVariableError && typeof variableName === 'string' ? variableName : undefined
}

/** Returns a message only for the engine's limit errors, since any other may quote a value. */
function reasonOf(error: Error): string {
  const lacked = lackedBy(error)
  return lacked ? limits[lacked] : 'it cannot be rendered'
}

const withoutPlace = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/, line:\d+, col:\d+$/, '')
