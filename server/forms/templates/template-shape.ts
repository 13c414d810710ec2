// Normalizes a form template: fills in all defaults and writes values in their normalized spelling.
import type { PublicationStatus } from '../../../db/forms/templates/templates.js'
import { checks } from '../../../forms/data-types.js'
import type {
  BuildingBlock,
  Calculation,
  Condition,
  Control,
  DataType,
  FormTemplate,
  Repeat,
  Section,
} from '../../../forms/template.js'
import type { ConditionBody, ControlBody, Scalar } from './control-schema.js'
import type { BuildingBlockBody, RepeatBody, SectionBody, TemplateBody } from './template-schema.js'

// Every member is written out, always in the same order, so that equal templates are the same JSON text.

/** Fills in what the author of a template left out, and normalizes values in the way in which they are compared later. */
export const completedTemplate = (key: string, version: number, body: TemplateBody): FormTemplate => ({
  key,
  version,
  title: body.title,
  classification: body.classification ?? 'Uncategorised',
  introduction: body.introduction,
  language: body.language ?? 'en',
  allowAmend: body.allowAmend ?? true,
  allowSaveDraft: body.allowSaveDraft ?? true,
  autoSaveIntervalSeconds: body.autoSaveIntervalSeconds ?? 30,
  allowDiscard: body.allowDiscard ?? true,
  allowRevoke: body.allowRevoke ?? true,
  buildingBlocks: body.buildingBlocks.map(completedBlock),
})

const completedBlock = ({ key, version, title, sections }: BuildingBlockBody): BuildingBlock => ({
  key,
  version: version ?? 1,
  title,
  sections: sections.map(completedSection),
})

const completedSection = ({ id, title, hint, relevant, controls, repeats }: SectionBody): Section => ({
  id,
  title,
  hint,
  relevant: relevant && completedCondition(relevant),
  controls: (controls ?? []).map(completedControl),
  repeats: (repeats ?? []).map(completedRepeat),
})

const completedRepeat = (body: RepeatBody): Repeat => ({
  id: body.id,
  label: body.label,
  hint: body.hint,
  minIterations: body.minIterations ?? 0,
  maxIterations: body.maxIterations ?? null,
  relevant: body.relevant && completedCondition(body.relevant),
  controls: (body.controls ?? []).map(completedControl),
  repeats: (body.repeats ?? []).map(completedRepeat),
})

function completedControl(body: ControlBody): Control {
  const dataType = body.dataType ?? 'string'
  const value = (given: Scalar | undefined) => (given === undefined ? undefined : written(dataType, String(given)))
  return {
    id: body.id,
    label: body.label,
    hint: body.hint,
    dataType,
    couldHaveValue: body.couldHaveValue ?? true,
    text: body.text,
    required: body.required ?? false,
    relevant: body.relevant && completedCondition(body.relevant),
    calculate: body.calculate && completedCalculation(body.calculate, dataType),
    initial: body.initial && { value: value(body.initial.value), context: body.initial.context },
    options: body.options?.map(option => ({ value: written(dataType, String(option.value)), label: option.label })),
    couldHaveMultipleValues: body.couldHaveMultipleValues ?? false,
    allowOther: body.allowOther ?? false,
    min: value(body.min),
    max: value(body.max),
    minLength: body.minLength,
    maxLength: body.maxLength,
    pattern: body.pattern,
    multiline: body.multiline ?? false,
    unit: body.unit,
    partial: body.partial ?? false,
    image: body.image,
    imageDescription: body.imageDescription,
    mediaTypes: body.mediaTypes,
    maxBytes: body.maxBytes,
    targetLanguage: body.targetLanguage,
  }
}

const completedCondition = (body: ConditionBody): Condition => ({
  control: body.control,
  context: body.context,
  equals: body.equals === undefined ? undefined : String(body.equals),
  in: body.in?.map(String),
  answered: body.answered,
  atLeast: body.atLeast,
  atMost: body.atMost,
  all: body.all?.map(completedCondition),
  any: body.any?.map(completedCondition),
  not: body.not && completedCondition(body.not),
})

const completedCalculation = (
  { sum, bands }: NonNullable<ControlBody['calculate']>,
  dataType: DataType,
): Calculation => ({
  sum,
  bands: bands && {
    of: bands.of,
    bands: bands.bands.map(({ upTo, value }) => ({ upTo, value: written(dataType, String(value)) })),
  },
})

/** Creates a control that has only a data type, to check a value by nothing else. */
export const bareControl = (dataType: DataType): Control => ({
  id: '',
  label: '',
  dataType,
  couldHaveValue: true,
  required: false,
  couldHaveMultipleValues: false,
  allowOther: false,
  multiline: false,
  partial: false,
})

/** Normalizes a value: the time `09:30` becomes `09:30:00`. A text that does not fit the data type stays unchanged. */
export function written(dataType: DataType, text: string): string {
  const checked = checks[dataType](bareControl(dataType), text, 'en')
  return 'content' in checked && checked.content.type === 'single-value' ? checked.content.value : text
}

/** Builds the answer for a template that is read. It can be sent back to write the template again. */
export const presentedTemplate = (template: FormTemplate, status: PublicationStatus) => {
  const { key, version, ...rest } = template
  return { key, version, status, ...rest }
}
