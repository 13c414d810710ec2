// Forms that tests make, and tenants with them.
import { inject } from 'vitest'
import { type Api, admin, newTenant, type Tenant } from './api.js'
import { type DeliveryEndpoint, deliveryEndpoint } from './deliveries.js'
import { addPerson } from './factories.js'
import { putForm, type TemplateBody } from './forms.js'
import { type Patient, patientOf } from './instances.js'
import { launchPath } from './launches.js'
import { demoSubjects } from './manifest.js'
import { type SubjectBody, subjectsPath } from './subjects.js'

/** A picture of 40 by 20, as authors embed them. */
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

/** A repeat, and one in it. */
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
 * A template as its author writes it: a control of every data type, options, calculations, a repeat and one in it, things
 * that are relevant only sometimes. Only `visited` is required, `consentNote` with consent, and `site` of each wound.
 * @param more replaces members; it is in production unless `status` says otherwise.
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

/** A template of one block and one section `only`, with just these controls. */
export const aSmallTemplate = (controls: readonly object[], more: object = {}): TemplateBody =>
  aTemplate({ key: 'small', buildingBlocks: [{ key: 'small', sections: [{ id: 'only', controls }] }], ...more })

/** Values for {@link aTemplate} that nothing stands against, of every kind, with two wounds of which the first has two dressings. */
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
  /** Another client of the scope FormsApi, with just these permissions. */
  formsClient(permissions: string[]): Promise<Api>
  /** Writes templates and insists. */
  publish(...bodies: TemplateBody[]): Promise<void>
}

/**
 * A tenant that no other test sees, with a subject and a client of forms that may do everything. It has no forms yet.
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
export const noteControls = [
  { id: 'note', label: 'Note' },
  { id: 'must', label: 'Must', required: true },
]

/** The form `small` with just {@link noteControls}. */
export const aNote = (more: object = {}) => aSmallTemplate(noteControls, more)

/** Values that complete {@link aNote}. */
export const whole = { note: 'a', must: 'b' }

/** A tenant with the form {@link aNote}, and its patient. */
export async function notesTenant(more: object = {}): Promise<{ tenant: FormsTenant; patient: Patient }> {
  const tenant = await formsTenant()
  await tenant.publish(aNote(more))
  return { tenant, patient: patientOf(tenant) }
}

/** A definition that asks for all of a form; its identifier is its key. */
export const formAsked = (key: string, more: object = {}) => ({
  identifier: key,
  type: 'form' as const,
  key,
  version: 1,
  ...more,
})

/** A definition that asks for all of a building block; its identifier is its key. */
export const blockAsked = (key: string, more: object = {}) => ({
  identifier: key,
  type: 'building-block' as const,
  key,
  version: 1,
  ...more,
})

export interface LaunchTenant extends FormsTenant {
  endpoint: DeliveryEndpoint
  /** Path of a launch of this tenant. */
  path(...rest: (string | number)[]): string
}

/**
 * A tenant with published forms that are sent to an endpoint of its own.
 * @param settings of its section `forms`, besides where they are sent.
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

/** The controls of `aNote`, as a building block of this key. */
export const noteBlock = (key: string) => ({ key, sections: [{ id: 'only', controls: noteControls }] })

/**
 * Publishes a form like `aNote` whose building block has the key of the form, so that the tests of one file share a tenant and
 * yet find only their own submissions.
 * @param more replaces members of the template.
 */
export async function notesForm(tenant: FormsTenant, key: string, more: object = {}) {
  await tenant.publish(aNote({ key, buildingBlocks: [noteBlock(key)], ...more }))
  const first = patientOf(tenant)
  return {
    key,
    /** Asks for the whole form, and for its building block as `block`. */
    definitions: [formAsked(key), blockAsked(key, { identifier: 'block' })],
    created: (more: object = {}, patient: Patient = first) => patient.created({ formKey: key, ...more }),
    /** Creates an instance and submits it. @returns its id. */
    async submitted(more: object = {}, values: object = whole, patient: Patient = first): Promise<string> {
      const id = await patient.created({ formKey: key, ...more })
      const { status, body } = await patient.submit(id, values)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return id
    },
  }
}

export type NotesForm = Awaited<ReturnType<typeof notesForm>>
