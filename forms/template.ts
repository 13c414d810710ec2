/** A form as its author wrote it, one version of it. Ids are XML names; those of controls and repeats are unique in the form. */
export interface FormTemplate {
  key: string
  version: number
  title: string
  /** Open text; `Uncategorised` where the author says nothing. */
  classification: string
  /** Shown above the first section. */
  introduction?: string | undefined
  /** Of the texts, BCP 47. */
  language: string
  allowAmend: boolean
  allowSaveDraft: boolean
  autoSaveIntervalSeconds: number
  allowDiscard: boolean
  allowRevoke: boolean
  buildingBlocks: BuildingBlock[]
}

/** Part of a form that other forms may have too: the same key and version is the same block everywhere. */
export interface BuildingBlock {
  key: string
  version: number
  title?: string | undefined
  sections: Section[]
}

/** A part that can be shown or hidden, and holds controls. */
export interface Section {
  id: string
  title?: string | undefined
  hint?: string | undefined
  relevant?: Condition | undefined
  controls: Control[]
  repeats: Repeat[]
}

/** Controls that are filled in once for each iteration. */
export interface Repeat {
  id: string
  /** Of one iteration, such as "Wound". */
  label: string
  hint?: string | undefined
  minIterations: number
  maxIterations: number | null
  relevant?: Condition | undefined
  controls: Control[]
  repeats: Repeat[]
}

export const dataTypes = [
  'integer',
  'decimal',
  'string',
  'boolean',
  'date',
  'time',
  'datetime',
  'annotated-image',
  'geolocation',
  'html',
  'data-url',
  'url',
  'translatable-text-value',
] as const
export type DataType = (typeof dataTypes)[number]

export interface Control {
  id: string
  label: string
  hint?: string | undefined
  dataType: DataType
  /** False for what is only read: `text` stands there. */
  couldHaveValue: boolean
  text?: string | undefined
  required: boolean
  relevant?: Condition | undefined
  calculate?: Calculation | undefined
  /** The initial value of the field. */
  initial?: Initial | undefined
  /** The values to choose from. */
  options?: Option[] | undefined
  /** Several of the options. */
  couldHaveMultipleValues: boolean
  /** Besides the options, a text of one's own. */
  allowOther: boolean
  /** Lowest and highest: of numbers, dates, times and date-times, written as a value is. */
  min?: string | undefined
  max?: string | undefined
  /** Of texts, in characters. */
  minLength?: number | undefined
  maxLength?: number | undefined
  /** Regular expression that the whole text matches. */
  pattern?: string | undefined
  multiline: boolean
  /** Shown behind a number. */
  unit?: string | undefined
  /** A date that may be a year, or a year and month. */
  partial: boolean
  /** A data URL, the picture on which pins are placed. */
  image?: string | undefined
  /** The content of the picture, in words. */
  imageDescription?: string | undefined
  /** Media types that a data URL may have, such as `image/*`; absent: all. */
  mediaTypes?: string[] | undefined
  /** Largest file behind a data URL, in bytes. */
  maxBytes?: number | undefined
  /** BCP 47; into which a translatable text is to be translated. */
  targetLanguage?: string | undefined
}

export interface Option {
  value: string
  label: string
}

/** One of the members. */
export interface Initial {
  value?: string | undefined
  /** Key of the instance's context. */
  context?: string | undefined
}

/**
 * Whether something is shown. `control` names one that stands earlier in the form, in the same iteration or around it.
 * Of the other members there is one: `equals` and `in` compare with an option or a value as it is written.
 */
export interface Condition {
  control?: string | undefined
  /** Key of the instance's context, in place of a control. */
  context?: string | undefined
  equals?: string | undefined
  in?: string[] | undefined
  answered?: boolean | undefined
  atLeast?: number | undefined
  atMost?: number | undefined
  all?: Condition[] | undefined
  any?: Condition[] | undefined
  not?: Condition | undefined
}

/** How a value comes from others. One of the members. */
export interface Calculation {
  /** Ids of numeric controls, or of those whose options are numbers; empty until all are answered. */
  sum?: string[] | undefined
  /** The text of the first band whose `upTo` the number of a control does not exceed. */
  bands?: { of: string; bands: Band[] } | undefined
}

export interface Band {
  /** Inclusive; absent in the last band. */
  upTo?: number | undefined
  value: string
}

/** Where a control stands. */
export interface PlacedControl {
  control: Control
  block: BuildingBlock
  section: Section
  /** The repeats around it, the outermost first. */
  repeats: readonly Repeat[]
}

const ofRepeats = (place: Omit<PlacedControl, 'control'>, within: Section | Repeat): PlacedControl[] => [
  ...within.controls.map(control => ({ ...place, control })),
  ...within.repeats.flatMap(repeat => ofRepeats({ ...place, repeats: [...place.repeats, repeat] }, repeat)),
]

const inBlock = (block: BuildingBlock): PlacedControl[] =>
  block.sections.flatMap(section => ofRepeats({ block, section, repeats: [] }, section))

/** All controls of a building block, in its order. */
export const controlsOfBlock = (block: BuildingBlock): Control[] => inBlock(block).map(({ control }) => control)

const placed = new WeakMap<FormTemplate, ReadonlyMap<string, PlacedControl>>()

/** All controls of a form by their ids, in the order of the form: of a section or repeat its own controls come first. */
export function controlsOf(template: FormTemplate): ReadonlyMap<string, PlacedControl> {
  const known = placed.get(template)
  if (known) return known
  const all = template.buildingBlocks.flatMap(inBlock)
  const byId = new Map(all.map(each => [each.control.id, each]))
  placed.set(template, byId)
  return byId
}
