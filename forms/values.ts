// Values of controls.
import type { AnswerFaultCode } from './fault-codes.js'

/**
 * A value of a control, as it is sent, kept and extracted (spec forms "Control value types"). Of a control in nested repeats
 * `repeatIterationIndex` is that of the innermost one and `repeatIterationPath` has all, the outermost first.
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

/** A pin on a picture: where, in per cent of its width and height, and what is said of it. `position` is its number, from 1. */
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
  /** Null like what follows, until somebody has translated it. */
  translatedText: string | null
  sourceLanguageCode: string
  targetLanguageCode: string | null
  translatedDateTime: string | null
}

/** The values of the controls that are relevant, by control id, of each the first iteration first. */
export type FormValues = Record<string, ControlValue[]>

/** The iterations that a value stands in, the outermost first. */
export const pathOf = ({ repeatIterationIndex: index, repeatIterationPath: path }: ControlValue): readonly number[] =>
  path ?? (index === null ? [] : [index])

/** Marks a value as that of these iterations. */
export function placedAt(path: readonly number[], content: Content): ControlValue {
  const place = path.length > 1 ? { repeatIterationPath: [...path] } : {}
  return { repeatIterationIndex: path.at(-1) ?? null, ...place, ...content }
}

/** Something wrong with what was filled in. */
export interface FormFault {
  /** JSON pointer below the values, such as `/depth/1`. */
  pointer: string
  code: AnswerFaultCode
  detail: string
  /** Of the control, or of the repeat that has too few iterations; undefined for an id that the form does not have. */
  id?: string
  path: readonly number[]
}
