// Response schemas of the extract endpoints.
import Type from 'typebox'
import { dataTypes } from '../../../forms/template.js'
import { enteredTypes } from '../../../forms/value-type.js'
import { ControlValue } from '../instances/value-shapes.js'

const control = { id: Type.String(), label: Type.String(), dataType: Type.Enum([...dataTypes]) }

const ControlDefinition = Type.Object(
  {
    ...control,
    extractValueType: Type.Enum([...enteredTypes], {
      description: 'Type of the answers. A control without an answer has a value of type `empty`.',
    }),
  },
  { $id: 'ControlExtractDefinition' },
)

/** Building block extract definition (spec forms). */
export const BlockExtractDefinition = Type.Object(
  {
    key: Type.String(),
    version: Type.Integer(),
    controls: Type.Array(ControlDefinition, {
      description: 'The controls that can have a value, in the order of the form.',
    }),
  },
  { $id: 'BuildingBlockExtractDefinition' },
)

/** Form extract definition (spec forms). */
export const FormExtractDefinition = Type.Object(
  { key: Type.String(), version: Type.Integer(), buildingBlocks: Type.Array(BlockExtractDefinition) },
  { $id: 'FormExtractDefinition' },
)

const ControlResult = Type.Object(
  {
    ...control,
    values: Type.Array(ControlValue, { description: 'Empty if the control was not relevant.' }),
  },
  { $id: 'ControlExtractResult' },
)

const head = {
  instanceGuid: Type.String({ format: 'uuid' }),
  subjectIdentifier: Type.String({ format: 'uuid' }),
  submittedByUserIdentifier: Type.String(),
  submissionDateTime: Type.String({ format: 'date-time' }),
  correlationId: Type.Optional(Type.String({ description: 'Absent if the instance was created without one.' })),
}

const anExample = {
  instanceGuid: '01a2021e-2bc6-75d6-96df-5e3584818c80',
  subjectIdentifier: '01a2021d-66f4-7231-8c0f-0f5f0a6d3a54',
  submittedByUserIdentifier: 'ada.okafor',
  submissionDateTime: '2026-11-02T09:41:07.312Z',
  buildingBlocks: [
    {
      key: 'phq9',
      controls: [
        {
          id: 'mood',
          label: '2. Feeling down, depressed, or hopeless',
          dataType: 'integer',
          values: [{ type: 'single-selection', repeatIterationIndex: null, value: '1', displayName: 'Several days' }],
        },
      ],
    },
  ],
}

/** Form extract result (spec forms). */
export const FormResult = Type.Object(
  {
    ...head,
    buildingBlocks: Type.Array(
      Type.Object({ key: Type.String(), controls: Type.Array(ControlResult) }, { $id: 'ExtractedBuildingBlock' }),
    ),
  },
  { $id: 'FormExtractResult', examples: [anExample] },
)

const BlockResult = Type.Object({ ...head, controls: Type.Array(ControlResult) }, { $id: 'BuildingBlockExtractResult' })

const named = <Kind extends string>(type: Kind) => ({ identifier: Type.String(), type: Type.Literal(type) })

/** A result as a line of NDJSON, with the definition that it belongs to. */
export const ExtractLine = Type.Union(
  [
    Type.Object({ ...named('form'), ...FormResult.properties }, { $id: 'FormExtractLine' }),
    Type.Object({ ...named('building-block'), ...BlockResult.properties }, { $id: 'BuildingBlockExtractLine' }),
  ],
  {
    $id: 'ExtractLine',
    description: 'One result, as a line of JSON. The results are sorted by definition.',
    examples: [{ identifier: 'phq-9', type: 'form', ...anExample }],
  },
)

/** Response of a multi extract. */
export const ExtractResults = Type.Object(
  {
    results: Type.Array(
      Type.Union([
        Type.Object({ ...named('form'), results: Type.Array(FormResult) }, { $id: 'FormExtractResults' }),
        Type.Object(
          { ...named('building-block'), results: Type.Array(BlockResult) },
          { $id: 'BuildingBlockExtractResults' },
        ),
      ]),
      { description: 'One entry for each definition, in the order of the request.' },
    ),
  },
  {
    $id: 'ExtractResults',
    examples: [
      {
        results: [
          { identifier: 'phq-9', type: 'form', results: [anExample] },
          { identifier: 'safety', type: 'building-block', results: [] },
        ],
      },
    ],
  },
)
