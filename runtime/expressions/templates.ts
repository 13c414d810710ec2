// Renders Liquid templates, with limits of time and size.
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
import { NotEvaluated, parseOnce, type TextFault } from './parsed-texts.js'

/** A text in Liquid that is longer does not parse; the manifest allows 100,000 characters. */
const longest = 200_000
/**
 * Limits of a rendering in this process. Its longest time in ms is checked between two tags. Filters make so many
 * characters and items, up to 25 µs each. The text has so many characters.
 */
const here = { renderMs: 25, memory: 5_000, longest: 4_000_000 }

const engine = new Liquid({
  // A name that means nothing is an error, but `if` and the filter `default` may ask for it.
  strictVariables: true,
  lenientIf: true,
  strictFilters: true,
  ownPropertyOnly: true,
  outputEscape: written,
  templates: {},
  parseLimit: longest,
})
/** The engine counts what filters make, and not what a template puts together itself. */
class CountedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context)
    context.memoryLimit.use(String(Object(context.bottom())[this.variable]).length)
  }
}
engine.registerTag('capture', CountedCapture)
// A template stands alone: there are no others that it could take in.
for (const tag of ['include', 'render', 'layout', 'block']) delete engine.tags[tag]
// `nil` and the like are objects of the engine's own.
engine.registerFilter('json', function (value) {
  // A template's result may be longer than all of its data.
  if (typeof value === 'string') this.context.memoryLimit.use(value.length)
  return stringifyExactJson((value instanceof Drop ? value.valueOf() : value) ?? null)
})

/** A list or an object is written as JSON, everything else as Liquid would. */
function written(value: unknown): string {
  return typeof value === 'object' && value !== null ? stringifyExactJson(value) : String(value ?? '')
}

const parsed = parseOnce((text: string): Template[] => engine.parse(text))

/** The parse error of a template. */
export function templateFault(text: string): TextFault | undefined {
  try {
    parsed(text)
    return undefined
  } catch (error) {
    const [line = 1, column = 1] = error instanceof LiquidError ? error.token.getPosition() : []
    return { line, column, message: withoutPlace(error) }
  }
}

/** Filters that take no longer than writing their value down. */
const linear = ['json', 'default', 'append', 'prepend', 'strip', 'upcase', 'downcase', 'escape', 'xml_escape']
  .concat(['url_encode', 'cgi_escape', 'uri_escape', 'base64_encode', 'plus', 'minus', 'times', 'divided_by', 'round'])
  .concat(String(Object.prototype.toString.call(written)))

/** Whether a template only fills values in, so that it costs no more than its data as JSON. False where it does not parse. */
export function isLinear(text: string): boolean {
  if (!isTemplate(text)) return true
  if (templateFault(text)) return false
  return parsed(text).every(part => {
    if (!(part instanceof Output)) return part.token.kind === TokenKind.HTML
    const { initial, filters } = part.value
    return initial.postfix.length === 1 && filters.every(({ name }) => linear.includes(name))
  })
}

/** Most texts of a manifest are plain. */
const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

/**
 * The text that a template gives, rendered in this process. Nothing is escaped: the filters `json` and `url_encode` are for that.
 * @throws NotEvaluated when it does not parse, names what there is not, or takes too much time or memory.
 */
export function render(text: string, scope: object, { renderMs, memory, longest } = here): string {
  if (!isTemplate(text)) return text
  try {
    const parts = parsed(text)
    // The engine counts real time, from the context on: a busy machine would end templates that take none of their own.
    const renderLimit = isLinear(text) ? Number.POSITIVE_INFINITY : renderMs
    const options = { sync: true, renderLimit, memoryLimit: memory }
    const context = new Context(scope, engine.options, options, { liquid: engine })
    return String(toValueSync(engine.renderer.renderTemplates(parts, context, bounded(longest))))
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

/** Takes the parts of a text, up to so many characters. */
const bounded = (longest: number) => ({
  buffer: '',
  write(part: unknown) {
    const text = written(part)
    if (this.buffer.length + text.length > longest) throw new Error(limits.memory)
    this.buffer += text
  },
})

/** As the engine's own errors say it. */
const limits = { time: 'template render limit exceeded', memory: 'memory alloc limit exceeded' }

function lackedBy(error: unknown): 'time' | 'memory' | undefined {
  const message = error instanceof Error ? error.message : ''
  if (message.includes(limits.time)) return 'time'
  return message.includes(limits.memory) ? 'memory' : undefined
}

function missingName(error: LiquidError): string | undefined {
  const { variableName }: { variableName?: unknown } = Object(error.originalError)
  return error instanceof UndefinedVariableError && typeof variableName === 'string' ? variableName : undefined
}

/** Only what the engine says itself: other messages may quote a value. */
function reasonOf(error: Error): string {
  const lacked = lackedBy(error)
  return lacked ? limits[lacked] : 'it cannot be rendered'
}

const withoutPlace = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/, line:\d+, col:\d+$/, '')
