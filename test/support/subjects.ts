import { inject } from 'vitest'
import { type Api, newTenant, type Reply, type Tenant } from './api.js'
import { anEntity, aType, put, readAll } from './frame.js'
import { demoSubjects } from './manifest.js'

export interface SubjectBody {
  Id: string
  ExternalId: string
  CustomFieldValues: {
    Field: { Key: string; Name: string; Type: string; Required: boolean; IsArray: boolean }
    Value: { DataType: string; ValueText: string } | { DataType: string; ValueText: string }[]
  }[]
  StructuralEntities?: { Key: string }[]
}

export interface WrittenSubject {
  internalId: string
  externalId: string
  customFieldValues: { customField: { id: string }; value: unknown }[]
}

export const subjectsPath = '/api/v2/subject'
export const bulkPath = `${subjectsPath}/bulk`
/** Both addresses of the upsert. */
export const upsertPaths = [subjectsPath, '/api/v2/messaging/subject']

/** A tenant with the demo's subject fields; `more` replaces members of its section `subjects`. */
export const subjectTenant = (more: object = {}): Promise<Tenant> => {
  // It names one of the demo's fields.
  const { identifierField, ...rest } = demoSubjects
  const subjects = { ...('fields' in more ? rest : { ...rest, identifierField }), ...more }
  return newTenant(inject('baseUrl'), {}, { subjects })
}

/** A subject field as a manifest describes it. */
export const aField = (key: string, type = 'Text', more: object = {}) => ({ key, name: `Field ${key}`, type, ...more })

/** An input value with its key; `given` is the value of the data type, or an array of them. */
export const value = (Key: string, dataType: string, given: unknown) => ({
  Key,
  Value: Array.isArray(given) ? given.map(Value => ({ [dataType]: { Value } })) : { [dataType]: { Value: given } },
})

/** Input values of Text and PhoneNumber fields, by key; an array becomes an array of values. */
export const texts = (values: Record<string, string | string[]>) =>
  Object.entries(values).map(([Key, value]) => ({
    Key,
    Value: Array.isArray(value) ? value.map(Value => ({ String: { Value } })) : { String: { Value: value } },
  }))

/** A person as an upsert gives it, by the demo fields: `nationalId` names it. */
export const person = (nationalId: string, more: Record<string, string | string[]> = {}, keys?: string[]) => ({
  CustomFieldValues: texts({ givenName: 'Ada', familyName: 'Byron', nationalId, ...more }),
  ...(keys ? { StructuralEntityKeys: keys } : {}),
})

/** Upserts a person and insists. @returns its id. */
export async function addPerson(tenant: Api, ...given: Parameters<typeof person>): Promise<string> {
  const { status, body } = await tenant.post<WrittenSubject>(subjectsPath, person(...given))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.internalId
}

/** Wards that take subjects, and an `attic` that takes none. */
export async function plantWards(tenant: Api, ...keys: string[]): Promise<void> {
  await put(tenant, '/api/v1/structureType', aType('unit'), aType('closed', { SubjectAssignable: false }))
  const attic = anEntity('attic', { StructureTypeKey: 'closed' })
  await put(tenant, '/api/v1/structuralEntity', ...keys.map(key => anEntity(key)), attic)
}

/** What a subject holds: texts by field key, and the keys of its places. */
export async function readPerson(tenant: Api, id: string): Promise<Record<string, unknown>> {
  const { status, body } = await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  const values = body.CustomFieldValues.map(({ Field, Value }) => [
    Field.Key,
    Array.isArray(Value) ? Value.map(each => each.ValueText) : Value.ValueText,
  ])
  return { ...Object.fromEntries(values), places: body.StructuralEntities?.map(({ Key }) => Key) }
}

/** Changes values of a subject. */
export const patch = <Body = SubjectBody>(tenant: Api, id: string, body: unknown): Promise<Reply<Body>> =>
  tenant.send<Body>('PATCH', `${subjectsPath}/${id}`, body)

/** The values of a field of all subjects of a list, in its order. */
export async function peopleOf(
  tenant: Api,
  query: Record<string, string> = {},
  field = 'nationalId',
): Promise<string[]> {
  const subjects = await readAll<SubjectBody>(tenant, subjectsPath, query)
  return subjects.map(subject => {
    const held = subject.CustomFieldValues.find(({ Field }) => Field.Key === field)?.Value
    return held && !Array.isArray(held) ? held.ValueText : ''
  })
}
