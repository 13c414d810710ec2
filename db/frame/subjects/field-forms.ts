// The input forms of each data type, and the faults of values that have another form.
import type { CustomField, InputValue, TypeKey } from './custom-field.js'

/** A field of subjects, or of a structure type, which holds one value. */
export type Field = CustomField & { isArray?: boolean }

/** Longest text of one value, in characters. */
export const maxTextLength = 10_000

/** The form of a value of each kind of field, in words and as clients write it. */
const forms: Record<TypeKey, { form: string; example: InputValue }> = {
  Text: {
    form: `a String of at most ${maxTextLength.toLocaleString('en')} characters`,
    example: { String: { Value: 'Ward 7' } },
  },
  PhoneNumber: {
    form: 'a String such as +44 20 7946 0000: at least three digits, blanks, and + ( ) . - / only',
    example: { String: { Value: '+44 20 7946 0000' } },
  },
  Number: { form: 'an Integer such as 72 or a Decimal such as 72.5', example: { Integer: { Value: 72 } } },
  Date: { form: 'a Date such as 1980-01-31', example: { Date: { Value: '1980-01-31' } } },
  DateTime: {
    form: 'a DateTime such as 1980-01-31T08:30:00Z, of the years 0001 to 9999 in UTC',
    example: { DateTime: { Value: '1980-01-31T08:30:00Z' } },
  },
  Time: { form: 'a Time such as 08:30, without a zone', example: { Time: { Value: '08:30' } } },
  UserIdentifier: {
    form: 'a UserIdentifier such as kim.worker, of 1 to 255 characters',
    example: { UserIdentifier: { Value: 'kim.worker' } },
  },
  Boolean: { form: 'a Boolean, true or false', example: { Boolean: { Value: true } } },
}

/** The expected form of one value of a field, with an example. It never repeats the value that was given. */
export const formOf = ({ typeKey }: Pick<CustomField, 'typeKey'>): string => forms[typeKey].form

/** The expected form of a field's values, as its faults name it. */
export const taken = (field: Field): string => `${field.isArray ? 'an array, each item ' : ''}${formOf(field)}.`

/** The same, and how a value is written: for values whose shape is wrong. */
export function takenAs(field: Field): string {
  const { example } = forms[field.typeKey]
  return `${taken(field)} Write it as ${JSON.stringify(field.isArray ? [example] : example)}.`
}

/** Fields that the fault of an unknown one names. */
const mostNamed = 10

/** The sentence for a key that no field has. */
export function unknownField(fields: readonly Pick<Field, 'key'>[], key: string): string {
  const known = fields.slice(0, mostNamed).map(each => each.key)
  const more = fields.length > mostNamed ? ', …' : ''
  return `There is no field '${key}' here. ${known.length > 0 ? `The fields are ${known.join(', ')}${more}.` : 'There are none.'}`
}
