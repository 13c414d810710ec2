/** The kinds of custom field (spec frame "Structure type") and the data types a value of each may have. */
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

/** Kinds that a field of subjects may have; a structure type's takes all but `Boolean`. */
export const subjectTypeKeys = Object.keys(dataTypesByTypeKey) as TypeKey[]
export const structureTypeKeys = subjectTypeKeys.filter(each => each !== 'Boolean')

export interface CustomField {
  key: string
  name: string
  typeKey: TypeKey
  required: boolean
}

/** A field of subjects: it may hold several values. */
export interface SubjectField extends CustomField {
  isArray: boolean
}

/** A value as clients write it: one property, named for the data type, e.g. `{Integer: {Value: 3}}`. */
export type InputValue = { [K in DataType]?: { Value: unknown } | undefined }

export interface GivenValue {
  Key: string
  /** Null, where its endpoint takes it: no value. */
  Value: InputValue | InputValue[] | null
}
