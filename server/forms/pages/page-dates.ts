// Formats dates and times in a form's language.
import type { DateKind } from '../../../forms/values.js'

const format = (date: Date, language: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(localeOf(language), { ...options, timeZone: 'UTC' }).format(date)

/**
 * Returns the locale to format dates in. For `en` without a country the day comes first, as in most English-speaking
 * countries.
 */
function localeOf(language: string): string {
  try {
    return language === 'en' ? 'en-GB' : (Intl.getCanonicalLocales(language)[0] ?? 'en-GB')
  } catch {
    // Templates are checked only for the shape of a language code, so it may not be a valid one.
    return 'en-GB'
  }
}

/** Lists the parts of a date in the order in which a language writes them. */
export const dateOrder = (language: string): ('day' | 'month' | 'year')[] =>
  new Intl.DateTimeFormat(localeOf(language), {
    calendar: 'gregory',
    day: 'numeric',
    month: 'numeric',
    year: 'numeric',
  })
    .formatToParts(0)
    .flatMap(({ type }) => (type === 'day' || type === 'month' || type === 'year' ? [type] : []))

/** Leaves out the seconds of a time on the full minute. */
export const shownTime = (time: string): string => time.replace(/^(\d\d:\d\d):00$/, '$1')

/** Formats a date (yyyy-mm-dd). */
export const shownDate = (day: string, language: string): string =>
  format(new Date(day), language, { day: 'numeric', month: 'long', year: 'numeric' })

export function shownPartialDate(kind: DateKind, date: string, language: string): string {
  if (kind === 'yyyy-MM-dd') return shownDate(date, language)
  const month = kind === 'yyyy-MM' ? ({ month: 'long' } as const) : {}
  return format(new Date(date), language, { ...month, year: 'numeric' })
}

/** Formats a date-time: in UTC if it has a zone, otherwise as it was entered. */
export function shownDateTime(moment: string, language: string): string {
  const hasZone = moment.endsWith('Z')
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const at = new Date(hasZone ? moment : `${moment}Z`)
  return `${shownDate(moment.slice(0, 10), language)}, ${format(at, language, clock)}${hasZone ? ' UTC' : ''}`
}
