// Display name, identifier and date of birth of a subject.
import type { Db, TenantId } from '../../connect.js'
import type { SubjectField } from './custom-field.js'
import { heldIn, listOf, type StoredValues } from './custom-fields.js'
import { type SubjectSettings, subjectSettings } from './subject-settings.js'
import { subjectStore } from './subjects.js'

/** The texts of a field that are not blank. */
export const textsOf = (values: StoredValues, key: string): string[] =>
  listOf(heldIn(values, key) ?? []).flatMap(([, text]) => (text.trim() === '' ? [] : [text]))

/** By what people tell a subject from others. */
export interface SubjectIdentity {
  /** '' where the fields of the name have no value. */
  displayName: string
  /** Undefined where the tenant has no such field; `day` is '' where the subject has no value of it. */
  dateOfBirth: { label: string; day: string } | undefined
  /** Labels are names of fields. Where no field has a value, the Id alone. */
  identifiers: { label: string; text: string }[]
}

/** Keys of fields that hold a part of a name, in the order of the name; letter case, `-`, `_` and `.` do not count. */
const nameParts = [/^(given|first|fore)names?$/, /^middlenames?$/, /^(family|last|sur)names?$/]
const wholeName = /^(display|full)?name$/
const birthDate = /^(dateofbirth|birthdate|birthday|dob)$/

const isCalled = ({ key }: SubjectField, name: RegExp): boolean => name.test(key.toLowerCase().replace(/[-_.]/g, ''))

/** Keys of the fields of a display name: those that the tenant names, otherwise Text fields by their keys. */
export function displayNameFieldsOf({ portal, fields }: SubjectSettings): string[] {
  if (portal.displayNameFields.length > 0) return portal.displayNameFields
  const called = (name: RegExp) => fields.filter(field => field.typeKey === 'Text' && isCalled(field, name))
  const parts = nameParts.flatMap(called)
  return (parts.length > 0 ? parts : called(wholeName)).map(({ key }) => key)
}

/** The field of the date of birth: the one that the tenant names, otherwise a Date field by its key. */
const dateOfBirthFieldOf = ({ dateOfBirthField, fields }: SubjectSettings): SubjectField | undefined =>
  dateOfBirthField === undefined
    ? fields.find(field => field.typeKey === 'Date' && !field.isArray && isCalled(field, birthDate))
    : fields.find(({ key }) => key === dateOfBirthField)

/** A subject's name to people; '' where the fields of the name have no value. */
export const displayNameIn = (nameFields: readonly string[], values: StoredValues): string =>
  nameFields.flatMap(key => textsOf(values, key)).join(' ')

/**
 * By what people tell a subject from others. Identifiers are the values of `identifierField`, without that setting of the
 * matching fields that are no part of name and date of birth.
 * @param values undefined where the subject is not known.
 */
export function identityIn(settings: SubjectSettings, id: string, values: StoredValues | undefined): SubjectIdentity {
  const idAlone = [{ label: 'Identifier', text: id }]
  if (!values) return { displayName: '', dateOfBirth: undefined, identifiers: idAlone }
  const nameFields = displayNameFieldsOf(settings)
  const birth = dateOfBirthFieldOf(settings)
  const { identifierField, matchingFields } = settings
  const keys = identifierField === undefined ? matchingFields : [identifierField]
  const identifiers = settings.fields
    .filter(({ key }) => keys.includes(key) && !nameFields.includes(key) && key !== birth?.key)
    .flatMap(({ key, name }) => textsOf(values, key).map(text => ({ label: name, text })))
  return {
    displayName: displayNameIn(nameFields, values),
    dateOfBirth: birth && { label: birth.name, day: textsOf(values, birth.key)[0] ?? '' },
    identifiers: identifiers.length > 0 ? identifiers : idAlone,
  }
}

/** The identity of a subject as its values are now. */
export async function identityOf(db: Db, tenant: TenantId, subjectId: string): Promise<SubjectIdentity> {
  const [settings, subject] = await Promise.all([subjectSettings(db, tenant), subjectStore(db, tenant).byId(subjectId)])
  return identityIn(settings, subjectId, subject?.values)
}
