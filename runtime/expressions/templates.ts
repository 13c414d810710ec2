// Parses and renders Liquid templates, with limits on size.
import {
  CaptureTag,
  Context,
  Drop,
  Liquid,
  LiquidError,
  type Template,
  toValueSync,
  UndefinedVariableError,
} from 'liquidjs'
import { stringifyExactJson } from '../json/exact-json.js'
import { escapingFilters, inserted, outputOf, type Place } from './escaped-output.js'
import { NotEvaluated, parseOnce, type TextFault } from './parsed-texts.js'

/** Maximum length of a template. Longer ones fail to parse; the manifest allows 100,000 characters. */
const longest = 200_000

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

/** Tells whether a text contains any Liquid. Most texts of a manifest do not. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

/** `memory` counts the characters and items that filters create; `longest` is the length of the result in characters. */
interface RenderLimits {
  memory: number
  longest: number
}

/**
 * Renders a template in the process of expressions. Its values are escaped for the place, except where an author says
 * `raw`.
 * @throws NotEvaluated if the template does not parse, uses an undefined name, or exceeds its limits.
 */
export function render(text: string, scope: object, place: Place, { memory, longest }: RenderLimits): string {
  if (!isTemplate(text)) return text
  try {
    const { engine, parse } = parsers[place]
    const parts = parse(text)
    const context = new Context(scope, engine.options, { sync: true, memoryLimit: memory }, { liquid: engine })
    return String(toValueSync(engine.renderer.renderTemplates(parts, context, outputOf(place, longest, outputTooLong))))
  } catch (error) {
    const lacked = lacksMemory(error) ? 'memory' : undefined
    const reason = lacked ? tooMuchMemory : 'it cannot be rendered'
    if (!(error instanceof LiquidError)) throw new NotEvaluated(`The template: ${reason}.`, undefined, lacked)
    const [line, column] = error.token.getPosition()
    const missing = missingName(error)
    const why = missing === undefined ? reason : `there is no '${missing}'`
    throw new NotEvaluated(`Line ${line}, column ${column} of the template: ${why}.`, missing, lacked)
  }
}

/** The engine's message beyond its limit of memory. Only this one is passed on: others may quote a value. */
const tooMuchMemory = 'memory alloc limit exceeded'
const outputTooLong = () => new Error(tooMuchMemory)

function missingName(error: LiquidError): string | undefined {
  const { variableName }: { variableName?: unknown } = Object(error.originalError)
  return error instanceof UndefinedVariableError && typeof variableName === 'string' ? variableName : undefined
}

const lacksMemory = (error: unknown): boolean => error instanceof Error && error.message.includes(tooMuchMemory)

const withoutPlace = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/, line:\d+, col:\d+$/, '')
