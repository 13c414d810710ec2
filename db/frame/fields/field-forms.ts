// Describes in words which form of value each kind of field accepts.
import type { CustomField, InputValue, TypeKey } from './custom-field.js'

/** A field of subjects or of a structure type. A structure type's field always holds one value. */
export type Field = CustomField & { isArray?: boolean }

/** The longest text that one value may have, in characters. */
export const maxTextLength = 10_000

/** What each kind of field accepts, in words and as clients write it. */
const forms: Record<TypeKey, { form: string; example: InputValue }> = {
  Text: {
    form: `a String of at most ${maxTextLength.toLocaleString('en')} characters, without control characters`,
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
    form: 'a UserIdentifier such as kim.worker, of 1 to 255 characters, without control characters',
    example: { UserIdentifier: { Value: 'kim.worker' } },
  },
  Boolean: { form: 'a Boolean, true or false', example: { Boolean: { Value: true } } },
}

/** Describes the expected form of one value of a field. Never quotes the client's value, which may be personal data. */
export const formOf = ({ typeKey }: Pick<CustomField, 'typeKey'>): string => forms[typeKey].form

/** Describes the expected form of a field's value or values, as the end of a sentence such as "The field 'a' takes …". */
export const taken = (field: Field): string => `${field.isArray ? 'an array, each item ' : ''}${formOf(field)}.`

/** Describes the expected form and adds an example in JSON, for values whose shape is wrong. */
export function takenAs(field: Field): string {
  const { example } = forms[field.typeKey]
  return `${taken(field)} Write it as ${JSON.stringify(field.isArray ? [example] : example)}.`
}

/** Leaves out the example in JSON that {@link takenAs} adds, for authors of CSV. */
export function withoutExample(detail: string): string {
  const begin = detail.lastIndexOf(' Write it as ')
  return begin >= 0 && /^ Write it as [{[]/.test(detail.slice(begin)) ? detail.slice(0, begin) : detail
}

/** How many of the known fields the fault of an unknown field lists. */
const maxNamed = 10

/** Says that there is no field with this key, and which fields there are. */
export function unknownField(fields: readonly Pick<Field, 'key'>[], key: string): string {
  const known = fields.slice(0, maxNamed).map(each => each.key)
  const more = fields.length > maxNamed ? ', …' : ''
  return `There is no field '${key}' here. ${known.length > 0 ? `The fields are ${known.join(', ')}${more}.` : 'There are none.'}`
}
