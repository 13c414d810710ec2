// Finds the faults of extract definitions: unknown forms, building blocks and controls.
import { extractedControls } from '../../../forms/extracted.js'
import type { BuildingBlock, FormTemplate } from '../../../forms/template.js'
import { type Fault, firstFaults } from '../../../runtime/problems/problem.js'
import type { WithoutFaults } from '../../../runtime/schema/without-faults.js'
import type { TenantId } from '../../connect.js'
import { formTemplates, nameText, type VersionName } from '../templates/templates.js'
import type { ExtractStores } from './extract-results.js'
import type { BlockSelection, ExtractDefinition } from './extracts.js'

/** The code of a form or building block that is not in production. */
export const notPublished = 'not-published'

/** A definition in a request, which may have the members of either type. */
type GivenDefinition = WithoutFaults<Pick<ExtractDefinition, 'type' | 'key' | 'version'>> & {
  readonly buildingBlocks?: WithoutFaults<BlockSelection[]> | undefined
  readonly controlIds?: WithoutFaults<string[]> | undefined
}

/**
 * Finds the faults of each definition of an extract: forms and building blocks that are not published, members of the other
 * type, and invalid selections.
 * @param pointer of the list of definitions.
 */
export async function definitionFaults(
  { db, forms }: ExtractStores,
  tenant: TenantId,
  definitions: readonly (GivenDefinition | undefined)[],
  pointer: string,
): Promise<Fault[]> {
  const namedBy = (type: ExtractDefinition['type']) =>
    definitions.flatMap(given => (given?.type === type ? nameOf(given) : []))
  const templates = await forms.templates(tenant, namedBy('form'))
  const found = await formTemplates(db, tenant).blocks(namedBy('building-block'))
  const blocks = new Map(found.map(block => [nameText(block), block]))
  function* faultsOf(given: GivenDefinition, at: string): Generator<Fault> {
    const [name] = nameOf(given)
    if (given.type === 'form') yield* formFaults(given, name && templates.get(nameText(name)), at)
    else if (given.type) yield* blockFaults(given, name && blocks.get(nameText(name)), at)
  }
  function* all() {
    for (const [n, given = {}] of definitions.entries()) yield* faultsOf(given, `${pointer}/${n}`)
  }
  return firstFaults(all())
}

/** Returns the key and version of a definition as a list, which is empty if one is missing. */
const nameOf = ({ key, version }: GivenDefinition): VersionName[] =>
  key === undefined || version === undefined ? [] : [{ key, version }]

function* formFaults(given: GivenDefinition, template: FormTemplate | undefined, at: string): Generator<Fault> {
  if (given.controlIds) yield otherType(`${at}/controlIds`, 'For a form, use buildingBlocks.')
  const [name] = nameOf(given)
  if (!name) return
  if (template) yield* selectionFaults(template.buildingBlocks, given.buildingBlocks, `${at}/buildingBlocks`)
  else yield unpublished(`version ${name.version} of a form '${name.key}'`, at)
}

function* blockFaults(given: GivenDefinition, block: BuildingBlock | undefined, at: string): Generator<Fault> {
  if (given.buildingBlocks) yield otherType(`${at}/buildingBlocks`, 'For a building block, use controlIds.')
  const [name] = nameOf(given)
  if (!name) return
  if (block) yield* choiceFaults(block, given.controlIds, at)
  else yield unpublished(`version ${name.version} of a building block '${name.key}' of a form`, at)
}

const otherType = (pointer: string, detail: string): Fault => ({ pointer, code: 'unknown-member', detail })

const unpublished = (what: string, at: string): Fault => ({
  pointer: `${at}/version`,
  code: notPublished,
  detail: `There is no ${what} in production.`,
})

/** Finds the faults of a selection of building blocks. @param pointer of the selection. */
export function* selectionFaults(
  blocks: readonly BuildingBlock[],
  selected: WithoutFaults<BlockSelection[]> = [],
  pointer: string,
): Generator<Fault> {
  const byKey = new Map(blocks.map(block => [block.key, block]))
  const before = new Set<string>()
  for (const [n, { key, controlIds } = {}] of selected.entries()) {
    if (key === undefined) continue
    const at = `${pointer}/${n}`
    const block = byKey.get(key)
    if (before.has(key)) {
      const detail = `The building block '${key}' is chosen twice.`
      yield { pointer: `${at}/key`, code: 'duplicate-building-block', detail }
    } else if (!block) {
      const detail = `The form has no building block '${key}'.`
      yield { pointer: `${at}/key`, code: 'unknown-building-block', detail }
    } else yield* choiceFaults(block, controlIds, at)
    before.add(key)
  }
}

/** Finds the faults of a selection of controls. @param pointer of the object that has the selection. */
function* choiceFaults(
  block: BuildingBlock,
  controlIds: WithoutFaults<string[]> = [],
  pointer: string,
): Generator<Fault> {
  const ids = new Set(extractedControls(block).map(({ id }) => id))
  const before = new Set<string>()
  for (const [n, id] of controlIds.entries()) {
    if (id === undefined) continue
    const at = `${pointer}/controlIds/${n}`
    if (before.has(id)) {
      yield { pointer: at, code: 'duplicate-control', detail: `The control '${id}' is chosen twice.` }
    } else if (!ids.has(id)) {
      const detail = `The building block '${block.key}' has no control '${id}' that could have a value.`
      yield { pointer: at, code: 'unknown-control', detail }
    }
    before.add(id)
  }
}
