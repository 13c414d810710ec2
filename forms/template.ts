// The definition of a form, and the lookup of its controls.

/**
 * One version of a form as its author wrote it. All ids are XML names; those of controls and repeats are unique in the
 * form.
 */
export interface FormTemplate {
  key: string
  version: number
  title: string
  /** Free text; `Uncategorised` by default. */
  classification: string
  /** Shown above the first section. */
  introduction?: string | undefined
  /** Language of the form's texts, as a BCP 47 tag. */
  language: string
  allowAmend: boolean
  allowSaveDraft: boolean
  autoSaveIntervalSeconds: number
  allowDiscard: boolean
  allowRevoke: boolean
  buildingBlocks: BuildingBlock[]
}

/** Part of a form that several forms can share. Blocks of the same key and version are the same in all of them. */
export interface BuildingBlock {
  key: string
  version: number
  title?: string | undefined
  sections: Section[]
}

/** A group of controls and repeats that can be shown or hidden together. */
export interface Section {
  id: string
  title?: string | undefined
  hint?: string | undefined
  relevant?: Condition | undefined
  controls: Control[]
  repeats: Repeat[]
}

/** A group of controls that is filled in several times; each time is an iteration. */
export interface Repeat {
  id: string
  /** Names a single iteration, such as "Wound". */
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
  /** False for a control that only shows its `text`. */
  couldHaveValue: boolean
  text?: string | undefined
  required: boolean
  relevant?: Condition | undefined
  calculate?: Calculation | undefined
  /** The initial value of the field. */
  initial?: Initial | undefined
  /** The values to choose from. */
  options?: Option[] | undefined
  /** True if several options can be chosen. */
  couldHaveMultipleValues: boolean
  /** True if people can enter an answer of their own besides the options. */
  allowOther: boolean
  /** Lowest and highest value of a number, date, time or date-time, written like a value. */
  min?: string | undefined
  max?: string | undefined
  /** Length of a text, in characters. */
  minLength?: number | undefined
  maxLength?: number | undefined
  /** Regular expression that the whole text must match. */
  pattern?: string | undefined
  multiline: boolean
  /** Unit shown after a number. */
  unit?: string | undefined
  /** True if a date may be just a year, or a year and month. */
  partial: boolean
  /** The picture on which pins are placed, as a data URL. */
  image?: string | undefined
  /** Describes the picture in words, for people who cannot see it. */
  imageDescription?: string | undefined
  /** Media types that a file may have, such as `image/*`. All are allowed by default. */
  mediaTypes?: string[] | undefined
  /** Largest file, in bytes. */
  maxBytes?: number | undefined
  /** Language that a translatable text is to be translated into, as a BCP 47 tag. */
  targetLanguage?: string | undefined
}

export interface Option {
  value: string
  label: string
}

/** The initial value of a control. Exactly one member is set. */
export interface Initial {
  value?: string | undefined
  /** Key of the instance's context whose value is used. */
  context?: string | undefined
}

/**
 * Decides if a part of the form is shown. `control` names a control that stands earlier in the form, in the same iteration or
 * in one around it. One comparison goes with it; `equals` and `in` compare with an option or a normalized value.
 */
export interface Condition {
  control?: string | undefined
  /** Key of the instance's context that is compared instead of a control. */
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

/** Calculates a value from others. Exactly one member is set. */
export interface Calculation {
  /**
   * Ids of the controls to add up: numeric ones, or ones whose options are numbers. There is no sum until all are
   * answered.
   */
  sum?: string[] | undefined
  /** Maps the number of the control `of` to the value of the first band whose `upTo` it does not exceed. */
  bands?: { of: string; bands: Band[] } | undefined
}

export interface Band {
  /** Upper bound, inclusive. The last band has none. */
  upTo?: number | undefined
  value: string
}

/** A control and its position in the form. */
export interface PlacedControl {
  control: Control
  block: BuildingBlock
  section: Section
  /** The repeats around it, the outermost first. */
  repeats: readonly Repeat[]
}

const placedIn = (place: Omit<PlacedControl, 'control'>, within: Section | Repeat): PlacedControl[] => [
  ...within.controls.map(control => ({ ...place, control })),
  ...within.repeats.flatMap(repeat => placedIn({ ...place, repeats: [...place.repeats, repeat] }, repeat)),
]

const placedInBlock = (block: BuildingBlock): PlacedControl[] =>
  block.sections.flatMap(section => placedIn({ block, section, repeats: [] }, section))

/** Returns all controls of a building block in document order, those inside repeats included. */
export const controlsOfBlock = (block: BuildingBlock): Control[] => placedInBlock(block).map(({ control }) => control)

const placed = new WeakMap<FormTemplate, ReadonlyMap<string, PlacedControl>>()

/**
 * Returns all controls of a form by id, in the order of the form. The controls of a section or repeat come before those of the
 * repeats inside it. The result is cached for each template.
 */
export function controlsOf(template: FormTemplate): ReadonlyMap<string, PlacedControl> {
  const known = placed.get(template)
  if (known) return known
  const all = template.buildingBlocks.flatMap(placedInBlock)
  const byId = new Map(all.map(each => [each.control.id, each]))
  placed.set(template, byId)
  return byId
}
