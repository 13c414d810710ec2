// What tests make: bodies of requests of frame, and tenants with what they need.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { inject } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Api, newTenant, type Reply, type Tenant } from './api.js'
import { paths, put } from './frame.js'
import { type HierarchyModel, hierarchyModel, placeType } from './hierarchy-model.js'
import { send } from './http.js'
import { aKey } from './keys.js'
import { demoSubjects } from './manifest.js'
import { person } from './people.js'
import { formOf, formType, type Part } from './records.js'
import { storeSubject } from './stored-subjects.js'
import { subjectsPath, type WrittenSubject } from './subjects.js'

/** A structure type as it is written; `more` replaces members. */
export const aType = (Key: string, more: object = {}) => ({
  Key,
  Name: `Type ${Key}`,
  SubjectAssignable: true,
  CustomFields: [],
  ...more,
})

/** A structural entity as it is written: a root of the type `unit`, unless `more` says otherwise. */
export const anEntity = (Key: string, more: object = {}) => ({
  Key,
  DisplayName: `Entity ${Key}`,
  StructureTypeKey: 'unit',
  ...more,
})

/** Writes a tree of entities of the type `unit` (made if need be), one bulk request: `child: parent`, null for a root. */
export async function plant(tenant: Api, tree: Record<string, string | null>): Promise<void> {
  await put(tenant, paths.types, aType('unit'))
  const entities = Object.entries(tree).map(([key, ParentKey]) => anEntity(key, { ParentKey }))
  await put(tenant, `${paths.entities}/bulk`, entities)
}

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

/** Upserts a person and insists. @returns its id. */
export async function addPerson(tenant: Api, ...given: Parameters<typeof person>): Promise<string> {
  const { status, body } = await tenant.post<WrittenSubject>(subjectsPath, person(...given))
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.internalId
}

/** Wards that take subjects, and an `attic` that takes none. */
export async function plantWards(tenant: Api, ...keys: string[]): Promise<void> {
  await put(tenant, '/api/v1/structureType', aType('unit'), aType('closed', { SubjectAssignable: false }))
  const attic = anEntity('attic', { StructureTypeKey: 'closed' })
  await put(tenant, '/api/v1/structuralEntity', ...keys.map(key => anEntity(key)), attic)
}

/** A document of so many bytes, which no other test has. */
export const aPdf = (bytes = 2_000): Buffer => {
  const head = Buffer.from('%PDF-1.7\n')
  return Buffer.concat([head, randomBytes(bytes - head.length)])
}

/** A subject of a tenant with its record, and what the database and the API know of it. */
export interface Subject {
  id: string
  path: string
  /** Sends the form; other headers and another path may be given. */
  upload(body: Buffer, options?: { path?: string; headers?: Record<string, string> }): Promise<Reply>
  /** Sends a form that must be accepted. @returns the id. */
  uploaded(parts: readonly Part[]): Promise<string>
  download(id: string): Promise<{ status: number; headers: Headers; bytes: Buffer }>
  /** What is kept for the tenant: rows by state, and chunks. */
  kept(): Promise<{ stored: number; broken: number; chunks: number }>
}

/** Makes a subject, straight in the database. */
export async function aSubject(
  db: Knex,
  { baseUrl, token, tenantKey }: { baseUrl: string; token: string; tenantKey: string },
): Promise<Subject> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const id = await storeSubject(db, tenantKey)
  const path = `/api/v1/subjects/${id}/file`
  const headers = { authorization: `Bearer ${token}` }

  const subject: Subject = {
    id,
    path,
    async upload(body, options = {}) {
      const answer = await send(baseUrl, options.path ?? `${path}/upload`, {
        method: 'POST',
        headers: { ...headers, 'content-type': formType, 'content-length': String(body.length), ...options.headers },
        body: [body],
      })
      const text = answer.text
      const given = new Headers({ 'content-type': answer.headers['content-type'] ?? '' })
      return { status: answer.status, headers: given, body: text ? JSON.parse(text) : text }
    },
    async uploaded(parts) {
      const { status, body } = await subject.upload(formOf(parts))
      if (status !== 200) throw new Error(JSON.stringify(body))
      return (body as { id: string }).id
    },
    async download(fileId) {
      const answer = await fetch(`${baseUrl}${path}/${fileId}`, { headers })
      return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
    },
    async kept() {
      const states: { state: string }[] = await db('record_items').where({ tenant_id }).select('state')
      const stored = states.filter(({ state }) => state === 'stored').length
      const chunks: object[] = await db('file_chunks').where({ tenant_id }).select('n')
      return { stored, broken: states.length - stored, chunks: chunks.length }
    },
  }
  return subject
}

/** A tenant with the demo's subjects, whose portal is open to both; `more` replaces members of the portal's settings. */
export const portalTenant = (baseUrl: string, more: object = {}): Promise<Tenant> =>
  newTenant(baseUrl, {}, portalSettings(more))

export const portalSettings = (more: object) => ({
  subjects: { ...demoSubjects, portal: { ...demoSubjects.portal, ...more } },
})

/** Values that every invitation finds sufficient, but for the national id. */
const sufficient: Record<string, object | null> = {
  givenName: { String: { Value: 'Ada' } },
  familyName: { String: { Value: 'Lovelace' } },
  email: { String: { Value: 'ada@example.org' } },
  dateOfBirth: { Date: { Value: '1990-12-10' } },
}

/** Adds a subject of the demo's fields; `more` replaces values, null leaves one out. @returns its id. */
export async function addSubject(tenant: Api, more: Record<string, object | null> = {}): Promise<string> {
  const values = { ...sufficient, nationalId: { String: { Value: crypto.randomUUID() } }, ...more }
  const given = Object.entries(values).flatMap(([Key, Value]) => (Value === null ? [] : [{ Key, Value }]))
  const { status, body } = await tenant.post<WrittenSubject>(subjectsPath, { CustomFieldValues: given })
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.internalId
}

/** A tenant with the structure type of the places, and the model of its hierarchy. */
export async function tenantWithPlaces(baseUrl: string): Promise<{ tenant: Tenant; model: HierarchyModel }> {
  const tenant = await newTenant(baseUrl)
  const answer = await tenant.put('/api/v1/structureType', placeType)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return { tenant, model: hierarchyModel() }
}

/** A tenant with wards that take subjects, and an `attic` that takes none. */
export async function tenantWithWards(baseUrl: string, ...keys: string[]): Promise<Tenant> {
  const tenant = await newTenant(baseUrl)
  await plantWards(tenant, ...keys)
  return tenant
}

/** A client as a manifest describes it, with an id that no other test has. */
export const aClient = (more: object = {}) => ({ id: aKey('c'), scopes: ['FrameApi'], ...more })
