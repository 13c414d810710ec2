// Response schemas of the values of controls.
import Type, { type TProperties } from 'typebox'

const maybe = <Value extends Type.TSchema>(value: Value) => Type.Union([value, Type.Null()])

const place = {
  repeatIterationIndex: maybe(Type.Integer({ description: 'Index in the innermost repeat; null outside repeats.' })),
  repeatIterationPath: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Indices in nested repeats, the outermost first.' }),
  ),
}

/** Creates the schema of one type of value. It is named, so that generated clients get a class for it. */
const value = <Name extends string, Members extends TProperties>(type: Name, $id: string, members: Members) =>
  Type.Object({ type: Type.Literal(type), ...place, ...members }, { $id })

const chosen = { value: Type.String(), displayName: Type.String({ description: 'Label of the option.' }) }

/** A value of a control (spec forms "Control value types"). */
export const ControlValue = Type.Union(
  [
    value('empty', 'EmptyValue', {}),
    value('single-value', 'SingleValue', {
      value: Type.String({ description: 'Numbers in full precision, `true` or `false`, dates and times in ISO 8601.' }),
    }),
    value('single-selection', 'SingleSelection', chosen),
    value('multiple-selection', 'MultipleSelection', {
      selections: Type.Array(Type.Object(chosen, { $id: 'SelectedOption' })),
    }),
    value('geolocation', 'Geolocation', { latitude: Type.Number(), longitude: Type.Number() }),
    value('annotated-image', 'AnnotatedImage', {
      imageDataUri: Type.String({ description: 'A data URL of the image and its pins.' }),
      annotations: Type.Array(
        Type.Object(
          {
            position: Type.Integer({ description: 'The number of the pin, from 1.' }),
            value: Type.String(),
            x: Type.Number({ description: 'Per cent of the width.' }),
            y: Type.Number({ description: 'Per cent of the height.' }),
          },
          { $id: 'ImageAnnotation' },
        ),
      ),
    }),
    value('partial-date', 'PartialDate', {
      dateKind: Type.Enum(['yyyy', 'yyyy-MM', 'yyyy-MM-dd'], { description: 'Which parts of the date are known.' }),
      date: Type.String({ format: 'date' }),
    }),
    value('translatable-text-value', 'TranslatableText', {
      originalText: Type.String(),
      translatedText: Type.Optional(Type.String({ description: 'Absent until somebody has translated it.' })),
      sourceLanguageCode: Type.String(),
      targetLanguageCode: Type.Optional(Type.String()),
      translatedDateTime: Type.Optional(Type.String({ format: 'date-time' })),
    }),
  ],
  { $id: 'ControlValue', description: 'The type decides which members a value has.' },
)
