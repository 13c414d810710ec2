import Type from 'typebox'
import { dataTypes } from '../../forms/template.js'
import { ControlValue } from './shapes.js'

const ControlResult = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    dataType: Type.Enum([...dataTypes]),
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

/** Spec forms "Form extract result". */
export const FormResult = Type.Object(
  {
    ...head,
    buildingBlocks: Type.Array(Type.Object({ key: Type.String(), controls: Type.Array(ControlResult) })),
  },
  { $id: 'FormExtractResult' },
)

const BlockResult = Type.Object({ ...head, controls: Type.Array(ControlResult) }, { $id: 'BuildingBlockExtractResult' })

/** What a multi extract answers. */
export const ExtractResults = Type.Object(
  {
    results: Type.Array(
      Type.Union([
        Type.Object({ identifier: Type.String(), type: Type.Literal('form'), results: Type.Array(FormResult) }),
        Type.Object({
          identifier: Type.String(),
          type: Type.Literal('building-block'),
          results: Type.Array(BlockResult),
        }),
      ]),
      { description: 'One for each definition, in their order.' },
    ),
  },
  { $id: 'ExtractResults' },
)
