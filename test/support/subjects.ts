// Bodies and paths of subjects, and ways to read them.
import type { Api, Reply } from './api.js'
import { readAll } from './frame.js'

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
  outcome: 'created' | 'updated'
  customFieldValues: { customField: { id: string }; value: unknown }[]
}

export const subjectsPath = '/api/v2/subject'
export const queryPath = `${subjectsPath}/query`
export const bulkPath = `${subjectsPath}/bulk`
/** The two paths of the upsert. */
export const upsertPaths = [subjectsPath, '/api/v2/messaging/subject']

/** Reads the values of a subject as texts, keyed by field, and the keys of its entities as `places`. */
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

/** Reads the value of a field for all subjects of a list, in the order of the list. */
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

/** Finds the person with a national id. @returns as {@link readPerson}, or undefined if there is none. */
export async function personWith(tenant: Api, nationalId: string) {
  const { body } = await tenant.get<{ Edges: { Node: SubjectBody }[] }>(
    `${subjectsPath}?CustomFieldValueFilter.Values[nationalId]=${encodeURIComponent(nationalId)}`,
  )
  const [found] = body.Edges ?? []
  return found && readPerson(tenant, found.Node.Id)
}

/** Makes input values of Text and PhoneNumber fields, keyed by field. An array becomes several values. */
export const texts = (values: Record<string, string | string[]>) =>
  Object.entries(values).map(([Key, value]) => ({
    Key,
    Value: Array.isArray(value) ? value.map(Value => ({ String: { Value } })) : { String: { Value: value } },
  }))

/** Makes the body of an upsert with the demo's fields, of which `nationalId` is the matching field. */
export const person = (nationalId: string, more: Record<string, string | string[]> = {}, keys?: string[]) => ({
  CustomFieldValues: texts({ givenName: 'Ada', familyName: 'Byron', nationalId, ...more }),
  ...(keys ? { StructuralEntityKeys: keys } : {}),
})
