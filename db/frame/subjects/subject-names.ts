// Derives the display name, identifiers and date of birth of a subject from its values.

import type { Db, TenantId } from '../../connect.js'
import { comparableText } from '../fields/comparable-text.js'
import type { SubjectField } from '../fields/custom-field.js'
import { heldIn, listOf, type StoredValues } from '../fields/custom-fields.js'
import { type SubjectSettings, subjectSettings } from '../fields/subject-settings.js'
import { subjectStore } from './subjects.js'

/** Returns the texts of a field's values, without blank ones. */
export const textsOf = (values: StoredValues, key: string): string[] =>
  listOf(heldIn(values, key) ?? []).flatMap(([, text]) => (comparableText(text) === '' ? [] : [text]))

/** What people tell a subject from others by. */
export interface SubjectIdentity {
  /** Empty if the fields of the name have no value. */
  displayName: string
  /** Undefined if the tenant has no such field. `day` is empty if the subject has no value in it. */
  dateOfBirth: { label: string; day: string } | undefined
  /** The labels are names of fields. If none of the fields has a value, the only identifier is the subject's id. */
  identifiers: { label: string; text: string }[]
}

/**
 * Keys by which the fields with parts of a name are recognized, in the order of the parts. Keys are compared in lower case and
 * without `-`, `_` and `.`.
 */
const nameParts = [/^(given|first|fore)names?$/, /^middlenames?$/, /^(family|last|sur)names?$/]
const wholeName = /^(display|full)?name$/
const birthDate = /^(dateofbirth|birthdate|birthday|dob)$/

const isCalled = ({ key }: SubjectField, name: RegExp): boolean => name.test(key.toLowerCase().replace(/[-_.]/g, ''))

/** Returns the keys of the fields that make the display name: those in the tenant's settings, or else Text fields recognized by key. */
export function displayNameFieldsOf({ portal, fields }: SubjectSettings): string[] {
  if (portal.displayNameFields.length > 0) return portal.displayNameFields
  const called = (name: RegExp) => fields.filter(field => field.typeKey === 'Text' && isCalled(field, name))
  const parts = nameParts.flatMap(called)
  return (parts.length > 0 ? parts : called(wholeName)).map(({ key }) => key)
}

/** Finds the field of the date of birth: the one in the tenant's settings, or else a Date field recognized by its key. */
const dateOfBirthFieldOf = ({ dateOfBirthField, fields }: SubjectSettings): SubjectField | undefined =>
  dateOfBirthField === undefined
    ? fields.find(field => field.typeKey === 'Date' && !field.isArray && isCalled(field, birthDate))
    : fields.find(({ key }) => key === dateOfBirthField)

/** Returns the display name, or '' if the fields of the name have no value. */
export const displayNameIn = (nameFields: readonly string[], values: StoredValues): string =>
  nameFields.flatMap(key => textsOf(values, key)).join(' ')

/**
 * Returns what people tell a subject from others by. Its identifiers are the values of `identifierField`, or without that setting
 * those of the matching fields, except for fields that are part of the name or the date of birth.
 * @param values undefined if the subject is not known.
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

/** Reads the identity of a subject from its current values. */
export async function identityOf(db: Db, tenant: TenantId, subjectId: string): Promise<SubjectIdentity> {
  const [settings, subject] = await Promise.all([subjectSettings(db, tenant), subjectStore(db, tenant).byId(subjectId)])
  return identityIn(settings, subjectId, subject?.values)
}
