// Types of the values and faults of a form.
import type { AnswerFaultCode } from './fault-codes.js'

/**
 * A value of a control as it is sent, stored and extracted (spec forms "Control value types"). In nested repeats,
 * `repeatIterationIndex` is the index in the innermost one, and `repeatIterationPath` has all indices, the outermost first.
 */
export type ControlValue = { repeatIterationIndex: number | null; repeatIterationPath?: number[] } & Content

export type Content =
  | { type: 'empty' }
  | { type: 'single-value'; value: string }
  | { type: 'single-selection'; value: string; displayName: string }
  | { type: 'multiple-selection'; selections: Selection[] }
  | { type: 'geolocation'; latitude: number; longitude: number }
  | { type: 'annotated-image'; annotations: Annotation[] }
  | { type: 'partial-date'; dateKind: DateKind; date: string }
  | TranslatableText

export type ValueType = Content['type']

export interface Selection {
  value: string
  displayName: string
}

/**
 * A pin on a picture with its text (`value`). `x` and `y` are in per cent of the picture's width and height; `position` is the
 * number of the pin, from 1.
 */
export interface Annotation {
  position: number
  value: string
  x: number
  y: number
}

export type DateKind = 'yyyy' | 'yyyy-MM' | 'yyyy-MM-dd'

export interface TranslatableText {
  type: 'translatable-text-value'
  originalText: string
  /** Absent until somebody has translated the text, like `translatedDateTime`. */
  translatedText?: string
  sourceLanguageCode: string
  targetLanguageCode?: string
  translatedDateTime?: string
}

/** The values of all relevant controls by control id, sorted by iteration. */
export type FormValues = Record<string, ControlValue[]>

/** Returns the iterations that a value belongs to, the outermost first. */
export const pathOf = ({ repeatIterationIndex: index, repeatIterationPath: path }: ControlValue): readonly number[] =>
  path ?? (index === null ? [] : [index])

/** Makes a value out of its content and the iterations it belongs to. */
export function placedAt(path: readonly number[], content: Content): ControlValue {
  const place = path.length > 1 ? { repeatIterationPath: [...path] } : {}
  return { repeatIterationIndex: path.at(-1) ?? null, ...place, ...content }
}

/** Something that is wrong with an answer. */
export interface FormFault {
  /** JSON pointer below the values, such as `/depth/1`. */
  pointer: string
  code: AnswerFaultCode
  detail: string
  /** Id of the control or repeat; undefined if the form has no such id. */
  id?: string
  path: readonly number[]
}
