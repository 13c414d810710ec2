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
      description: 'Of what is entered; a value may be of the type empty besides.',
    }),
  },
  { $id: 'ControlExtractDefinition' },
)

/** Spec forms "Building block extract definition". */
export const BlockExtractDefinition = Type.Object(
  {
    key: Type.String(),
    version: Type.Integer(),
    controls: Type.Array(ControlDefinition, {
      description: 'Those that could have a value, in the order of the form.',
    }),
  },
  { $id: 'BuildingBlockExtractDefinition' },
)

/** Spec forms "Form extract definition". */
export const FormExtractDefinition = Type.Object(
  { key: Type.String(), version: Type.Integer(), buildingBlocks: Type.Array(BlockExtractDefinition) },
  { $id: 'FormExtractDefinition' },
)

const ControlResult = Type.Object(
  {
    ...control,
    values: Type.Array(ControlValue, { description: 'None where the control was not relevant.' }),
  },
  { $id: 'ControlExtractResult' },
)

const head = {
  instanceGuid: Type.String({ format: 'uuid' }),
  subjectIdentifier: Type.String({ format: 'uuid' }),
  submittedByUserIdentifier: Type.String(),
  submissionDateTime: Type.String({ format: 'date-time' }),
  correlationId: Type.Union([Type.String(), Type.Null()]),
}

const anExample = {
  instanceGuid: '01a2021e-2bc6-75d6-96df-5e3584818c80',
  subjectIdentifier: '01a2021d-66f4-7231-8c0f-0f5f0a6d3a54',
  submittedByUserIdentifier: 'ada.okafor',
  submissionDateTime: '2026-11-02T09:41:07.312Z',
  correlationId: null,
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

/** Spec forms "Form extract result". */
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

/** A result with the definition that it is of, as a line of its own. */
export const ExtractLine = Type.Union(
  [
    Type.Object({ ...named('form'), ...FormResult.properties }, { $id: 'FormExtractLine' }),
    Type.Object({ ...named('building-block'), ...BlockResult.properties }, { $id: 'BuildingBlockExtractLine' }),
  ],
  {
    $id: 'ExtractLine',
    description: 'A result as a line of JSON; definition after definition.',
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
      { description: 'One for each definition, in their order.' },
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
