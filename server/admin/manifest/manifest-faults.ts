// Validates a whole manifest, in itself and against the tenant's data.
import type { TenantManifest } from '../../../db/admin/manifest.js'
import { unknownGroups } from '../../../db/admin/users.js'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import type { SubjectField } from '../../../db/frame/fields/custom-field.js'
import { type ImportMap, mappedColumn } from '../../../db/frame/fields/import-map.js'
import type { SubjectSettings } from '../../../db/frame/fields/subject-settings.js'
import { hasForm, wrongForm } from '../../../db/frame/imports/columns.js'
import { subjectTargets } from '../../../db/frame/imports/subject-rows.js'
import { type Fault, fault, pointerPart } from '../../../runtime/problems/problem.js'
import { isShortKey } from '../../../runtime/schema/short-key.js'
import { duplicateKeys } from '../../schema/duplicate-keys.js'
import { exportFaults } from './export-faults.js'
import { formsFaults } from './forms-faults.js'
import { glueFaults } from './glue-faults.js'

/**
 * Returns the faults that cannot be found by the schema, since they concern several parts of a manifest or the tenant's
 * data.
 */
export async function manifestFaults(
  stores: ExtractStores,
  manifest: TenantManifest,
  keyInBody?: string,
): Promise<Fault[]> {
  const { key, clients, subjects, structuralEntities, users, glue, forms } = manifest
  const { db } = stores
  const tenant = await db('tenants').where({ tenant_key: key }).first('id')
  return [
    ...keyFaults(key, keyInBody),
    ...duplicateKeys(ids(clients), n => `/clients/${n}/id`, 'client'),
    ...lateEnds(clients),
    ...subjectFaults(subjects),
    ...duplicateMaps(structuralEntities.importMaps, '/structuralEntities'),
    ...duplicateKeys(ids(users), n => `/users/${n}/id`, 'user'),
    ...(await unknownGroups(db, tenant?.id, users)),
    ...glueFaults(glue),
    ...formsFaults(forms, glue),
    ...(await exportFaults(stores, tenant?.id, forms.exports)),
  ]
}

function keyFaults(key: string, keyInBody = key): Fault[] {
  const faults: Fault[] = []
  if (!isShortKey(key)) {
    const detail = 'A tenant key has 1 to 64 letters, digits, - and _, and begins with a letter or digit.'
    faults.push({ pointer: '/path/tenantKey', code: 'wrong-format', detail })
  }
  if (keyInBody !== key) {
    faults.push({
      pointer: '/key',
      code: 'other-key',
      detail: `The manifest has the key '${keyInBody}', but the path has '${key}'.`,
    })
  }
  return faults
}

/** How long a secret that was replaced may work on, in days. */
const maxOldDays = 30

const lateEnds = (clients: TenantManifest['clients']): Fault[] =>
  clients.flatMap(({ oldSecretUntil }, n) =>
    oldSecretUntil !== undefined && Date.parse(oldSecretUntil) > Date.now() + maxOldDays * 86_400_000
      ? [fault(`/clients/${n}/oldSecretUntil`, 'not-allowed', `Name a time within ${maxOldDays} days.`)]
      : [],
  )

const keysOf = (all: readonly { key: string }[]): string[] => all.map(({ key }) => key)

function subjectFaults(subjects: SubjectSettings): Fault[] {
  const { fields, matchingFields, upsert, portal, identifierField, dateOfBirthField, importMaps = [] } = subjects
  const at = '/subjects'
  const byKey = new Map(fields.map(field => [field.key, field]))
  const faults = duplicateKeys(keysOf(fields), n => `${at}/fields/${n}/key`, 'field')
  const named = (keys: readonly string[], list: string) => [
    ...duplicateKeys(keys, n => `${list}/${n}`, 'field'),
    ...keys.flatMap((key, n) => (byKey.has(key) ? [] : [unknownField(`${list}/${n}`, key)])),
  ]
  faults.push(...named(matchingFields, `${at}/matchingFields`))
  matchingFields.forEach((key, n) => {
    const field = byKey.get(key)
    if (field) faults.push(...matchingFaults(field, `${at}/matchingFields/${n}`))
  })
  if (upsert && matchingFields.length === 0) {
    const detail = 'The upsert API needs a matching field.'
    faults.push({ pointer: `${at}/matchingFields`, code: 'required', detail })
  }
  const identifier = byKey.get(identifierField ?? '')
  if (identifierField !== undefined && !identifier) {
    faults.push(unknownField(`${at}/identifierField`, identifierField))
  }
  if (identifier?.isArray) {
    const detail = `An identifier must be a single value; '${identifier.key}' is an array.`
    faults.push({ pointer: `${at}/identifierField`, code: 'wrong-field', detail })
  }
  const birth = byKey.get(dateOfBirthField ?? '')
  if (dateOfBirthField !== undefined && !birth) {
    faults.push(unknownField(`${at}/dateOfBirthField`, dateOfBirthField))
  }
  if (birth && (birth.typeKey !== 'Date' || birth.isArray)) {
    const detail = `A date of birth must be a single Date; '${birth.key}' is ${birth.isArray ? 'an array' : birth.typeKey}.`
    faults.push({ pointer: `${at}/dateOfBirthField`, code: 'wrong-field', detail })
  }
  faults.push(...named(portal.matchingFields, `${at}/portal/matchingFields`))
  faults.push(...named(portal.displayNameFields, `${at}/portal/displayNameFields`))
  const pointer = `${at}/portal/emailField`
  const email = portal.emailField === undefined ? undefined : byKey.get(portal.emailField)
  if (portal.emailField !== undefined && !email) faults.push(unknownField(pointer, portal.emailField))
  if (email && (email.typeKey !== 'Text' || email.isArray)) {
    const detail = `An e-mail address must be a single Text; '${email.key}' is ${email.isArray ? 'an array' : email.typeKey}.`
    faults.push({ pointer, code: 'wrong-field', detail })
  }
  if (portal.selfAccess && portal.emailField === undefined) {
    faults.push({ pointer, code: 'required', detail: "Self access needs the field of the subject's e-mail address." })
  }
  faults.push(...duplicateMaps(importMaps, at))
  const targets = subjectTargets(fields)
  for (const [n, { columns }] of importMaps.entries())
    for (const [column, given] of Object.entries(columns)) {
      const mapped = mappedColumn(given)
      const types = mapped.field === '' ? [] : targets.get(mapped.field)
      const pointer = `${at}/importMaps/${n}/columns/${pointerPart(column)}`
      if (!types) faults.push(unknownField(pointer, mapped.field))
      else if (!hasForm(mapped, types)) faults.push(fault(pointer, 'wrong-field', wrongForm(mapped)))
    }
  return faults
}

const duplicateMaps = (maps: readonly ImportMap[] = [], at: string): Fault[] =>
  duplicateKeys(keysOf(maps), n => `${at}/importMaps/${n}/key`, 'map')

/** Checks a matching field, of which every subject must have exactly one value. */
const matchingFaults = ({ key, isArray, required }: SubjectField, pointer: string): Fault[] => [
  ...(isArray ? [fault(pointer, 'matching-array', `The matching field '${key}' cannot be an array.`)] : []),
  ...(required ? [] : [fault(pointer, 'matching-optional', `The matching field '${key}' must be required.`)]),
]

const unknownField = (pointer: string, key: string): Fault => ({
  pointer,
  code: 'unknown-custom-field',
  detail: `There is no subject field '${key}'.`,
})

const ids = (all: readonly { id: string }[]): string[] => all.map(({ id }) => id)
