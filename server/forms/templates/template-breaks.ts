// Finds the changes of a new form version that break existing extract definitions.
import { type BuildingBlock, controlsOf, type FormTemplate, type PlacedControl } from '../../../forms/template.js'
import { valueTypeOf } from '../../../forms/value-type.js'

/** A part of the previous version that the new version lacks or changes, and that existing extract definitions may name. */
export interface Break {
  code:
    | 'building-block-removed'
    | 'control-removed'
    | 'data-type-changed'
    | 'value-type-changed'
    | 'repeats-changed'
    | 'option-removed'
  buildingBlock: string
  control?: string
  detail: string
}

/** Finds the changes that break extract definitions written for another version of the form. */
export const breaksBetween = (before: FormTemplate, after: FormTemplate): Break[] => {
  const now = controlsOf(after)
  const kept = new Map(after.buildingBlocks.map(block => [block.key, block] as const))
  return before.buildingBlocks.flatMap(block => {
    const { key } = block
    if (!kept.has(key)) {
      const detail = `The building block '${key}' of version ${before.version} is gone.`
      return [{ code: 'building-block-removed' as const, buildingBlock: key, detail }]
    }
    return valuesOf(before, block).flatMap(placed => {
      const same = now.get(placed.control.id)
      return controlBreaks(placed, same?.block.key === key && same.control.couldHaveValue ? same : undefined)
    })
  })
}

const valuesOf = (template: FormTemplate, block: BuildingBlock): PlacedControl[] =>
  [...controlsOf(template).values()].filter(placed => placed.block === block && placed.control.couldHaveValue)

function controlBreaks({ control, block, repeats }: PlacedControl, now: PlacedControl | undefined): Break[] {
  const { id } = control
  const found = (code: Break['code'], detail: string): Break => ({
    code,
    buildingBlock: block.key,
    control: id,
    detail,
  })
  if (!now)
    return [found('control-removed', `The building block '${block.key}' has no control '${id}' with values any more.`)]
  const [type, typeNow] = [valueTypeOf(control), valueTypeOf(now.control)]
  const options = new Set(now.control.options?.map(({ value }) => value))
  const gone = now.control.options ? (control.options ?? []).filter(({ value }) => !options.has(value)) : []
  return [
    ...(control.dataType === now.control.dataType
      ? []
      : [
          found(
            'data-type-changed',
            `The values of '${id}' are no longer ${control.dataType} but ${now.control.dataType}.`,
          ),
        ]),
    ...(type === typeNow
      ? []
      : [found('value-type-changed', `The values of '${id}' are no longer ${type} but ${typeNow}.`)]),
    ...(idsOf(repeats) === idsOf(now.repeats)
      ? []
      : [found('repeats-changed', `'${id}' stood in ${idsOf(repeats)} and stands in ${idsOf(now.repeats)} now.`)]),
    ...gone.map(({ value }) => found('option-removed', `The option '${value}' of '${id}' is gone.`)),
  ]
}

const idsOf = (repeats: PlacedControl['repeats']): string =>
  repeats.length === 0 ? 'no repeat' : `the repeat ${repeats.map(({ id }) => `'${id}'`).join(', ')}`
