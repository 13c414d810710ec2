// The controls of a template that extracts show.
import { shownValues } from './annotated-image.js'
import { membersOf } from './json-members.js'
import { type BuildingBlock, type Control, controlsOfBlock, type FormTemplate } from './template.js'
import { valueTypeOf } from './value-type.js'

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
      // Nothing else is shown otherwise than it is kept.
      const isPicture = control.dataType === 'annotated-image'
      return `${head}${isPicture ? JSON.stringify(shownValues(control, JSON.parse(kept))) : kept}}`
    })
    return `[${results.join(',')}]`
  }
}
