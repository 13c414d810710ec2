import { inject } from 'vitest'
import { type Api, admin, newTenant, type Reply, type Tenant } from './api.js'
import { demoSubjects } from './manifest.js'
import { addPerson, type SubjectBody, subjectsPath } from './subjects.js'

/** What the answer to a written template says. */
export interface WrittenForm {
  key: string
  version: number
  status: 'Development' | 'Production'
  created: boolean
  applied: boolean
  warnings: { pointer: string; code: string; detail: string }[]
  comparedWith: number | null
  breaks: { code: string; buildingBlock: string; control?: string; detail: string }[]
}

/** A template as its author writes it, as far as tests look into it. */
export interface TemplateBody {
  key: string
  version: number
  [member: string]: unknown
}

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

export const formPath = (tenantKey: string, { key, version }: { key: string; version: number }) =>
  `/admin/v1/tenants/${tenantKey}/forms/${encodeURIComponent(key)}/${version}`

/** Writes a version of a form under the key and version that its body has. @param platform see `admin` in api.ts. */
export const putForm = (
  platform: Api,
  tenantKey: string,
  body: TemplateBody,
  query = '',
): Promise<Reply<WrittenForm>> => platform.put<WrittenForm>(`${formPath(tenantKey, body)}${query}`, body)

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
