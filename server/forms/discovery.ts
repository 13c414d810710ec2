// Endpoints that list published forms and return their definitions.
import type Router from '@koa/router'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import type { PublishedForms } from '../../db/forms/templates/published-forms.js'
import { type FormVersion, formTemplates } from '../../db/forms/templates/templates.js'
import type { TenantLimitsReader } from '../../db/tenant-limits.js'
import type { FormTemplate } from '../../forms/template.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { bearerToken } from '../middleware/authenticate.js'
import { addressOf, limitRequests } from '../middleware/rate-limit.js'
import { validateQuery } from '../middleware/validate.js'
import { serve } from '../operation.js'
import { type LaunchAdmission, noForms } from './launch/launch-policy.js'
import { pages } from './pages/page-declarations.js'
import { FormDefinition, formDefinition } from './templates/definition.js'
import { publishedForm, requireOwnTenant, Version } from './templates/published-version.js'
import { formSchema } from './xml/xml-schema.js'

const CreatableForm = Type.Object(
  { key: Type.String(), title: Type.String(), classification: Type.String() },
  { $id: 'CreatableForm' },
)

const PublishedForm = Type.Object(
  {
    key: Type.String(),
    versionNumber: Type.Integer(),
    formTitle: Type.String(),
    allowAmend: Type.Boolean(),
    classification: Type.String(),
    allowSaveDraft: Type.Boolean(),
    autoSaveIntervalSeconds: Type.Integer(),
    allowDiscard: Type.Boolean(),
    allowRevoke: Type.Boolean(),
  },
  { $id: 'PublishedForm' },
)

const presentVersion = (template: FormTemplate): Static<typeof PublishedForm> => ({
  key: template.key,
  versionNumber: template.version,
  formTitle: template.title,
  allowAmend: template.allowAmend,
  classification: template.classification,
  allowSaveDraft: template.allowSaveDraft,
  autoSaveIntervalSeconds: template.autoSaveIntervalSeconds,
  allowDiscard: template.allowDiscard,
  allowRevoke: template.allowRevoke,
})

/** Groups versions by form, in the order in which they come. */
function byForm(versions: readonly FormVersion[]): FormVersion[][] {
  const forms = new Map<string, FormVersion[]>()
  for (const version of versions) forms.set(version.key, [...(forms.get(version.key) ?? []), version])
  return [...forms.values()]
}

const production = ['Production'] as const
const statusQuery = (description: string) =>
  Type.Object({
    publicationStatus: Type.Optional(Type.Array(Type.Enum(['Production', 'Development']), { description })),
  })

const common = { tag: 'Form templates', scopes: ['FormsApi'], unauthenticated: 403, method: 'get' } as const

/**
 * Creates the endpoints that tell programs about forms (spec forms "Template discovery and definition"). Lists are
 * sorted by key and version.
 */
export const formDiscoveryRoutes = ({ db, forms }: { db: Knex; forms: PublishedForms }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listCreatableForms',
    summary: 'The forms that instances can be created of, each in its latest version',
    description:
      'Lists each form that is in production once, in its highest version. Versions in development are never listed, because instances cannot be created of them. The list is complete and not paged.',
    path: '/api/clinicianforms/availableForms',
    query: statusQuery(
      'Default: Production. Instances cannot be created of versions in Development, so those are never listed.',
    ),
    answers: { 200: Type.Array(CreatableForm) },
    async handle({ query: { publicationStatus = production }, caller }) {
      const creatable = publicationStatus.filter(status => status === 'Production')
      const versions = await formTemplates(db, caller.tenantId).versions(creatable)
      const latest = byForm(versions).flatMap(all => all.slice(-1))
      return ok(latest.map(({ key, title, classification }) => ({ key, title, classification })))
    },
  }),

  endpoint({
    ...common,
    operationId: 'listPublishedForms',
    summary: 'Every version of every form, with what can be done with its instances',
    description:
      'Lists every version of every form with what its template allows: drafts, amendments, discarding, withdrawal. Instances keep the version with which they were created, so older versions matter too. The list is complete and not paged.',
    path: '/api/clinicianforms/allAvailableForms',
    query: statusQuery('Default: Production. Repeat the parameter to get both.'),
    answers: { 200: Type.Array(PublishedForm) },
    async handle({ query: { publicationStatus = production }, caller }) {
      return ok((await formTemplates(db, caller.tenantId).all(publicationStatus)).map(presentVersion))
    },
  }),

  endpoint({
    ...common,
    operationId: 'getFormDefinition',
    summary: 'The parts of a form: building blocks, sections, controls, repeats',
    description:
      'Describes the structure of a version of a form in production, with the path of each value in the delivered XML. Such a version never changes, so the answer may be stored. A path that names another tenant than the token is 404.',
    path: '/api/v2.0/tenant/:tenantKey/formdefinition/:formKey/:formVersion',
    params: Type.Object({ formVersion: Version }),
    answers: { 200: FormDefinition },
    async handle({ params, caller }) {
      requireOwnTenant(params, caller)
      const { formKey = '', formVersion } = params
      return ok(formDefinition(await publishedForm(forms, caller.tenantId, formKey, formVersion)))
    },
  }),

  endpoint({
    ...common,
    operationId: 'getFormSchema',
    summary: 'The XML Schema of the documents in which single-pass forms are delivered',
    description:
      'Returns an XML Schema by which receivers can validate the documents of this version of a form. Such a version never changes, so the schema may be stored. A path that names another tenant than the token is 404.',
    path: '/api/v2.0/tenant/:tenantKey/formschema/:formKey/:version',
    params: Type.Object({ version: Version }),
    answers: { 200: Type.String() },
    answerType: 'application/xml',
    async handle({ params, caller }) {
      requireOwnTenant(params, caller)
      const { formKey = '', version } = params
      const body = formSchema(await publishedForm(forms, caller.tenantId, formKey, version))
      return { ...ok(body), headers: { 'Content-Type': 'application/xml; charset=utf-8' } }
    },
  }),
]

export interface AvailableFormsDependencies {
  db: Knex
  policy: LaunchAdmission
  limits: TenantLimitsReader
}

/**
 * Registers the list of a tenant's single-pass forms in production, for users who may open them. It comes before the routes that
 * launch forms, so a form cannot have the key `AvailableForms`.
 */
export function availableFormsRoute(router: Router, { db, policy, limits }: AvailableFormsDependencies): void {
  serve(router, pages.listForms, validateQuery(undefined), async ctx => {
    const { tenantId, settings } = await policy.admit(ctx, bearerToken(ctx.get('authorization')))
    // Refused before the request is counted, as for an unknown tenant, which has no limit to count against.
    if (!settings.delivery) throw noForms(String(ctx.params.tenantKey))
    await limitRequests(ctx, `${tenantId}/forms/${addressOf(ctx)}`, (await limits(tenantId)).requestsPerMinute)
    const versions = await formTemplates(db, tenantId).versions(production)
    ctx.body = byForm(versions).map(all => ({
      name: all.at(-1)?.title,
      key: all.at(-1)?.key,
      versions: all.map(({ version }) => version),
    }))
  })
}
