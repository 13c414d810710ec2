import Type, { type Static } from 'typebox'
import type { TenantId } from '../../../db/connect.js'
import { notPublished } from '../../../db/forms/extracts/extract-faults.js'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import { definitionOf, type ExtractRequest } from '../../../db/forms/extracts/extracts.js'
import { isDateTime, utc } from '../../../db/frame/subjects/custom-fields.js'
import { type Fault, invalid, notFound, type Problem } from '../../../runtime/problem.js'
import { Id } from '../../schema/guid.js'
import { extractFaults } from './extract-faults.js'

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
// So many controls and building blocks a form has at most.
const ControlIds = Type.Optional(
  Type.Array(Key, { minItems: 1, maxItems: 2_000, description: 'Each once; absent: all controls.' }),
)

/** Of the building blocks of a form, the one of this key. */
const Selection = Type.Object({ key: Key, controlIds: ControlIds }, { $id: 'ExtractSelection' })
/** The building blocks that are chosen. */
export const Selections = (description: string) => Type.Array(Selection, { minItems: 1, maxItems: 200, description })

const Definition = Type.Object(
  {
    identifier: Type.String({ minLength: 1, maxLength: 255, description: 'Names the results; unique in the request.' }),
    type: Type.Enum(['form', 'building-block']),
    key: Key,
    version: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
    buildingBlocks: Type.Optional(Selections('Of a form, each once; absent: all building blocks.')),
    controlIds: ControlIds,
  },
  { $id: 'ExtractRequestDefinition' },
)

/** Body of a multi extract (spec forms "Multi extract"). */
export const ExtractBody = Type.Object(
  {
    subjectIdentifiers: Type.Optional(
      Type.Array(Id, {
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
  {
    $id: 'ExtractRequest',
    examples: [
      {
        maxResultsPerDefinitionPerSubject: 1,
        definitions: [
          {
            identifier: 'phq-9',
            type: 'form',
            key: 'phq-9',
            version: 2,
            buildingBlocks: [{ key: 'phq9', controlIds: ['mood', 'score'] }],
          },
          { identifier: 'safety', type: 'building-block', key: 'phq9-safety', version: 1 },
        ],
      },
    ],
  },
)
export type ExtractBody = Static<typeof ExtractBody>

/**
 * What a body asks for, checked against the tenant's published forms.
 * @throws Problem 400 with every fault; 404 where all that is wrong is that forms or building blocks are not published.
 */
export async function extractRequest(
  stores: ExtractStores,
  tenant: TenantId,
  body: ExtractBody,
): Promise<ExtractRequest> {
  const faults = await extractFaults(stores, tenant, body)
  if (faults.length > 0) throw refusal(faults)
  const { from, to, maxResults, maxResultsPerDefinitionPerSubject, definitions } = body
  return {
    from: momentOf(from),
    to: momentOf(to),
    maxResults,
    maxResultsPerDefinitionPerSubject,
    definitions: definitions.map(definitionOf),
  }
}

function refusal(faults: Fault[]): Problem {
  if (faults.some(({ code }) => code !== notPublished)) return invalid(faults)
  const [first] = faults
  const more = faults.length > 1 ? ` So it is with ${faults.length - 1} more.` : ''
  return notFound(`${first?.detail}${more}`, faults)
}

/** What the database can compare; nothing was submitted before or after. */
const [firstTime, lastTime] = [0, Date.parse('9999-12-31T23:59:59.999Z')]

/** The first millisecond that is not before a time: submissions have milliseconds. */
export function momentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const finer = /\.\d{3}\d*[1-9]/.test(text) ? 1 : 0
  return new Date(Math.min(Math.max(Date.parse(utc(text)) + finer, firstTime), lastTime)).toISOString()
}
