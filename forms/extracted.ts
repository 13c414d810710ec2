// Writes the extract definitions and extract results of a template.
import { shownValues } from './annotated-image.js'
import { membersOf } from './json-members.js'
import { type BuildingBlock, type Control, controlsOfBlock, type FormTemplate } from './template.js'
import { valueTypeOf } from './value-type.js'

/** Returns the controls that extracts show, which are those that can have a value. */
export const extractedControls = (block: BuildingBlock): Control[] =>
  controlsOfBlock(block).filter(({ couldHaveValue }) => couldHaveValue)

const controlDefinition = (control: Control) => ({
  id: control.id,
  label: control.label,
  dataType: control.dataType,
  extractValueType: valueTypeOf(control),
})

/** Builds the extract definition of a building block (spec forms "Extract definitions"). */
export const blockExtractDefinition = (block: BuildingBlock) => ({
  key: block.key,
  version: block.version,
  controls: extractedControls(block).map(controlDefinition),
})

/** Builds the extract definition of a form (spec forms "Extract definitions"). */
export const formExtractDefinition = ({ key, version, buildingBlocks }: FormTemplate) => ({
  key,
  version,
  buildingBlocks: buildingBlocks.map(blockExtractDefinition),
})

/**
 * Prepares the control results of a building block (spec forms "Extract result records"). What is the same for every submission
 * is serialized here, once. A control that was not relevant has no values.
 * @param controlIds limits the results to these controls.
 * @returns a function that turns the JSON document of a submission into the JSON list of its results.
 */
export function controlResults(block: BuildingBlock, controlIds?: readonly string[]): (document: string) => string {
  const chosen = controlIds && new Set(controlIds)
  const controls = extractedControls(block)
    .filter(({ id }) => !chosen || chosen.has(id))
    .map(control => {
      const { id, label, dataType } = control
      return { control, head: `${JSON.stringify({ id, label, dataType }).slice(0, -1)},"values":` }
    })
  return document => {
    const values = membersOf(document)
    const results = controls.map(({ control, head }) => {
      const kept = values.get(control.id) ?? '[]'
      // All other values are shown exactly as they are stored.
      const isPicture = control.dataType === 'annotated-image'
      return `${head}${isPicture ? JSON.stringify(shownValues(control, JSON.parse(kept))) : kept}}`
    })
    return `[${results.join(',')}]`
  }
}
