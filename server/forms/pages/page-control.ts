// Builds the view model of a control and its fields.
import { memberOf, textOf } from '../../../forms/data-types.js'
import { pictureSize } from '../../../forms/picture.js'
import { fieldName } from '../../../forms/posted.js'
import type { Control, DataType } from '../../../forms/template.js'
import { dateOrder } from './page-dates.js'
import { type PageInputs, pageInputs } from './page-inputs.js'

/** The name of the partial in pages/liquid that draws a control. */
export type Kind =
  | 'text'
  | 'multiline'
  | 'select'
  | 'radios'
  | 'checkboxes'
  | 'date-parts'
  | 'geolocation'
  | 'pins'
  | 'file'
  | 'calculated'
  | 'prose'

/** One field of a control that has several. */
interface Part {
  name: string
  label: string
  text: string
  inputMode: string
}

type MakePart = (name: string, label: string, text: string, inputMode?: string) => Part

interface Choice {
  value: string
  label: string
  isChosen: boolean
}

/** The field for an answer of one's own besides the options. */
interface Other {
  name: string
  text: string
  isChosen: boolean
}

interface PinView {
  n: number
  /** Index in the names of its fields. */
  index: number | string
  x: Part
  y: Part
  value: Part
  /** True if it has a position on the picture. */
  isMarked: boolean
}

/** The data for the partial that draws a control. Members that only other kinds use are empty. */
export interface FieldView {
  kind: Kind
  /** True for several fields under one legend. */
  isGroup: boolean
  name: string
  text: string
  /** The `type` of the `<input>`. */
  type: string
  inputMode: string
  /** Type of the `<input>` whose calendar or clock scripts put beside the text fields; '' for none. */
  picker: string
  /** Bounds of the picker. */
  min: string
  max: string
  /** Class of the style sheet for the width of the field, which hints at how much text is expected. */
  width: string
  unit: string
  rows: number
  parts: Part[]
  choices: Choice[]
  other: Other | null
  /** True if the choices fit on one line. */
  isShort: boolean
  picture: { source: string; description: string; isTall: boolean } | null
  pins: PinView[]
  blankPin: PinView | null
  file: { accept: string; kept: Kept | null; keptName: string; removeName: string } | null
  paragraphs: string[]
}

/** A file that was uploaded before. */
export interface Kept {
  source: string
  /** Kind of the file in words, such as "JPEG picture". */
  kind: string
  size: string
  isPicture: boolean
}

/** Highest number of options that are shown as radio buttons. Longer lists become a select field. */
const maxRadios = 8

const kindOf = (control: Control): Kind => {
  if (!control.couldHaveValue) return 'prose'
  if (control.calculate) return 'calculated'
  if (control.options && control.couldHaveMultipleValues) return 'checkboxes'
  if (control.options) return control.options.length > maxRadios ? 'select' : 'radios'
  switch (control.dataType) {
    case 'boolean':
      return 'radios'
    case 'date':
    case 'datetime':
      return 'date-parts'
    case 'annotated-image':
      return 'pins'
    case 'data-url':
      return 'file'
    case 'geolocation':
      return 'geolocation'
    case 'html':
      return 'multiline'
    default:
      return control.multiline ? 'multiline' : 'text'
  }
}

/**
 * Builds the fields of a control in one iteration, filled with what was sent for it.
 * @param language of the form, whose order of day, month and year its dates have.
 */
export function fieldOf(
  control: Control,
  path: readonly (number | string)[],
  sent: unknown,
  language: string,
): FieldView {
  const kind = kindOf(control)
  const held = pageInputs(control, sent)
  const part: MakePart = (name, label, text, inputMode = '') => ({
    name: fieldName(control.id, path, name),
    label,
    text,
    inputMode,
  })
  const pin = (index: number | string, n: number, { x, y, value } = { x: '', y: '', value: '' }): PinView => ({
    n,
    index,
    x: part(`pins[${index}].x`, '% from the left', x),
    y: part(`pins[${index}].y`, '% from the top', y),
    value: part(`pins[${index}].value`, 'What is here', value),
    isMarked: [x, y].every(text => /^\d{1,3}(\.\d+)?$/.test(text) && Number(text) <= 100),
  })
  const { image, imageDescription = control.label, options = yesAndNo } = control
  const isChoice = kind === 'radios' || kind === 'checkboxes' || kind === 'select'
  return {
    kind,
    isGroup: groups.has(kind),
    name: fieldName(control.id, path),
    // A calculated value of a control with options is shown by the label of its option.
    text: (kind === 'calculated' && textOf(memberOf(sent, 'displayName'))) || held.text,
    ...inputOf(control),
    picker: pickers[control.dataType] ?? '',
    min: control.min ?? '',
    max: control.max ?? '',
    unit: control.unit ?? '',
    rows: (control.maxLength ?? 1_000) > 300 ? 5 : 3,
    parts: partsOf(control, kind, held, part, language),
    choices: isChoice ? options.map(option => ({ ...option, isChosen: held.chosen.includes(option.value) })) : [],
    isShort: options.length <= 3 && options.every(({ label }) => label.length <= 12),
    other: isChoice && control.allowOther ? otherOf(control, held, part('other', '', '').name) : null,
    picture: image === undefined ? null : { source: image, description: imageDescription, isTall: isTall(image) },
    // One blank pin follows the others, so that a pin can be added without scripts.
    pins: kind === 'pins' ? [...held.pins, undefined].map((each, n) => pin(n, n + 1, each)) : [],
    blankPin: kind === 'pins' ? pin('{pin}', 0) : null,
    file: kind === 'file' ? fileOf(control, held, part) : null,
    paragraphs: kind === 'prose' ? paragraphsOf(control.text ?? '') : [],
  }
}

const groups: ReadonlySet<Kind> = new Set(['radios', 'checkboxes', 'date-parts', 'geolocation', 'pins'])

const isTall = (image: string): boolean => {
  const { width = 0, height = 0 } = pictureSize(image) ?? {}
  return height > width
}

const yesAndNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

export const paragraphsOf = (text: string): string[] => text.split(/\n\s*\n/).filter(each => each.trim() !== '')

const pickers: Partial<Record<DataType, string>> = { date: 'date', time: 'time', datetime: 'datetime-local' }

/**
 * Chooses the `<input>` for a text. Dates and times have text fields, because the browser's own date field posts nothing at all
 * for a date that does not exist, and has day and month in the browser's order.
 */
function inputOf(control: Control): Pick<FieldView, 'type' | 'inputMode' | 'width'> {
  const plain = { type: 'text', inputMode: '', width: '' }
  switch (control.dataType) {
    case 'integer':
    case 'decimal':
      // The numeric keypads of phones have no minus sign.
      if (Number(control.min ?? 0) < 0) return { ...plain, width: 'narrow' }
      return { ...plain, inputMode: control.dataType === 'integer' ? 'numeric' : 'decimal', width: 'narrow' }
    case 'time':
      return { ...plain, width: 'narrow' }
    case 'url':
      return { ...plain, type: 'url', inputMode: 'url' }
    default:
      return (control.maxLength ?? 100) <= 20 ? { ...plain, width: 'medium' } : plain
  }
}

function partsOf({ dataType }: Control, kind: Kind, held: PageInputs, part: MakePart, language: string): Part[] {
  if (kind === 'geolocation') {
    return [part('latitude', 'Latitude', held.latitude), part('longitude', 'Longitude', held.longitude)]
  }
  if (kind !== 'date-parts') return []
  const date = dateOrder(language).map(name => part(name, dateLabels[name], held.date[name], 'numeric'))
  return dataType === 'datetime' ? [...date, part('time', 'Time', held.date.time)] : date
}

const dateLabels = { day: 'Day', month: 'Month', year: 'Year' }

function otherOf({ options = [] }: Control, { chosen }: PageInputs, name: string): Other {
  const own = chosen.filter(value => value !== '' && !options.some(option => option.value === value))
  return { name, text: own[0] ?? '', isChosen: own.length > 0 }
}

const fileOf = ({ mediaTypes = [] }: Control, { text }: PageInputs, part: MakePart): FieldView['file'] => ({
  accept: mediaTypes.join(','),
  kept: keptFile(text),
  keptName: part('kept', '', '').name,
  removeName: part('remove', '', '').name,
})

function fileKind(mediaType: string): string {
  const [type = '', subtype = ''] = mediaType.toLowerCase().split('/')
  const [name = ''] = subtype.toUpperCase().split('+', 1)
  if (type === 'image') return `${name} picture`
  return mediaType === 'application/pdf' ? 'PDF document' : `File (${mediaType})`
}

/** Parses a data URL; null for any other text. */
export function keptFile(source: string): Kept | null {
  const [, mediaType = ''] = /^data:([a-z\d]+\/[a-z\d.+-]+)(?:;[^,]*)?;base64,/i.exec(source.slice(0, 300)) ?? []
  if (mediaType === '') return null
  const bytes = Math.floor(((source.length - source.indexOf(',') - 1) * 3) / 4)
  return {
    source,
    kind: fileKind(mediaType),
    size: bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`,
    isPicture: /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/i.test(mediaType),
  }
}
