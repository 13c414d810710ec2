// Makes controls, repeats and sections of stored templates.
import { checks } from '../../forms/data-types.js'
import type { Control, DataType, FormTemplate, Repeat, Section } from '../../forms/template.js'
import type { Content } from '../../forms/values.js'

/** Makes a control as stored templates have it. */
export const aControl = (id: string, more: Partial<Control> = {}): Control => ({
  id,
  label: `Label of ${id}`,
  dataType: 'string',
  couldHaveValue: true,
  required: false,
  couldHaveMultipleValues: false,
  allowOther: false,
  multiline: false,
  partial: false,
  ...more,
})

export const aRepeat = (id: string, controls: Control[], more: Partial<Repeat> = {}): Repeat => ({
  id,
  label: `Label of ${id}`,
  minIterations: 0,
  maxIterations: null,
  controls,
  repeats: [],
  ...more,
})

export const aSection = (id: string, controls: Control[], more: Partial<Section> = {}): Section => ({
  id,
  controls,
  repeats: [],
  ...more,
})

export const aForm = (...sections: Section[]): FormTemplate => ({
  key: 'form',
  version: 1,
  title: 'A form',
  classification: 'Uncategorised',
  language: 'en',
  allowAmend: true,
  allowSaveDraft: true,
  autoSaveIntervalSeconds: 30,
  allowDiscard: true,
  allowRevoke: true,
  buildingBlocks: [{ key: 'block', version: 1, sections }],
})

/** Makes a form with one section that has these controls. */
export const formOf = (...controls: Control[]): FormTemplate => aForm(aSection('only', controls))

export const optionsOf = (...values: string[]) => values.map(value => ({ value, label: `Label of ${value}` }))

/** Checks a value of a data type. @returns the content as it is stored, or the code and detail of the fault. */
export const checkedAs = (
  dataType: DataType,
  given: unknown,
  more: Partial<Control> = {},
): Content | readonly [code: string, detail: string] => {
  const checked = checks[dataType](aControl('one', { dataType, ...more }), given, 'en')
  return 'content' in checked ? checked.content : [checked.code, checked.detail]
}
