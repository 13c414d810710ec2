import Type, { type Static } from 'typebox'
import type { TenantId } from '../../db/connect.js'
import type { ExtractStores } from '../../db/forms/extract-results.js'
import type { BlockSelection, ExtractDefinition, ExtractRequest } from '../../db/forms/extracts.js'
import { formTemplates } from '../../db/forms/templates.js'
import { isDateTime, utc } from '../../db/frame/custom-fields.js'
import { extractedControls } from '../../forms/extracted.js'
import type { BuildingBlock } from '../../forms/template.js'
import { type Fault, invalid, notFound } from '../../runtime/problem.js'

const Moment = (description: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({ maxLength: 100, description: `${description} ISO 8601; UTC where it names no zone.` }),
      isDateTime,
      () => 'must be a date-time in ISO 8601',
    ),
  )
const Limit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
const Key = Type.String({ minLength: 1, maxLength: 255 })
const ControlIds = Type.Optional(
  Type.Array(Key, { minItems: 1, uniqueItems: true, description: 'Absent: all controls.' }),
)

const Definition = Type.Object(
  {
    identifier: Type.String({ minLength: 1, maxLength: 255, description: 'Names the results; unique in the request.' }),
    type: Type.Enum(['form', 'building-block']),
    key: Key,
    version: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
    buildingBlocks: Type.Optional(
      Type.Array(Type.Object({ key: Key, controlIds: ControlIds }), {
        minItems: 1,
        description: 'Of a form; absent: all building blocks.',
      }),
    ),
    controlIds: ControlIds,
  },
  { $id: 'ExtractRequestDefinition' },
)

/** Body of a multi extract (spec forms "Multi extract"). */
export const ExtractBody = Type.Object(
  {
    subjectIdentifiers: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'Id or ExternalId of each. Who does not exist has no results.',
      }),
    ),
    from: Moment('Of submissions, inclusive.'),
    to: Moment('Exclusive.'),
    maxResults: Limit('Of all definitions together, after the other limit: the most recent.'),
    maxResultsPerDefinitionPerSubject: Limit('Of each definition and subject: the most recent.'),
    definitions: Type.Array(Definition, { minItems: 1, maxItems: 1_000 }),
  },
  { $id: 'ExtractRequest' },
)
type Body = Static<typeof ExtractBody>
type GivenDefinition = Static<typeof Definition>

/**
 * What a body asks for, checked against the tenant's published forms.
 * @throws Problem 400 with every fault; 404 where all that is wrong is that forms or building blocks are not published.
 */
export async function extractRequest(stores: ExtractStores, tenant: TenantId, body: Body): Promise<ExtractRequest> {
  const { maxResults, maxResultsPerDefinitionPerSubject } = body
  const [from, to] = [momentOf(body.from), momentOf(body.to)]
  const faults: Fault[] = []
  if (from && to && from > to)
    faults.push({ pointer: '/from', code: 'from-after-to', detail: `from (${body.from}) is after to (${body.to}).` })
  const definitions: ExtractDefinition[] = []
  const before = new Map<string, number>()
  for (const [n, given] of body.definitions.entries()) {
    const pointer = `/definitions/${n}`
    const first = before.get(given.identifier)
    if (first === undefined) before.set(given.identifier, n)
    else {
      const detail = `'${given.identifier}' is the identifier of /definitions/${first} too.`
      faults.push({ pointer: `${pointer}/identifier`, code: 'duplicate-identifier', detail })
    }
    faults.push(...(await faultsOf(stores, tenant, given, pointer)))
    definitions.push(definitionOf(given))
  }
  if (faults.length > 0) throw refusal(faults)
  return { from, to, maxResults, maxResultsPerDefinitionPerSubject, definitions }
}

const refusal = (faults: Fault[]) =>
  faults.every(({ code }) => code === notPublished)
    ? notFound(faults.map(({ detail }) => detail).join(' '), faults)
    : invalid(faults)

const notPublished = 'not-published'

function definitionOf({ identifier, type, key, version, buildingBlocks, controlIds }: GivenDefinition) {
  const named = { identifier, key, version }
  return type === 'form' ? { ...named, type, buildingBlocks } : { ...named, type, controlIds }
}

/** The first millisecond that is not before a time: submissions have milliseconds. */
function momentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const finer = /\.\d{3}\d*[1-9]/.test(text)
  return finer ? new Date(Date.parse(utc(text)) + 1).toISOString() : utc(text)
}

/** What is wrong with a definition for itself. */
async function faultsOf(
  { db, forms }: ExtractStores,
  tenant: TenantId,
  { type, key, version, buildingBlocks, controlIds }: GivenDefinition,
  pointer: string,
): Promise<Fault[]> {
  if (type === 'building-block') {
    const faults: Fault[] = []
    if (buildingBlocks) {
      const detail = 'Only a form has building blocks; choose among controls by controlIds.'
      faults.push({ pointer: `${pointer}/buildingBlocks`, code: 'unknown-member', detail })
    }
    const block = await formTemplates(db, tenant).block(key, version)
    if (block) return [...faults, ...unknownControls(block, controlIds, pointer)]
    const detail = `There is no version ${version} of a building block '${key}' in a form in production.`
    return [...faults, { pointer: `${pointer}/version`, code: notPublished, detail }]
  }
  const faults: Fault[] = []
  if (controlIds) {
    const detail = 'Of a form, choose among controls by buildingBlocks.'
    faults.push({ pointer: `${pointer}/controlIds`, code: 'unknown-member', detail })
  }
  const template = await forms.template(tenant, key, version)
  if (!template) {
    const detail = `There is no version ${version} of a form '${key}' in production.`
    return [...faults, { pointer: `${pointer}/version`, code: notPublished, detail }]
  }
  return [...faults, ...selectionFaults(template.buildingBlocks, buildingBlocks ?? [], `${pointer}/buildingBlocks`)]
}

/** What is wrong with a choice among the building blocks of a form. @param pointer of the choice. */
export function selectionFaults(
  blocks: readonly BuildingBlock[],
  selected: readonly BlockSelection[],
  pointer: string,
): Fault[] {
  const keys = selected.map(({ key }) => key)
  return selected.flatMap(({ key, controlIds }, n): Fault[] => {
    const at = `${pointer}/${n}`
    if (keys.indexOf(key) < n) {
      const detail = `The building block '${key}' is chosen twice.`
      return [{ pointer: `${at}/key`, code: 'duplicate-building-block', detail }]
    }
    const block = blocks.find(each => each.key === key)
    if (block) return unknownControls(block, controlIds, at)
    return [
      { pointer: `${at}/key`, code: 'unknown-building-block', detail: `The form has no building block '${key}'.` },
    ]
  })
}

function unknownControls(block: BuildingBlock, controlIds: readonly string[] = [], pointer: string): Fault[] {
  const ids = new Set(extractedControls(block).map(({ id }) => id))
  return controlIds.flatMap((id, n) => {
    if (ids.has(id)) return []
    const detail = `The building block '${block.key}' has no control '${id}' that could have a value.`
    return [{ pointer: `${pointer}/controlIds/${n}`, code: 'unknown-control', detail }]
  })
}
