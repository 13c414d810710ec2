// Administration endpoints for form templates and their versions.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { formTemplates, type PublicationStatus } from '../../db/forms/templates/templates.js'
import type { FormTemplate } from '../../forms/template.js'
import { type Fault, fault, invalid, notFound } from '../../runtime/problems/problem.js'
import { isShortKey } from '../../runtime/schema/short-key.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { breaksBetween } from '../forms/templates/template-breaks.js'
import { templateFaults } from '../forms/templates/template-faults.js'
import { Template, type TemplateBody } from '../forms/templates/template-schema.js'
import { completedTemplate, presentedTemplate } from '../forms/templates/template-shape.js'
import { templateWarnings } from '../forms/templates/template-warnings.js'
import { Warning } from './manifest/manifest.js'

const path = '/admin/v1/tenants/:tenantKey/forms'
const onePath = `${path}/:formKey/:version`
const common = { tag: 'Form templates', scopes: ['PlatformAdmin'] } as const

const Status = Type.Enum(['Development', 'Production'])
const Version = Type.Object(
  {
    key: Type.String(),
    version: Type.Integer(),
    status: Status,
    title: Type.String(),
    classification: Type.String(),
  },
  { $id: 'FormVersion' },
)

const Break = Type.Object(
  {
    code: Type.Enum([
      'building-block-removed',
      'control-removed',
      'data-type-changed',
      'value-type-changed',
      'repeats-changed',
      'option-removed',
    ]),
    buildingBlock: Type.String({ description: 'Key of the building block.' }),
    control: Type.Optional(Type.String({ description: 'Id of the control.' })),
    detail: Type.String(),
  },
  {
    $id: 'FormBreak',
    description: 'Something that an extract definition for the other version would no longer find, or find changed.',
  },
)

export const WrittenForm = Type.Object(
  {
    key: Type.String(),
    version: Type.Integer(),
    status: Status,
    created: Type.Boolean({ description: 'Whether the version is new.' }),
    applied: Type.Boolean({ description: 'False for a plan.' }),
    comparedWith: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The highest other version in production, if this one goes into production.',
    }),
    breaks: Type.Array(Break, { description: 'Differences from that version. They do not prevent the change.' }),
    warnings: Type.Array(Warning),
  },
  { $id: 'WrittenForm' },
)

/** Parses the version in a path. Returns undefined if it cannot be one. */
const versionOf = (text = ''): number | undefined => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined)

/** Lists, reads and writes the form templates of a tenant. */
export const formRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    permission: 'List:FormTemplate',
    operationId: 'listFormVersions',
    summary: 'All versions of all forms of a tenant, in development and in production',
    description:
      'Lists every version of every form, in development and in production, in order of key and version. The list is complete and not paged. A version itself is read with getForm.',
    method: 'get',
    path,
    answers: { 200: Type.Array(Version) },
    async handle({ params }) {
      const tenant = await tenantIdOf(db, params.tenantKey ?? '')
      return ok(await formTemplates(db, tenant).versions(['Development', 'Production']))
    },
  }),

  endpoint({
    ...common,
    permission: 'View:FormTemplate',
    operationId: 'getForm',
    summary: 'A version of a form as it can be written again',
    description:
      'Returns one version of a form with all defaults filled in. It can be sent to putForm as it is, for example under the next version. A version that does not exist is 404.',
    method: 'get',
    path: onePath,
    answers: { 200: Template },
    async handle({ params: { tenantKey = '', formKey = '', version } }) {
      const number = versionOf(version)
      const templates = formTemplates(db, await tenantIdOf(db, tenantKey))
      const found = number === undefined ? undefined : await templates.byVersion(formKey, number)
      if (!found) throw notFound(`There is no version ${version} of a form '${formKey}'.`)
      return ok(presentedTemplate(found.template, found.status))
    },
  }),

  endpoint({
    ...common,
    permission: 'Edit:FormTemplate',
    operationId: 'putForm',
    summary: 'Write a version of a form; with plan=true, only check it. A version in production cannot be changed',
    description:
      'Checks a version of a form and stores it; all faults are named, and with `plan=true` nothing is written. A version in development may be replaced as often as you like and is served to nobody. A version in production never changes: the same content again is fine, another one is 409 `form-published`. `breaks` names what readers of the version before would miss.',
    method: 'put',
    path: onePath,
    query: Type.Object({
      plan: Type.Optional(Type.Boolean({ description: 'Only check the version, and write nothing.' })),
    }),
    body: Template,
    bodyLimit: '32mb',
    answers: { 200: WrittenForm, 201: WrittenForm },
    problems: ['form-published', 'building-block-published'],
    async handle({ params: { tenantKey = '', formKey = '', version }, query, body, caller }) {
      const templates = formTemplates(db, await tenantIdOf(db, tenantKey))
      const number = versionOf(version) ?? 0
      const template = completedTemplate(formKey, number, body)
      const faults = [...pathFaults(formKey, number, body), ...templateFaults(template)]
      if (faults.length > 0) throw invalid(faults)
      const status = body.status ?? 'Development'
      const plan = query.plan ?? false
      const report = await reportOf(templates, template, status)
      const { created, differing } = await templates.put(template, status, caller.clientId, plan)
      const warnings = [...differing, ...report.warnings, ...templateWarnings(template)]
      const answer = { key: formKey, version: number, status, created, applied: !plan, ...report, warnings }
      return { status: created && !plan ? 201 : 200, body: answer }
    },
  }),
]

function pathFaults(key: string, version: number, body: TemplateBody): Fault[] {
  const rule = 'The key of a form has 1 to 64 letters, digits, - and _, and begins with a letter or digit.'
  return [
    ...(isShortKey(key) ? [] : [fault('/path/formKey', 'wrong-format', rule)]),
    ...(version > 0 ? [] : [fault('/path/version', 'wrong-format', 'A version is a number from 1 to 999999.')]),
    ...((body.key ?? key) === key
      ? []
      : [fault('/key', 'other-key', `The template has the key '${body.key}', but the path has '${key}'.`)]),
    ...(version === 0 || (body.version ?? version) === version
      ? []
      : [fault('/version', 'other-version', `The template is version ${body.version}, but the path has ${version}.`)]),
  ]
}

/** Compares a version that goes into production with the highest other one there, and warns if it is not the latest. */
async function reportOf(
  templates: ReturnType<typeof formTemplates>,
  template: FormTemplate,
  status: PublicationStatus,
): Promise<Pick<Static<typeof WrittenForm>, 'comparedWith' | 'breaks' | 'warnings'>> {
  const other = status === 'Production' ? await templates.latestBut(template.key, template.version) : undefined
  if (!other) return { comparedWith: null, breaks: [], warnings: [] }
  const detail = `Version ${other.version} is in production too; addresses without a version continue to serve that one.`
  const isOlder = other.version > template.version
  return {
    comparedWith: other.version,
    breaks: breaksBetween(other, template),
    warnings: isOlder ? [fault('/version', 'not-the-latest', detail)] : [],
  }
}
