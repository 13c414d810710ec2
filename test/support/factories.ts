// Makes what tests need: bodies of requests, subjects, tenants, forms and endpoints.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, inject } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import type { StoredValues } from '../../db/frame/fields/custom-fields.js'
import { insertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'
import { type Api, admin, aKey, api, newTenant, type Reply, type Tenant } from './api.js'
import { type DeliveryEndpoint, deliveryEndpoint } from './deliveries.js'
import { putForm, type TemplateBody } from './forms.js'
import { paths, put } from './frame.js'
import { type HierarchyModel, hierarchyModel, placeType } from './hierarchy-model.js'
import { send } from './http.js'
import { type Patient, patientOf } from './instances.js'
import { launchPath } from './launches.js'
import { demoSubjects } from './manifest.js'
import { formOf, formType, type Part } from './records.js'
import { bulkPath, person, type SubjectBody, subjectsPath, type WrittenSubject } from './subjects.js'

/** Makes the body of a structure type; `more` replaces members. */
export const aType = (Key: string, more: object = {}) => ({
  Key,
  Name: `Type ${Key}`,
  SubjectAssignable: true,
  CustomFields: [],
  ...more,
})

/** Makes the body of a structural entity, a root of the type `unit`; `more` replaces members. */
export const anEntity = (Key: string, more: object = {}) => ({
  Key,
  DisplayName: `Entity ${Key}`,
  StructureTypeKey: 'unit',
  ...more,
})

/** Writes a tree of entities of the type `unit` in one bulk request. @param tree parents, keyed by child; null for a root. */
export async function plant(tenant: Api, tree: Record<string, string | null>): Promise<void> {
  await put(tenant, paths.types, aType('unit'))
  const entities = Object.entries(tree).map(([key, ParentKey]) => anEntity(key, { ParentKey }))
  await put(tenant, `${paths.entities}/bulk`, entities)
}

/** Creates a tenant with the subject fields of the demo; `more` replaces members of the section `subjects`. */
export const subjectTenant = (more: object = {}): Promise<Tenant> => {
  // Left out, because `more` may replace the fields, and this names one of the demo's.
  const { identifierField, ...rest } = demoSubjects
  const subjects = { ...('fields' in more ? rest : { ...rest, identifierField }), ...more }
  return newTenant(inject('baseUrl'), {}, { subjects })
}

/** A subject field as a manifest describes it. */
export const aField = (key: string, type = 'Text', more: object = {}) => ({ key, name: `Field ${key}`, type, ...more })

/** Makes an input value; `given` is a value of the data type, or an array of such values. */
export const value = (Key: string, dataType: string, given: unknown) => ({
  Key,
  Value: Array.isArray(given) ? given.map(Value => ({ [dataType]: { Value } })) : { [dataType]: { Value: given } },
})

/** Upserts a person, which must succeed. @returns the id. */
export async function addPerson(tenant: Api, ...given: Parameters<typeof person>): Promise<string> {
  const { status, body } = await tenant.post<WrittenSubject>(subjectsPath, person(...given))
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.internalId
}

/** Writes wards that subjects can be assigned to, and an `attic` that they cannot. */
export async function plantWards(tenant: Api, ...keys: string[]): Promise<void> {
  await put(tenant, '/api/v1/structureType', aType('unit'), aType('closed', { SubjectAssignable: false }))
  const attic = anEntity('attic', { StructureTypeKey: 'closed' })
  await put(tenant, '/api/v1/structuralEntity', ...keys.map(key => anEntity(key)), attic)
}

/** Makes a document of this size that no other test has. */
export const aPdf = (bytes = 2_000): Buffer => {
  const head = Buffer.from('%PDF-1.7\n')
  return Buffer.concat([head, randomBytes(bytes - head.length)])
}

/** A subject with its record, and ways to upload documents and to see what is stored. */
export interface Subject {
  id: string
  path: string
  /** Sends the body of an upload. */
  upload(body: Buffer, options?: { path?: string; headers?: Record<string, string> }): Promise<Reply>
  /** Uploads a document, which must succeed. @returns its id. */
  uploaded(parts: readonly Part[]): Promise<string>
  download(id: string): Promise<{ status: number; headers: Headers; bytes: Buffer }>
  /** Counts what is stored for the tenant: rows by state, and chunks of files. */
  kept(): Promise<{ stored: number; broken: number; chunks: number }>
}

/** Creates a subject directly in the database. */
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

/** Creates a tenant whose portal is open to subjects and third parties; `more` replaces members of the portal's settings. */
export const portalTenant = (baseUrl: string, more: object = {}): Promise<Tenant> =>
  newTenant(baseUrl, {}, portalSettings(more))

export const portalSettings = (more: object) => ({
  subjects: { ...demoSubjects, portal: { ...demoSubjects.portal, ...more } },
})

/** All values that an invitation needs, except the national id. */
const sufficient: Record<string, object | null> = {
  givenName: { String: { Value: 'Ada' } },
  familyName: { String: { Value: 'Lovelace' } },
  email: { String: { Value: 'ada@example.org' } },
  dateOfBirth: { Date: { Value: '1990-12-10' } },
}

/** Adds a subject with the demo's fields; `more` replaces values, and null leaves one out. @returns its id. */
export async function addSubject(tenant: Api, more: Record<string, object | null> = {}): Promise<string> {
  const values = { ...sufficient, nationalId: { String: { Value: crypto.randomUUID() } }, ...more }
  const given = Object.entries(values).flatMap(([Key, Value]) => (Value === null ? [] : [{ Key, Value }]))
  const { status, body } = await tenant.post<WrittenSubject>(subjectsPath, { CustomFieldValues: given })
  if (status >= 300) throw new Error(JSON.stringify(body))
  return body.internalId
}

/** Creates a tenant with the structure type of the places, and a model of its hierarchy. */
export async function tenantWithPlaces(baseUrl: string): Promise<{ tenant: Tenant; model: HierarchyModel }> {
  const tenant = await newTenant(baseUrl)
  const answer = await tenant.put('/api/v1/structureType', placeType)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return { tenant, model: hierarchyModel() }
}

/** Creates a tenant with wards that subjects can be assigned to, and an `attic` that they cannot. */
export async function tenantWithWards(baseUrl: string, ...keys: string[]): Promise<Tenant> {
  const tenant = await newTenant(baseUrl)
  await plantWards(tenant, ...keys)
  return tenant
}

/** Makes a client for a manifest, with an id that no other test has. */
export const aClient = (more: object = {}) => ({ id: aKey('c'), scopes: ['FrameApi'], ...more })

/** A picture of 40 by 20 pixels, as a data URL. */
export const aPicture = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#cde"/></svg>').toString('base64')}`

const options = (...values: (string | number)[]) => values.map(value => ({ value, label: `Label of ${value}` }))

/** Scalars and all other data types, outside repeats. */
const visit = {
  key: 'visit',
  sections: [
    {
      id: 'general',
      title: 'The visit',
      controls: [
        { id: 'preamble', label: 'Before you begin', couldHaveValue: false, text: 'Ask for consent first.' },
        { id: 'visited', label: 'Day of the visit', dataType: 'date', required: true, max: '2999-12-31' },
        { id: 'onset', label: 'First symptoms', dataType: 'date', partial: true },
        { id: 'at', label: 'Time of day', dataType: 'time' },
        { id: 'seenAt', label: 'Seen at', dataType: 'datetime' },
        { id: 'weight', label: 'Weight', dataType: 'decimal', min: 0.5, max: 500, unit: 'kg' },
        { id: 'beats', label: 'Pulse', dataType: 'integer', min: 0, max: 300, hint: 'Beats per minute.' },
        { id: 'consent', label: 'Consent', dataType: 'boolean' },
        { id: 'consentNote', label: 'Who consents', relevant: { control: 'consent', equals: true }, required: true },
        { id: 'remarks', label: 'Remarks', multiline: true, maxLength: 2000, initial: { value: 'None' } },
        { id: 'ward', label: 'Ward', initial: { context: 'ward' }, pattern: '[A-Z]\\d{1,3}' },
        { id: 'symptoms', label: 'Symptoms', options: options('pain', 'fever'), couldHaveMultipleValues: true },
        { id: 'mobility', label: 'Mobility', options: options('walks', 'sits', 'lies'), allowOther: true },
      ],
    },
    {
      id: 'more',
      title: 'All other kinds of values',
      controls: [
        { id: 'place', label: 'Place', dataType: 'geolocation' },
        {
          id: 'image',
          label: 'Where it hurts',
          dataType: 'annotated-image',
          image: aPicture,
          imageDescription: 'A body',
        },
        { id: 'letter', label: 'Letter', dataType: 'html' },
        { id: 'photo', label: 'Photo', dataType: 'data-url', mediaTypes: ['image/*'], maxBytes: 100_000 },
        { id: 'link', label: 'Link', dataType: 'url' },
        { id: 'story', label: 'Story', dataType: 'translatable-text-value', targetLanguage: 'de' },
      ],
    },
    {
      id: 'score',
      title: 'Score',
      controls: [
        { id: 'sleep', label: 'Sleeps badly', dataType: 'integer', options: options(0, 1, 2, 3) },
        { id: 'energy', label: 'Has little energy', dataType: 'integer', options: options(0, 1, 2, 3) },
        { id: 'total', label: 'Total', dataType: 'integer', calculate: { sum: ['sleep', 'energy'] } },
        {
          id: 'severity',
          label: 'Severity',
          calculate: { bands: { of: 'total', bands: [{ upTo: 2, value: 'mild' }, { value: 'severe' }] } },
        },
      ],
    },
  ],
}

/** A repeat with a nested repeat. */
const wounds = {
  key: 'wounds',
  title: 'Wounds',
  sections: [
    {
      id: 'woundList',
      title: 'Wounds',
      controls: [],
      repeats: [
        {
          id: 'wound',
          label: 'Wound',
          maxIterations: 5,
          controls: [
            { id: 'site', label: 'Site', required: true },
            { id: 'depth', label: 'Depth', dataType: 'decimal', min: 0, unit: 'mm' },
            { id: 'deep', label: 'Why so deep', relevant: { control: 'depth', atLeast: 10 } },
          ],
          repeats: [
            {
              id: 'dressing',
              label: 'Dressing',
              controls: [
                { id: 'material', label: 'Material', options: options('gauze', 'foam') },
                { id: 'changed', label: 'Changed', dataType: 'date' },
              ],
            },
          ],
        },
      ],
    },
  ],
}

/**
 * Makes a template with a control of every data type, options, calculations, nested repeats, and parts that are only sometimes
 * relevant. Required are only `visited`, `site` of each wound and, with consent, `consentNote`.
 * @param more replaces members. Without `status`, the template is in production.
 */
export const aTemplate = (more: object = {}): TemplateBody => ({
  key: 'visit',
  version: 1,
  status: 'Production',
  title: 'Home visit',
  classification: 'Observation',
  buildingBlocks: [visit, wounds],
  ...structuredClone(more),
})

/** Makes a template of one block with one section, `only`, which has these controls. */
export const aSmallTemplate = (controls: readonly object[], more: object = {}): TemplateBody =>
  aTemplate({ key: 'small', buildingBlocks: [{ key: 'small', sections: [{ id: 'only', controls }] }], ...more })

/** Valid values of every kind for {@link aTemplate}, with two wounds, the first of which has two dressings. */
export const someValues = {
  visited: '2026-11-02',
  onset: '2026-10',
  at: '09:30',
  seenAt: '2026-11-02T09:30:00Z',
  weight: '71.50',
  beats: 72,
  consent: true,
  consentNote: 'The daughter',
  remarks: 'Slept well',
  ward: 'B12',
  symptoms: ['pain', 'fever'],
  mobility: 'with a stick',
  place: { latitude: 48.2, longitude: 16.37 },
  image: { annotations: [{ x: 25, y: 50, value: 'bruise' }] },
  letter: '<p>Dear <b>colleague</b></p>',
  photo: aPicture,
  link: 'https://example.org/a?b=c&d=e',
  story: 'It began in October.',
  sleep: 1,
  energy: 2,
  site: [
    { repeatIterationIndex: 0, value: 'left heel' },
    { repeatIterationIndex: 1, value: 'hip' },
  ],
  depth: [{ repeatIterationIndex: 0, value: 12.5 }],
  deep: [{ repeatIterationIndex: 0, value: 'Long untreated' }],
  material: [
    { repeatIterationPath: [0, 0], value: 'foam' },
    { repeatIterationPath: [0, 1], value: 'gauze' },
  ],
  changed: [{ repeatIterationPath: [0, 0], value: '2026-11-01' }],
}

export interface FormsTenant extends Tenant {
  /** The client with the scope FormsApi and every permission of forms. */
  forms: Api
  /** The platform's administrator, who writes templates. */
  platform: Api
  subjectId: string
  externalId: string
  /** Adds a client of the scope FormsApi with only these permissions. */
  formsClient(permissions: string[]): Promise<Api>
  /** Writes templates, which must succeed. */
  publish(...bodies: TemplateBody[]): Promise<void>
}

/**
 * Creates a tenant that no other test uses, with a subject, a client that may do everything with forms, and no forms yet.
 * @param settings the section `forms` of its manifest.
 */
export async function formsTenant(settings: object = {}, baseUrl = inject('baseUrl')): Promise<FormsTenant> {
  const tenant = await newTenant(baseUrl, {}, { subjects: demoSubjects, forms: settings })
  const formsClient = (permissions: string[]) => tenant.client(permissions, ['FormsApi'])
  const forms = await formsClient(['*'])
  const platform = await admin(baseUrl)
  const subjectId = await addPerson(tenant, 'person')
  const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${subjectId}`)
  return {
    ...tenant,
    forms,
    platform,
    subjectId,
    externalId: body.ExternalId,
    formsClient,
    async publish(...bodies) {
      for (const each of bodies) {
        const { status, body } = await putForm(platform, tenant.tenantKey, each)
        if (status >= 300) throw new Error(JSON.stringify(body))
      }
    },
  }
}

/** An optional text `note` and a required one `must`. */
const noteControls = [
  { id: 'note', label: 'Note' },
  { id: 'must', label: 'Must', required: true },
]

/** Makes the form `small`, which has only {@link noteControls}. */
export const aNote = (more: object = {}) => aSmallTemplate(noteControls, more)

/** Values that complete {@link aNote}. */
export const whole = { note: 'a', must: 'b' }

/** Creates a tenant with the form {@link aNote} and a patient. */
export async function notesTenant(more: object = {}): Promise<{ tenant: FormsTenant; patient: Patient }> {
  const tenant = await formsTenant()
  await tenant.publish(aNote(more))
  return { tenant, patient: patientOf(tenant) }
}

/** Makes a definition that asks for a whole form and has its key as identifier. */
export const formAsked = (key: string, more: object = {}) => ({
  identifier: key,
  type: 'form' as const,
  key,
  version: 1,
  ...more,
})

/** Makes a definition that asks for a whole building block and has its key as identifier. */
export const blockAsked = (key: string, more: object = {}) => ({
  identifier: key,
  type: 'building-block' as const,
  key,
  version: 1,
  ...more,
})

export interface LaunchTenant extends FormsTenant {
  endpoint: DeliveryEndpoint
  /** Returns the path of one of the tenant's launch pages. */
  path(...rest: (string | number)[]): string
}

/**
 * Creates a tenant with published forms that are sent to an endpoint of its own.
 * @param settings further members of its section `forms`.
 */
export async function launchTenant(
  bodies: TemplateBody[] = [aTemplate()],
  settings: (endpoint: DeliveryEndpoint) => object = ({ url }) => ({ delivery: { url } }),
): Promise<LaunchTenant> {
  const endpoint = await deliveryEndpoint()
  const tenant = await formsTenant(settings(endpoint))
  await tenant.publish(...bodies)
  return { ...tenant, endpoint, path: (...rest) => launchPath(tenant.tenantKey, ...rest) }
}

/** Makes a building block that has the controls of {@link aNote}. */
export const noteBlock = (key: string) => ({ key, sections: [{ id: 'only', controls: noteControls }] })

/**
 * Publishes a form like {@link aNote} whose building block has the form's key. So the tests of a file can share a tenant and
 * still find only their own submissions.
 * @param more replaces members of the template.
 */
export async function notesForm(tenant: FormsTenant, key: string, more: object = {}) {
  await tenant.publish(aNote({ key, buildingBlocks: [noteBlock(key)], ...more }))
  const first = patientOf(tenant)
  return {
    key,
    /** Definitions for the whole form, and for its building block as `block`. */
    definitions: [formAsked(key), blockAsked(key, { identifier: 'block' })],
    created: (more: object = {}, patient: Patient = first) => patient.created({ formKey: key, ...more }),
    /** Creates and submits an instance. @returns its id. */
    async submitted(more: object = {}, values: object = whole, patient: Patient = first): Promise<string> {
      const id = await patient.created({ formKey: key, ...more })
      const { status, body } = await patient.submit(id, values)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return id
    },
  }
}

export type NotesForm = Awaited<ReturnType<typeof notesForm>>

/** A tenant with endpoints, and ways to call these. */
export interface EndpointTenant extends Tenant {
  call<Body = unknown>(endpoint: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<Body>>
  /** Returns the path of an endpoint. */
  path(endpoint: string): string
}

/** Creates a tenant with this glue. Endpoints without `authentication` are open to everybody. */
export async function glueTenant(
  glue: object,
  limits: object = {},
  baseUrl = inject('baseUrl'),
): Promise<EndpointTenant> {
  const tenant = await newTenant(baseUrl, limits, { glue })
  const stranger = api(baseUrl, '')
  const path = (endpoint: string) => `/glue/${tenant.tenantKey}/${endpoint}`
  return {
    ...tenant,
    path,
    call: (endpoint, body, headers) =>
      body === undefined ? stranger.get(path(endpoint), headers) : stranger.post(path(endpoint), body, headers),
  }
}

/**
 * Creates a tenant with one endpoint, `e`, that has these steps, and one provider, `p`.
 * @param more whether the endpoint is durable, and other members of the section.
 */
export const oneEndpoint = (
  provider: { url: string },
  steps: object[],
  { durable, ...more }: { durable?: boolean; [section: string]: unknown } = {},
): Promise<EndpointTenant> =>
  glueTenant({ providers: [{ key: 'p', url: provider.url }], endpoints: [{ key: 'e', durable, steps }], ...more })

/** Makes a data point with a single item, in the format of providers and readers. */
export const point = (Id: string, SubjectIdentifier: string, value: unknown = Id, DataType = 'String') => ({
  Id,
  SubjectIdentifier,
  DataPointItems: [{ Key: 'value', Value: { DataType, Value: value } }],
})

export type Point = ReturnType<typeof point>

export interface DataTenant extends Tenant {
  /** The client that announces changes. */
  provider: Api
  /** Ids of its subjects, keyed by national id. */
  subjects: Record<string, { id: string; externalId: string }>
}

/** Creates a tenant with this glue, and with subjects that providers identify by these national ids. */
export async function dataTenant(
  glue: object,
  nationalIds: readonly string[],
  baseUrl = inject('baseUrl'),
): Promise<DataTenant> {
  const tenant = await newTenant(baseUrl, {}, { subjects: demoSubjects, glue })
  const written: WrittenSubject[] = []
  for (let n = 0; n < nationalIds.length; n += 20) {
    const twenty = nationalIds.slice(n, n + 20)
    const { status, body } = await tenant.post<WrittenSubject[]>(
      bulkPath,
      twenty.map(id => person(id)),
    )
    if (status !== 200) throw new Error(JSON.stringify(body))
    written.push(...body)
  }
  const entries = written.map(({ internalId, externalId }, n) => [nationalIds[n], { id: internalId, externalId }])
  const provider = await tenant.client([], ['FrameGlueDataProviderApi'])
  return { ...tenant, provider, subjects: Object.fromEntries(entries) }
}

/** Stores a subject directly in the database, with its values and assignments. @returns its id. */
export async function storeSubject(
  db: Knex,
  tenantKey: string,
  values: StoredValues = {},
  entityKeys: string[] = [],
): Promise<string> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const id = newId()
  const now = new Date()
  const stamps = { created_at: now, updated_at: now }
  await db('subjects').insert({
    tenant_id,
    id,
    external_id: newId(),
    custom_values: JSON.stringify(values),
    ...stamps,
  })
  for (const entity_key of entityKeys) await db('subject_locations').insert({ tenant_id, entity_key, subject_id: id })
  return id
}

/** Stores many subjects without values, all assigned to one entity, with two statements. */
export async function storeSubjects(db: Knex, tenantKey: string, count: number, entityKey: string): Promise<void> {
  const tenant = await tenantIdOf(db, tenantKey)
  const ids = Array.from({ length: count }, () => newId())
  const now = new Date()
  const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']
  const rows = ids.map(id => [tenant, id, newId(), '{}', now, now])
  await insertRows(db, 'subjects', columns, rows)
  const locations = ids.map(id => [tenant, entityKey, id])
  await insertRows(db, 'subject_locations', ['tenant_id', 'entity_key', 'subject_id'], locations)
}

/** Opens the database of the shared stack, for what no endpoint shows. It is closed at the end of the test file. */
export function openDatabase(poolSize = 4): Knex {
  // A test may hold a lock for as long as a busy machine takes, without the server ending its silent transaction.
  const db = connect(inject('databaseUrl'), { poolSize, silenceTimeoutMs: 600_000 })
  afterAll(() => db.destroy())
  return db
}
