// Request body of a multi extract.
import Type, { type Static } from 'typebox'
import { isDateTime } from '../../../db/frame/subjects/custom-fields.js'
import { nullIsAbsent } from '../../../runtime/schema/null-is-absent.js'
import { Id } from '../../schema/guid.js'

const Moment = (description: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({
        maxLength: 100,
        publish: { format: 'date-time' },
        description: `${description} ISO 8601; UTC where it names no zone.`,
      }),
      isDateTime,
      () => 'must be a date-time in ISO 8601',
    ),
  )
const Limit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
const Key = Type.String({ minLength: 1, maxLength: 255 })
// So many controls and building blocks a form has at most.
const ControlIds = Type.Optional(
  Type.Array(Key, { minItems: 1, maxItems: 2_000, description: 'Each once; absent: all controls.', ...nullIsAbsent }),
)

/** Of the building blocks of a form, the one of this key. */
const Selection = Type.Object({ key: Key, controlIds: ControlIds }, { $id: 'ExtractSelection' })
/** The building blocks that are chosen. */
export const Selections = (description: string, more: object = {}) =>
  Type.Array(Selection, { minItems: 1, maxItems: 200, description, ...more })

const Definition = Type.Object(
  {
    identifier: Type.String({ minLength: 1, maxLength: 255, description: 'Names the results; unique in the request.' }),
    type: Type.Enum(['form', 'building-block']),
    key: Key,
    version: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
    buildingBlocks: Type.Optional(Selections('Of a form, each once; absent: all building blocks.', nullIsAbsent)),
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
        ...nullIsAbsent,
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
