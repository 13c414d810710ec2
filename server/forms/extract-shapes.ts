import Type from 'typebox'
import { dataTypes } from '../../forms/template.js'
import { enteredTypes } from '../../forms/value-type.js'
import { ControlValue } from './value-shapes.js'

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
