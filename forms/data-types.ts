import type { Control, DataType } from './template.js'
import type { Annotation, Content, DateKind } from './values.js'

/** What a value turned out to be: itself in its one way of writing, or what is wrong with it. */
export type Checked = { content: Content } | { code: string; detail: string }

/** Largest file behind a data URL where the control does not say, in bytes. */
export const defaultMaxBytes = 2 * 1024 * 1024
/** Longest text where the control does not say, in characters. */
export const defaultMaxLength = 10_000

const fault = (code: string, detail: string): Checked => ({ code, detail })
const single = (value: string): Checked => ({ content: { type: 'single-value', value } })

/** The text of a value that is written as one; undefined for another. Numbers of many digits come as objects that write themselves. */
export function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  if (typeof given === 'number' || typeof given === 'boolean') return String(given)
  const written = typeof given === 'object' && given !== null && 'toJSON' in given
  return written ? String(given) : undefined
}

/** The member of an object; undefined of anything else. */
export const memberOf = (given: unknown, name: string): unknown =>
  typeof given === 'object' && given !== null && Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined

/** A whole number of at most 18 digits. */
const integer = scalar(text => {
  const plain = /^[+-]?\d{1,18}$/.test(text) ? text : undefined
  return plain === undefined ? undefined : String(BigInt(plain.replace(/^\+/, '')))
}, 'a whole number')

/** A decimal number; its digits stay as they are written. */
const decimal = scalar(text => {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d{0,18})(?:[.,](\d{1,18}))?$/.exec(text) ?? []
  if (whole === '' && fraction === '') return undefined
  const digits = `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction && `.${fraction}`}`
  return sign === '-' && /[1-9]/.test(digits) ? `-${digits}` : digits
}, 'a number')

const boolean = scalar(
  text => (/^(true|false)$/i.test(text) ? text.toLowerCase() : undefined),
  'yes or no (true or false)',
)

const time = scalar(text => {
  const [, hours, minutes, seconds] = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.0+)?)?$/.exec(text) ?? []
  return hours === undefined ? undefined : `${hours}:${minutes}:${seconds ?? '00'}`
}, 'a time (hh:mm)')

/** A moment; one without a zone stays without, as a clock on the wall showed it. */
const datetime = scalar(text => {
  const [, day = '', clock = '', zone = ''] =
    /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/i.exec(text) ?? []
  const whole = /^\d\d:\d\d$/.test(clock) ? `${clock}:00` : clock
  if (!isDay(day) || Number.isNaN(Date.parse(`${day}T${whole}${zone || 'Z'}`))) return undefined
  return zone === '' ? `${day}T${whole}` : new Date(`${day}T${whole}${zone}`).toISOString()
}, 'a date and time (yyyy-mm-ddThh:mm)')

const url = scalar(text => {
  const parsed = /^https?:\/\//i.test(text) && text.length <= 2_000 && URL.canParse(text) ? new URL(text) : undefined
  return parsed?.href
}, 'a web address (https://…)')

function date(control: Control, given: unknown): Checked {
  const text = textOf(memberOf(given, 'date') ?? given)?.trim()
  const [, year, month = '', day = ''] = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(text ?? '') ?? []
  const first = `${year}-${month || '01'}-${day || '01'}`
  const written: DateKind = day ? 'yyyy-MM-dd' : month ? 'yyyy-MM' : 'yyyy'
  const kind = dateKindOf(memberOf(given, 'dateKind')) ?? written
  const shape = control.partial ? 'a date, a month or a year (yyyy-mm-dd, yyyy-mm or yyyy)' : 'a date (yyyy-mm-dd)'
  const isSound = isDay(first) && (control.partial || day !== '') && kind.length <= written.length
  if (!isSound) return fault('date', `It is not ${shape}.`)
  const out = outOfRange(control, first)
  if (out) return out
  if (!control.partial) return single(first)
  return { content: { type: 'partial-date', dateKind: kind, date: first } }
}

const dateKinds: readonly DateKind[] = ['yyyy', 'yyyy-MM', 'yyyy-MM-dd']
const dateKindOf = (given: unknown): DateKind | undefined => dateKinds.find(kind => kind === given)

/** True for a day that the calendar has. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

/** A text, also one that looks like markup: it stays text. */
function string(control: Control, given: unknown): Checked {
  const text = textOf(given)
  if (text === undefined) return fault('string', 'It is not a text.')
  const wrong = textFault(control, text)
  return wrong ?? single(text)
}

function textFault(
  { minLength = 0, maxLength = defaultMaxLength, pattern }: Control,
  text: string,
): Checked | undefined {
  const length = [...text].length
  // What XML 1.0 cannot hold could never be delivered.
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text))
    return fault('characters', 'It has control characters.')
  if (length < minLength) return fault('too-short', `It has ${length} characters; ${minLength} are needed.`)
  if (length > maxLength) return fault('too-long', `It has ${length} characters; at most ${maxLength} are allowed.`)
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, 'u').test(text))
    return fault('pattern', 'It does not have the form that is asked for.')
  return undefined
}

function dataUrl({ mediaTypes, maxBytes = defaultMaxBytes }: Control, given: unknown): Checked {
  const text = textOf(given) ?? ''
  const comma = text.indexOf(',', 5)
  const [, mediaType = ''] =
    /^data:([a-z\d]+\/[a-z\d.+-]+)(?:;[a-z\d-]+=[^;,"]+)*;base64$/i.exec(text.slice(0, Math.min(comma, 300))) ?? []
  const content = text.slice(comma + 1)
  if (mediaType === '' || content.length % 4 !== 0 || !/^[A-Za-z\d+/]*={0,2}$/.test(content)) {
    return fault('data-url', 'It is not a file as a data URL (data:<media type>;base64,…).')
  }
  const bytes = (content.length / 4) * 3 - (content.endsWith('==') ? 2 : content.endsWith('=') ? 1 : 0)
  if (bytes > maxBytes)
    return fault('too-large', `The file has ${sizeOf(bytes)}; at most ${sizeOf(maxBytes)} are allowed.`)
  const fits = (allowed: string) => mediaType.toLowerCase().startsWith(allowed.replace(/\*$/, '').toLowerCase())
  if (mediaTypes && !mediaTypes.some(fits))
    return fault('media-type', `The file is ${mediaType}; allowed: ${mediaTypes.join(', ')}.`)
  return single(text)
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`

function geolocation(_: Control, given: unknown): Checked {
  const [latitude, longitude] = ['latitude', 'longitude'].map(name => numberOf(memberOf(given, name)))
  if (latitude === undefined || longitude === undefined || Math.abs(latitude) > 90 || Math.abs(longitude) > 180) {
    return fault('geolocation', 'It is not a place: a latitude from -90 to 90 and a longitude from -180 to 180.')
  }
  return { content: { type: 'geolocation', latitude, longitude } }
}

const numberOf = (given: unknown): number | undefined => {
  const text = textOf(given)?.trim().replace(',', '.') ?? ''
  return /^[+-]?\d{1,18}(\.\d{1,18})?$/.test(text) ? Number(text) : undefined
}

function annotatedImage(control: Control, given: unknown): Checked {
  const list = memberOf(given, 'annotations')
  if (!Array.isArray(list))
    return fault('annotated-image', 'It is not a list of pins: {"annotations": [{"x", "y", "value"}]}.')
  if (list.length > 100) return fault('too-many', `There are ${list.length} pins; at most 100 are allowed.`)
  const annotations: Annotation[] = []
  for (const [n, pin] of list.entries()) {
    const [x, y] = ['x', 'y'].map(name => numberOf(memberOf(pin, name)))
    const value = textOf(memberOf(pin, 'value') ?? '')
    const isPlace = x !== undefined && y !== undefined && Math.min(x, y) >= 0 && Math.max(x, y) <= 100
    if (!isPlace)
      return fault('pin', `Pin ${n + 1} is not on the picture: x and y are per cent of its width and height.`)
    const wrong =
      value === undefined ? fault('string', 'it has no text.') : textFault({ ...control, pattern: undefined }, value)
    if (value === undefined || wrong)
      return fault('pin', `Pin ${n + 1}: ${wrong && 'detail' in wrong ? wrong.detail : ''}`)
    annotations.push({ position: n + 1, value, x, y })
  }
  return { content: { type: 'annotated-image', annotations } }
}

function translatableText(control: Control, given: unknown, language: string): Checked {
  const original = textOf(memberOf(given, 'originalText') ?? given)
  if (original === undefined) return fault('translatable-text-value', 'It is not a text.')
  const wrong = textFault(control, original)
  if (wrong) return wrong
  const optional = (name: string) => textOf(memberOf(given, name) ?? undefined) ?? null
  const source = optional('sourceLanguageCode') ?? language
  const target = optional('targetLanguageCode') ?? control.targetLanguage ?? null
  if (![source, target ?? source].every(code => /^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(code)))
    return fault('language', 'A language is not named by its code, such as en or pt-BR.')
  const at = optional('translatedDateTime')
  const moment = at === null ? null : datetime({ ...control, min: undefined, max: undefined }, at)
  if (moment && !('content' in moment)) return fault('datetime', 'translatedDateTime is not a date and time.')
  const translatedDateTime = moment?.content.type === 'single-value' ? moment.content.value : null
  const translatedText = optional('translatedText')
  const wrongToo =
    translatedText === null ? undefined : textFault({ ...control, minLength: 0, pattern: undefined }, translatedText)
  if (wrongToo) return wrongToo
  return {
    content: {
      type: 'translatable-text-value',
      originalText: original,
      translatedText,
      sourceLanguageCode: source,
      targetLanguageCode: target,
      translatedDateTime,
    },
  }
}

/** A value that is one text in one way of writing. */
function scalar(written: (text: string) => string | undefined, what: string) {
  return (control: Control, given: unknown): Checked => {
    const text = textOf(given)?.trim()
    const value = text === undefined ? undefined : written(text)
    if (value === undefined) return fault(control.dataType, `It is not ${what}.`)
    return outOfRange(control, value) ?? single(value)
  }
}

function outOfRange({ min, max, dataType, unit }: Control, value: string): Checked | undefined {
  const isNumber = dataType === 'integer' || dataType === 'decimal'
  const isBelow = (a: string, b: string) => (isNumber ? Number(a) < Number(b) : comparable(a) < comparable(b))
  const shown = (bound: string) => `${bound}${unit ? ` ${unit}` : ''}`
  if (min !== undefined && isBelow(value, min)) return fault('too-low', `It is less than ${shown(min)}.`)
  if (max !== undefined && isBelow(max, value)) return fault('too-high', `It is more than ${shown(max)}.`)
  return undefined
}

/** Moments with a zone compare as such, everything else as it is written. */
const comparable = (text: string): string => (/T.*(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text).toISOString() : text)

/** One function for each data type: it checks a value that is there, for the API and the page alike. */
export const checks: Record<DataType, (control: Control, given: unknown, language: string) => Checked> = {
  integer,
  decimal,
  string,
  boolean,
  date,
  time,
  datetime,
  'annotated-image': annotatedImage,
  geolocation,
  html: string,
  'data-url': dataUrl,
  url,
  'translatable-text-value': translatableText,
}
