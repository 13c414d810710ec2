// Schema of a multi extract's request body.
import Type, { type Static } from 'typebox'
import { isDateTime } from '../../../db/frame/fields/custom-fields.js'
import { nullIsAbsent } from '../../../runtime/schema/null-is-absent.js'
import { Id } from '../../schema/guid.js'

const Moment = (description: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({
        maxLength: 100,
        publish: { format: 'date-time' },
        description: `${description} ISO 8601; without a zone it is UTC.`,
      }),
      isDateTime,
      () => 'must be a date-time in ISO 8601',
    ),
  )
const Limit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))
const Key = Type.String({ minLength: 1, maxLength: 255 })
// The limits here and below are the highest numbers of controls and building blocks that a form can have.
const ControlIds = Type.Optional(
  Type.Array(Key, {
    minItems: 1,
    maxItems: 2_000,
    description: 'Ids of controls, each once. Default: all.',
    ...nullIsAbsent,
  }),
)

/** A building block of a form, chosen by its key. */
const Selection = Type.Object({ key: Key, controlIds: ControlIds }, { $id: 'ExtractSelection' })
/** Creates the schema of a list of chosen building blocks. */
export const Selections = (description: string, more: object = {}) =>
  Type.Array(Selection, { minItems: 1, maxItems: 200, description, ...more })

const Definition = Type.Object(
  {
    identifier: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Identifies the results; unique in the request.',
    }),
    type: Type.Enum(['form', 'building-block']),
    key: Key,
    version: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
    buildingBlocks: Type.Optional(Selections('Building blocks of a form, each once. Default: all.', nullIsAbsent)),
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
        description: 'Id or ExternalId of each subject. Subjects that do not exist are ignored.',
        ...nullIsAbsent,
      }),
    ),
    from: Moment('Earliest submission, inclusive.'),
    to: Moment('Latest submission, exclusive.'),
    maxResults: Limit(
      'Highest number of results of all definitions together. It is applied after the other limit; the most recent are kept.',
    ),
    maxResultsPerDefinitionPerSubject: Limit(
      'Highest number of results for each definition and subject. The most recent are kept.',
    ),
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
