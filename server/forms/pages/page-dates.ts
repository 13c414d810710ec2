// Formats dates and moments for a form's language.
import type { DateKind } from '../../../forms/values.js'

const format = (date: Date, language: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(localeOf(language), { ...options, timeZone: 'UTC' }).format(date)

/** The language to write dates in. Plain English says no country: the day comes first, as in most of them. */
function localeOf(language: string): string {
  try {
    return language === 'en' ? 'en-GB' : (Intl.getCanonicalLocales(language)[0] ?? 'en-GB')
  } catch {
    // Templates may have codes that only look like one.
    return 'en-GB'
  }
}

/** A day (yyyy-mm-dd) in the words of a language. */
export const shownDate = (day: string, language: string): string =>
  format(new Date(day), language, { day: 'numeric', month: 'long', year: 'numeric' })

export function shownPartialDate(kind: DateKind, date: string, language: string): string {
  if (kind === 'yyyy-MM-dd') return shownDate(date, language)
  const month = kind === 'yyyy-MM' ? ({ month: 'long' } as const) : {}
  return format(new Date(date), language, { ...month, year: 'numeric' })
}

/** A moment; one without a zone as the clock on the wall showed it. */
export function shownDateTime(moment: string, language: string): string {
  const hasZone = moment.endsWith('Z')
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const at = new Date(hasZone ? moment : `${moment}Z`)
  return `${shownDate(moment.slice(0, 10), language)}, ${format(at, language, clock)}${hasZone ? ' UTC' : ''}`
}
