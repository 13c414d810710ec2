// JSON with numbers that keep their digits.
import { randomUUID } from 'node:crypto'
import { Problem } from '../problems/problem.js'
import { ExactNumber, parseExactNumber, parseLossless, withMarkedNumbers } from './exact-number.js'

/** Reads the number that a JSON text holds. */
type ParseNumber = (written: string) => number | ExactNumber

/** Most numbers of a text that no double holds as they are written: reading one takes some µs. */
const maxExact = 300_000
/** One with an exponent counts as so many: `1e-400` becomes 400 digits. */
const costOfExponent = 10

/**
 * Parses JSON, by the built-in parser. Numbers that a double does not hold as they are written keep their digits: they become
 * ExactNumbers, NaN beyond all doubles.
 * @param counted numbers of them so far, in the pieces of a text. @throws SyntaxError for what is no JSON; Problem 413 for too many
 *   numbers of them.
 */
export function parseExactJson(text: string, counted: Counted = { numbers: 0 }): unknown {
  const rounded: unknown = JSON.parse(text)
  return mayRound.test(text) ? parsedWith(parseExactNumber, text, rounded, maxExact, counted) : rounded
}

/** A fraction, an exponent, 16 digits or a negative zero at the begin of a number: all others a double holds as they are written. */
const mayRound = /(?:^|[:,[\s])(?:-0|-?\d{1,15}[.eE]|-?\d{16})/

interface Counted {
  numbers: number
}

/**
 * Parses JSON whose numbers are also calculated with: only those whose value a double does not have become ExactNumbers.
 * @param most numbers that become ExactNumbers; see costOfExponent.
 * @throws SyntaxError for what is no JSON; RangeError for a number beyond all doubles; Problem 413 for too many numbers of them.
 */
export function parseLosslessJson(text: string, max = Number.POSITIVE_INFINITY): unknown {
  const rounded: unknown = JSON.parse(text)
  return mayLoseDigits.test(text) ? parsedWith(parseLossless, text, rounded, max, { numbers: 0 }) : rounded
}

/** Doubles hold numbers of 15 significant digits that are neither very large nor very small. Texts may match as well. */
const mayLoseDigits = /(?:\d\.?){16}|\de[+-]?\d{2}/i

/** An escaped half of a surrogate pair: UTF-8 cannot hold it, and the database would silently change it. */
export const halfPair =
  /(?<!\\)(?:\\\\)*(?:\\ud[89ab][\da-f]{2}(?!\\ud[c-f][\da-f]{2})|(?<!\\ud[89ab][\da-f]{2})\\ud[c-f][\da-f]{2})/i

/** JSON in which ExactNumbers stand as numbers, with all their digits. @param stringify writes the JSON of a value. */
export function stringifyExactJson(value: unknown, stringify: (value: unknown) => string = JSON.stringify): string {
  const mark = randomUUID()
  const json = withMarkedNumbers(mark, () => stringify(value))
  return json?.includes(mark) ? json.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1') : json
}

/** Whether a value has an ExactNumber anywhere. */
export function hasExactNumber(value: unknown): boolean {
  const open = [value]
  while (open.length > 0) {
    const held = open.pop()
    if (held instanceof ExactNumber) return true
    if (isHolder(held)) for (const name of Object.keys(held)) open.push(held[name])
  }
  return false
}

function parsedWith(parseNumber: ParseNumber, text: string, rounded: unknown, max: number, counted: Counted): unknown {
  // Numbers that a double would round are parsed again as text, behind a mark that no caller can have written.
  const mark = randomUUID()
  const marked = withMarks(text, mark, parseNumber, max, counted)
  return marked === text ? rounded : withNumbers(JSON.parse(marked), mark, parseNumber)
}

/** @param json that is whole, so that digits stand in texts and numbers only. @throws Problem 413 */
function withMarks(json: string, mark: string, parseNumber: ParseNumber, max: number, counted: Counted): string {
  const token = /"|-?\d[\d.eE+-]*/g
  let marked = ''
  let copied = 0
  for (let found = token.exec(json); found; found = token.exec(json)) {
    const [written] = found
    if (written === '"') token.lastIndex = endOfText(json, found.index)
    else {
      const isExact = !Object.is(parseNumber(written), Number(written))
      counted.numbers += /e/i.test(written) ? costOfExponent : Number(isExact)
      if (counted.numbers > max) throw tooManyExact(max)
      if (!isExact) continue
      marked += `${json.slice(copied, found.index)}"${mark}${written}"`
      copied = token.lastIndex
    }
  }
  return marked + json.slice(copied)
}

const tooManyExact = (max: number) =>
  new Problem(
    'body-too-large',
    `The body has over ${max} numbers that no double holds as they are written; one with an exponent counts as ${costOfExponent}.`,
  )

/** The rest of the JSON behind a text that begins at a place. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(json: string, at: number): boolean {
  let before = at
  while (json[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}

/** The numbers in place of the texts behind the mark. However deep they stand: nothing is called within itself. */
function withNumbers(value: unknown, mark: string, parseNumber: ParseNumber): unknown {
  const root: Record<string, unknown> = { value }
  const open = [root]
  for (let holder = open.pop(); holder; holder = open.pop()) {
    for (const name of Object.keys(holder)) {
      const held = holder[name]
      if (isHolder(held)) open.push(held)
      else if (typeof held === 'string' && held.startsWith(mark)) holder[name] = parseNumber(held.slice(mark.length))
    }
  }
  return root.value
}

/** An object, or a list by its indices. */
const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
