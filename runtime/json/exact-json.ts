// Parses and writes JSON without losing digits of its numbers.
import { randomUUID } from 'node:crypto'
import { Problem } from '../problems/problem.js'
import { ExactNumber, parseAsWritten, parseExactNumber, parseLossless, withExactNumbers } from './exact-number.js'

/** Converts the text of a JSON number. */
type ParseNumber = (written: string) => number | ExactNumber

/** Maximum number of ExactNumbers in one text, because each takes some µs to read. */
const maxExact = 300_000
/** A number with an exponent counts this many times, since `1e-400` expands to 400 digits. */
const costOfExponent = 10

/**
 * Parses JSON. Numbers that a double would not write back in the same way become ExactNumbers, which keep their digits.
 * A number beyond the range of doubles becomes NaN.
 * @param counted ExactNumbers found so far, for a text that is parsed in pieces.
 * @throws SyntaxError if the text is not JSON; Problem 413 if it has too many such numbers.
 */
export function parseExactJson(text: string, counted: Counted = { numbers: 0 }): unknown {
  const rounded: unknown = JSON.parse(text)
  return mayRound.test(text) ? parsedWith(parseExactNumber, text, rounded, maxExact, counted) : rounded
}

/**
 * Matches texts that may contain a number that a double does not write back unchanged: one that begins with a fraction,
 * an exponent, 16 digits or a negative zero.
 */
const mayRound = /(?:^|[:,[\s])(?:-0|-?\d{1,15}[.eE]|-?\d{16})/

interface Counted {
  numbers: number
}

/**
 * Parses JSON that is passed on: numbers keep their digits as {@link parseExactJson} does, however many there are.
 * @throws SyntaxError if the text is not JSON; RangeError for a number beyond the range of doubles.
 */
export function parseJsonAsWritten(text: string): unknown {
  const rounded: unknown = JSON.parse(text)
  return mayRound.test(text) || mayLoseDigits.test(text)
    ? parsedWith(parseAsWritten, text, rounded, Number.POSITIVE_INFINITY, { numbers: 0 })
    : rounded
}

/**
 * Parses JSON for calculations: a number becomes an ExactNumber only if no double has its value.
 * @param max maximum number of ExactNumbers; see costOfExponent.
 * @throws SyntaxError if the text is not JSON; RangeError for a number beyond the range of doubles; Problem 413 if it
 * has too many ExactNumbers.
 */
export function parseLosslessJson(text: string, max = Number.POSITIVE_INFINITY): unknown {
  const rounded: unknown = JSON.parse(text)
  return mayLoseDigits.test(text) ? parsedWith(parseLossless, text, rounded, max, { numbers: 0 }) : rounded
}

/**
 * Matches texts that may contain a number without an equal double: one with 16 or more digits, or with an exponent of
 * two digits or more. Strings can match as well, which only costs time.
 */
const mayLoseDigits = /(?:\d\.?){16}|\de[+-]?\d{2}/i

/** Matches an unpaired, escaped surrogate. UTF-8 cannot represent it, and the database would silently replace it. */
export const halfPair =
  /(?<!\\)(?:\\\\)*(?:\\ud[89ab][\da-f]{2}(?!\\ud[c-f][\da-f]{2})|(?<!\\ud[89ab][\da-f]{2})\\ud[c-f][\da-f]{2})/i

/**
 * Writes JSON in which ExactNumbers appear as numbers, with all their digits.
 * @param stringify writes the JSON of a value.
 */
export const stringifyExactJson = (value: unknown, stringify: (value: unknown) => string = JSON.stringify): string =>
  withExactNumbers(() => stringify(value))

/** Tells whether a value contains an ExactNumber at any depth. */
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
  // Such numbers are turned into strings and parsed again. A random mark in front tells them from the caller's strings. A reviver of
  // JSON.parse gets the text of each number, too, but it takes up to three times as long and overflows the stack at 5,000 levels.
  const mark = randomUUID()
  const marked = withMarks(text, mark, parseNumber, max, counted)
  return marked === text ? rounded : withNumbers(JSON.parse(marked), mark, parseNumber)
}

/**
 * Turns the numbers to be kept exactly into marked strings.
 * @param json valid JSON, so that digits occur in strings and numbers only.
 * @throws Problem 413
 */
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

/** Returns the position after the string that starts at `start`. */
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

/** Replaces the marked strings by their numbers. Works without recursion, so deep nesting cannot overflow the stack. */
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

/** True for an object or a list; a list's members are its indices. */
const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
