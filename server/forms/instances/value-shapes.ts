// Schemas of the values of controls.
import Type, { type TProperties } from 'typebox'

const maybe = <Value extends Type.TSchema>(value: Value) => Type.Union([value, Type.Null()])

const place = {
  repeatIterationIndex: maybe(Type.Integer({ description: 'Of the innermost repeat; null outside repeats.' })),
  repeatIterationPath: Type.Optional(
    Type.Array(Type.Integer(), { description: 'In nested repeats, the outer first.' }),
  ),
}

const value = <Name extends string, Members extends TProperties>(type: Name, members: Members) =>
  Type.Object({ type: Type.Literal(type), ...place, ...members })

const chosen = { value: Type.String(), displayName: Type.String({ description: 'What was shown of the option.' }) }

/** Spec forms "Control value types". */
export const ControlValue = Type.Union(
  [
    value('empty', {}),
    value('single-value', {
      value: Type.String({ description: 'Numbers with all their digits, true or false, dates and times in ISO 8601.' }),
    }),
    value('single-selection', chosen),
    value('multiple-selection', { selections: Type.Array(Type.Object(chosen)) }),
    value('geolocation', { latitude: Type.Number(), longitude: Type.Number() }),
    value('annotated-image', {
      imageDataUri: Type.String({ description: 'A data URL of the image and its pins.' }),
      annotations: Type.Array(
        Type.Object({
          position: Type.Integer({ description: 'The number of the pin, from 1.' }),
          value: Type.String(),
          x: Type.Number({ description: 'Per cent of the width.' }),
          y: Type.Number({ description: 'Per cent of the height.' }),
        }),
      ),
    }),
    value('partial-date', {
      dateKind: Type.Enum(['yyyy', 'yyyy-MM', 'yyyy-MM-dd'], { description: 'How much of the date counts.' }),
      date: Type.String({ format: 'date' }),
    }),
    value('translatable-text-value', {
      originalText: Type.String(),
      translatedText: maybe(Type.String({ description: 'Null until somebody has translated it.' })),
      sourceLanguageCode: Type.String(),
      targetLanguageCode: maybe(Type.String()),
      translatedDateTime: maybe(Type.String({ format: 'date-time' })),
    }),
  ],
  { $id: 'ControlValue', description: 'Its type says which members there are.' },
)
