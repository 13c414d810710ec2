// Splits the value of a control into the texts of its fields.
import { memberOf, textOf } from '../../../forms/data-types.js'
import { dateParts } from '../../../forms/posted.js'
import type { Control } from '../../../forms/template.js'
import { shownTime } from './page-dates.js'

/** The texts in the three fields of a pin. */
export interface PinInputs {
  x: string
  y: string
  value: string
}

/** The texts in the fields of a date or of a date with a time. */
export type DateInputs = Record<(typeof dateParts)[number], string>

/** The texts in a control's fields, valid or not. */
export interface PageInputs {
  /** The text of a single field, or the choice of a control with several fields. */
  text: string
  /** The values of the chosen options. */
  chosen: string[]
  date: DateInputs
  latitude: string
  longitude: string
  pins: PinInputs[]
}

const textIn = (value: unknown, name: string): string => textOf(memberOf(value, name) ?? undefined) ?? ''

/** Splits a value, as sent or as stored, into the texts of the control's fields. */
export function pageInputs(control: Control, sent: unknown): PageInputs {
  const isEmpty = memberOf(sent, 'type') === 'empty'
  const value = isEmpty ? undefined : (memberOf(sent, 'selections') ?? memberOf(sent, 'value') ?? sent)
  const chosen = [value].flat().flatMap(each => textOf(memberOf(each, 'value') ?? each ?? undefined) ?? [])
  const annotations: unknown = memberOf(value, 'annotations')
  const pins = Array.isArray(annotations) ? annotations : []
  const text = oneText(control, value) ?? ''
  return {
    text: control.dataType === 'time' ? shownTime(text) : text,
    chosen,
    date: dateInputs(value, text),
    latitude: textIn(value, 'latitude'),
    longitude: textIn(value, 'longitude'),
    pins: pins.map(pin => ({ x: textIn(pin, 'x'), y: textIn(pin, 'y'), value: textIn(pin, 'value') })),
  }
}

function oneText({ dataType }: Control, value: unknown): string | undefined {
  if (dataType === 'date' && memberOf(value, 'date') !== undefined) {
    const kind = textIn(value, 'dateKind')
    return kind === '' ? textIn(value, 'date') : textIn(value, 'date').slice(0, kind.length)
  }
  return textOf(memberOf(value, 'originalText') ?? value ?? undefined)
}

/** Splits a date, or takes the parts of one that could not be joined. */
function dateInputs(value: unknown, text: string): DateInputs {
  const [, year = '', month = '', day = '', time = ''] =
    /^([^-]*)(?:-([^-]*))?(?:-([^t ]*))?(?:[t ](.*))?$/is.exec(text) ?? []
  const written: DateInputs = { year, month, day, time: shownTime(time) }
  if (memberOf(value, 'year') === undefined) return written
  return { ...written, ...Object.fromEntries(dateParts.map(part => [part, textIn(value, part)])) }
}
