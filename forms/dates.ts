// Checks dates, partial dates, and dates with a time.
import { type Checked, memberOf, textOf, wrong } from './checked.js'
import { byText, outOfRange, scalar } from './scalars.js'
import type { Control } from './template.js'
import type { DateKind } from './values.js'

/** Checks a date with a time, and converts it to UTC. Without a zone it is local time and stays as written. */
export const datetime = scalar({
  written(text) {
    const [, day = '', clock, seconds = ':00', zone] =
      /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,3})?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/i.exec(
        text,
      ) ?? []
    if (!isDay(day)) return undefined
    const moment = new Date(`${day}T${clock}${seconds}${zone?.toUpperCase() ?? 'Z'}`).toISOString()
    // The conversion to UTC may have left the allowed years, 1 to 9999.
    if (!isDay(moment.slice(0, 10))) return undefined
    return zone === undefined ? moment.replace(/(\.000)?Z$/, '') : moment
  },
  what: 'a date and time, such as 2026-03-31 14:30',
  compare: (one, other) => momentOf(one) - momentOf(other),
  isTime: true,
})

const momentOf = (written: string): number => Date.parse(written.endsWith('Z') ? written : `${written}Z`)

/** True for a date that exists in the calendar, so not for 2026-02-30. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !text.startsWith('0000') &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text)

const wholeDay = scalar({
  written: text => (isDay(text) ? text : undefined),
  what: 'a date, such as 2026-03-31',
  compare: byText,
  isTime: true,
})

/** Checks a date. A control with `partial` also takes a month or a year, which is stored with its first day. */
export const date = (control: Control, given: unknown): Checked =>
  control.partial ? partialDate(control, given) : wholeDay(control, given)

const kinds: readonly DateKind[] = ['yyyy', 'yyyy-MM', 'yyyy-MM-dd']

/**
 * Checks a partial date. It can be written as its known parts alone (`2026-03`), or as a whole date plus the `dateKind` that
 * says which parts count.
 */
function partialDate(control: Control, given: unknown): Checked {
  const text = textOf(memberOf(given, 'date') ?? given)?.trim() ?? ''
  const named = memberOf(given, 'dateKind') ?? undefined
  const kind = kinds.find(each => (named === undefined ? each.length === text.length : each === named))
  const isDate = /^\d{4}(-\d\d){0,2}$/.test(text) && isDay(firstDayOf(text))
  if (!isDate || kind === undefined || kind.length > text.length) {
    return wrong('date', 'It is not a date, a month or a year, such as 2026-03-31, 2026-03 or 2026.')
  }
  const known = text.slice(0, kind.length)
  return (
    outOfRange(control, known, { written: bound => bound.trim(), compare: compareKnown, isTime: true }) ?? {
      content: { type: 'partial-date', dateKind: kind, date: firstDayOf(known) },
    }
  )
}

const firstDayOf = (known: string): string => `${known}${'-01-01'.slice(known.length - 4)}`

/** Compares two partial dates by the parts that both have: a month is neither before nor after one of its days. */
function compareKnown(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  return byText(one.slice(0, length), other.slice(0, length))
}
