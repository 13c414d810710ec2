// Checks of dates and moments.
import { type Checked, memberOf, textOf, wrong } from './checked.js'
import { byText, outOfRange, scalar } from './scalars.js'
import type { Control } from './template.js'
import type { DateKind } from './values.js'

/** A moment in UTC; one without a zone stays without, as a clock on the wall showed it. */
export const datetime = scalar({
  written(text) {
    const [, day = '', clock, seconds = ':00', zone] =
      /^(\d{4}-\d\d-\d\d)[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,3})?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/i.exec(
        text,
      ) ?? []
    if (!isDay(day)) return undefined
    const moment = new Date(`${day}T${clock}${seconds}${zone?.toUpperCase() ?? 'Z'}`).toISOString()
    // Another zone may have had another year, of which there are 1 to 9999.
    if (!isDay(moment.slice(0, 10))) return undefined
    return zone === undefined ? moment.replace(/(\.000)?Z$/, '') : moment
  },
  what: 'a date and time, such as 2026-03-31T14:30',
  compare: (one, other) => momentOf(one) - momentOf(other),
  isTime: true,
})

const momentOf = (written: string): number => Date.parse(written.endsWith('Z') ? written : `${written}Z`)

/** True for a day that the calendar has. */
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

/** A day; of a partial date also a month or a year, which is kept with its first day. */
export const date = (control: Control, given: unknown): Checked =>
  control.partial ? partialDate(control, given) : wholeDay(control, given)

const kinds: readonly DateKind[] = ['yyyy', 'yyyy-MM', 'yyyy-MM-dd']

/**
 * A partial date in two spellings: only its known parts, or a whole date with the kind that names the parts that count.
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

/** Only as far as both are known: a month is neither before nor after one of its days. */
function compareKnown(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  return byText(one.slice(0, length), other.slice(0, length))
}
