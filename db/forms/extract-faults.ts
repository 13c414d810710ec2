import { extractedControls } from '../../forms/extracted.js'
import type { BuildingBlock } from '../../forms/template.js'
import type { Fault } from '../../runtime/problem.js'
import type { Sound } from '../../runtime/sound.js'
import type { TenantId } from '../connect.js'
import type { ExtractStores } from './extract-results.js'
import type { BlockSelection, ExtractDefinition } from './extracts.js'
import { formTemplates } from './templates.js'

/** The code of a form or building block that is not in production. */
export const notPublished = 'not-published'

/** A definition as it is given: with the members of either type. */
type GivenDefinition = Sound<Pick<ExtractDefinition, 'type' | 'key' | 'version'>> & {
  readonly buildingBlocks?: Sound<BlockSelection[]> | undefined
  readonly controlIds?: Sound<string[]> | undefined
}

/**
 * What is wrong with a definition of an extract for itself: what it names is not published, or not there, or is of the other
 * type. Of a definition that is sound only in part, what is wrong with that.
 * @param pointer of the definition.
 */
export async function definitionFaults(
  { db, forms }: ExtractStores,
  tenant: TenantId,
  { type, key, version, buildingBlocks, controlIds }: GivenDefinition,
  pointer: string,
): Promise<Fault[]> {
  const isNamed = key !== undefined && version !== undefined
  // The database ignores blanks at the end of a key: what it finds may have another.
  if (type === 'form') {
    const faults = controlIds ? [otherType(`${pointer}/controlIds`, 'Of a form, choose by buildingBlocks.')] : []
    if (!isNamed) return faults
    const template = await forms.template(tenant, key, version)
    if (template?.key === key)
      return [...faults, ...selectionFaults(template.buildingBlocks, buildingBlocks, `${pointer}/buildingBlocks`)]
    const detail = `There is no version ${version} of a form '${key}' in production.`
    return [...faults, { pointer: `${pointer}/version`, code: notPublished, detail }]
  }
  if (type === 'building-block') {
    const faults = buildingBlocks
      ? [otherType(`${pointer}/buildingBlocks`, 'Of a building block, choose by controlIds.')]
      : []
    if (!isNamed) return faults
    const block = await formTemplates(db, tenant).block(key, version)
    if (block?.key === key) return [...faults, ...choiceFaults(block, controlIds, pointer)]
    const detail = `There is no version ${version} of a building block '${key}' in a form in production.`
    return [...faults, { pointer: `${pointer}/version`, code: notPublished, detail }]
  }
  return []
}

const otherType = (pointer: string, detail: string): Fault => ({ pointer, code: 'unknown-member', detail })

/** What is wrong with a choice among the building blocks of a form. @param pointer of the choice. */
export function selectionFaults(
  blocks: readonly BuildingBlock[],
  selected: Sound<BlockSelection[]> = [],
  pointer: string,
): Fault[] {
  const byKey = new Map(blocks.map(block => [block.key, block]))
  const before = new Set<string>()
  return selected.flatMap((selection, n): Fault[] => {
    const { key, controlIds } = selection ?? {}
    if (key === undefined) return []
    const at = `${pointer}/${n}`
    if (before.has(key)) {
      const detail = `The building block '${key}' is chosen twice.`
      return [{ pointer: `${at}/key`, code: 'duplicate-building-block', detail }]
    }
    before.add(key)
    const block = byKey.get(key)
    if (block) return choiceFaults(block, controlIds, at)
    return [
      { pointer: `${at}/key`, code: 'unknown-building-block', detail: `The form has no building block '${key}'.` },
    ]
  })
}

/** What is wrong with a choice among the controls of a building block. @param pointer of what chooses. */
function choiceFaults(block: BuildingBlock, controlIds: Sound<string[]> = [], pointer: string): Fault[] {
  const ids = new Set(extractedControls(block).map(({ id }) => id))
  const before = new Set<string>()
  return controlIds.flatMap((id, n): Fault[] => {
    if (id === undefined) return []
    const at = `${pointer}/controlIds/${n}`
    if (before.has(id))
      return [{ pointer: at, code: 'duplicate-control', detail: `The control '${id}' is chosen twice.` }]
    before.add(id)
    if (ids.has(id)) return []
    const detail = `The building block '${block.key}' has no control '${id}' that could have a value.`
    return [{ pointer: at, code: 'unknown-control', detail }]
  })
}
