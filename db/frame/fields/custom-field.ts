/** The kinds of custom field (spec frame "Structure type"), each with the data types that its values may have. */
export const dataTypesByTypeKey = {
  Text: ['String'],
  PhoneNumber: ['String'],
  Number: ['Integer', 'Decimal'],
  Date: ['Date'],
  DateTime: ['DateTime'],
  Time: ['Time'],
  UserIdentifier: ['UserIdentifier'],
  Boolean: ['Boolean'],
} as const satisfies Record<string, readonly DataType[]>

export type TypeKey = keyof typeof dataTypesByTypeKey
export type DataType = 'Boolean' | 'String' | 'Integer' | 'Decimal' | 'DateTime' | 'Date' | 'Time' | 'UserIdentifier'

/** The kinds that a field of subjects may have. */
export const subjectTypeKeys = Object.keys(dataTypesByTypeKey) as TypeKey[]
/** The kinds that a field of a structure type may have: all but `Boolean`. */
export const structureTypeKeys = subjectTypeKeys.filter(each => each !== 'Boolean')

export interface CustomField {
  key: string
  name: string
  typeKey: TypeKey
  required: boolean
}

/** A custom field of subjects. Unlike a structure type's field, it may hold several values. */
export interface SubjectField extends CustomField {
  isArray: boolean
}

/** An order of subjects or entities by a field, which lists keep for whoever sorts by it (see `orders/field-orders.ts`). */
export interface FieldOrder {
  id: number
  /** Key of the field. */
  key: string
}

/** A value as clients write it: an object with exactly one property, named for the data type, e.g. `{Integer: {Value: 3}}`. */
export type InputValue = { [K in DataType]?: { Value: unknown } | undefined }

/** An entry of `CustomFieldValues` as clients write it. */
export interface GivenValue {
  Key: string
  /** Null removes the value; only some endpoints accept it. */
  Value: InputValue | InputValue[] | null
}
