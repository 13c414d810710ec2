import { imageWithPins } from './annotated-image.js'
import { type BuildingBlock, type Control, controlsOfBlock, type FormTemplate } from './template.js'
import { valueTypeOf } from './value-type.js'
import type { ControlValue, FormValues } from './values.js'

/** Controls that could have a value: those that extracts show. */
export const extractedControls = (block: BuildingBlock): Control[] =>
  controlsOfBlock(block).filter(({ couldHaveValue }) => couldHaveValue)

const controlDefinition = (control: Control) => ({
  id: control.id,
  label: control.label,
  dataType: control.dataType,
  extractValueType: valueTypeOf(control),
})

/** Building block extract definition (spec forms "Extract definitions"). */
export const blockExtractDefinition = (block: BuildingBlock) => ({
  key: block.key,
  version: block.version,
  controls: extractedControls(block).map(controlDefinition),
})

/** Form extract definition (spec forms "Extract definitions"). */
export const formExtractDefinition = ({ key, version, buildingBlocks }: FormTemplate) => ({
  key,
  version,
  buildingBlocks: buildingBlocks.map(blockExtractDefinition),
})

/**
 * Makes control extract results of a building block (spec forms "Extract result records"), as JSON text: what stays the same
 * is written once. A control that was not relevant has no values.
 * @param controlIds which; absent: all.
 * @returns given the document of a submission, the list of results.
 */
export function controlResults(block: BuildingBlock, controlIds?: readonly string[]): (document: string) => string {
  const controls = extractedControls(block)
    .filter(({ id }) => !controlIds || controlIds.includes(id))
    .map(control => {
      const { id, label, dataType } = control
      return { control, head: `${JSON.stringify({ id, label, dataType }).slice(0, -1)},"values":` }
    })
  return document => {
    const values: FormValues = JSON.parse(document)
    const results = controls.map(({ control, head }) => {
      const own = Object.hasOwn(values, control.id) ? (values[control.id] ?? []) : []
      return `${head}${JSON.stringify(shown(control, own))}}`
    })
    return `[${results.join(',')}]`
  }
}

/** Annotated images are shown with their picture and its pins. */
const shown = (control: Control, values: ControlValue[]): readonly object[] =>
  control.dataType === 'annotated-image'
    ? values.map(value =>
        value.type === 'annotated-image'
          ? { ...value, imageDataUri: imageWithPins(control, value.annotations) }
          : value,
      )
    : values
