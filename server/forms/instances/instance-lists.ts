// Endpoints that list form instances.
import type { Knex } from 'knex'
import Type from 'typebox'
import { type InstanceFilter, type InstanceOrder, instanceLists } from '../../../db/forms/instances/instance-lists.js'
import type { InstanceRow } from '../../../db/forms/instances/instances.js'
import { patientId } from '../../../db/forms/instances/patients.js'
import { isDateTime, utc } from '../../../db/frame/fields/custom-fields.js'
import { readsAt } from '../../../db/replicas.js'
import { type Fault, invalid, notFound } from '../../../runtime/problems/problem.js'
import { bufferLines } from '../../../runtime/rows/buffered-lines.js'
import { readHeaders } from '../../commit-token.js'
import { type Endpoint, endpoint, ok } from '../../endpoint.js'
import { camelPage, camelPageSchema, listing, pagingQuery } from '../../paging.js'
import { Guid, Id } from '../../schema/guid.js'
import { InstanceSummary, instanceStatuses, ListedInstance, presentListed, presentSummary } from './shapes.js'

const orders: Record<string, InstanceOrder> = { CreatedAt: 'id', ModifiedAt: 'modified_at', Title: 'title' }

const Text = (description: string) => Type.Optional(Type.String({ maxLength: 255, description }))
const Moment = (description: string) =>
  Type.Optional(
    Type.Refine(
      Type.String({
        maxLength: 100,
        publish: { format: 'date-time' },
        description: `${description} ISO 8601; without a zone it is UTC.`,
      }),
      isDateTime,
      () => 'must be a date-time in ISO 8601',
    ),
  )

const includeWithdrawn = Type.Optional(Type.Boolean({ description: 'Include withdrawn instances. Default false.' }))
const instanceGuid = Type.Array(Guid, { minItems: 1, description: 'Can be repeated.' })

const filters = {
  instanceGuid: Type.Optional(instanceGuid),
  formKey: Text('Only instances of this form.'),
  formVersion: Type.Optional(Type.Integer({ minimum: 1, maximum: 4_294_967_295 })),
  status: Type.Optional(Type.Enum([...instanceStatuses], { description: 'Status of the current version.' })),
  classification: Text('Classification of the form. The whole text must match.'),
  correlationId: Text('The correlation id that the instance was created with.'),
  createdFrom: Moment('Inclusive.'),
  createdTo: Moment('Exclusive.'),
  modifiedFrom: Moment('Inclusive.'),
  modifiedTo: Moment('Exclusive.'),
  includeWithdrawn,
  isAmendable: Type.Optional(Type.Boolean()),
}

const common = {
  tag: 'Form instances',
  scopes: ['FormsApi'],
  unauthenticated: 403,
  method: 'get',
  permission: 'ListPatientForms',
} as const

/**
 * Returns the headers of an endpoint that is deprecated since 2026-11-01 (RFC 9745) in favour of the list of a
 * subject's forms.
 */
const deprecated = (tenantKey: string, subject = '{subjectIdentifier}') => ({
  Deprecation: '@1793491200',
  Link: `<${encodeURI(`/api/v2.0/tenant/${tenantKey}/subject/${subject}/forms`)}>; rel="successor-version"`,
})

/** How many instances are read at a time while all those of a patient are written. */
const slice = 1_000

/** Writes a JSON list of all instances. @param next reads those after an id. */
async function* summaries(next: (after?: string) => Promise<InstanceRow[]>): AsyncGenerator<string> {
  yield '['
  let last: InstanceRow | undefined
  for (let isEnd = false; !isEnd; ) {
    const rows = await next(last?.id)
    for (const row of rows) {
      yield `${last ? ',' : ''}${JSON.stringify(presentSummary(row))}`
      last = row
    }
    isEnd = rows.length < slice
  }
  yield ']'
}

/** Creates the endpoints that list instances (spec forms "Form instances"). */
export const instanceListRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listFormInstances',
    readsPeople: true,
    deprecated: true,
    summary: 'Form instances by their ids. Deprecated: see listSubjectForms',
    description:
      'Returns the instances with these ids, of whichever subjects, without their values. Ids that do not exist, and withdrawn instances unless includeWithdrawn is true, are left out. The answers name the successor in `Link`.',
    path: '/api/patientforms',
    query: Type.Object({ instanceGuid, includeWithdrawn }),
    answers: { 200: Type.Array(InstanceSummary) },
    async handle({ query, caller }) {
      const rows = await instanceLists(db, caller.tenantId).byIds(query.instanceGuid, query.includeWithdrawn ?? false)
      return { ...ok(rows.map(presentSummary)), headers: deprecated(caller.tenantKey) }
    },
  }),

  endpoint({
    ...common,
    operationId: 'listPatientForms',
    readsPeople: true,
    deprecated: true,
    summary: 'Form instances of a patient, oldest first. Deprecated: see listSubjectForms',
    description:
      'Returns the instances of one patient without their values; without pageSize and pageNumber all of them. Pages are counted, so an instance that is created between two calls can move others. The answers name the successor in `Link`.',
    path: '/api/patientforms/:patientId',
    params: Type.Object({ patientId: Id }),
    query: Type.Object({
      pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Default 20 with pageNumber.' })),
      pageNumber: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'Counted from 1, which is the default with pageSize. Without both, all are returned.',
        }),
      ),
      correlationId: filters.correlationId,
      includeWithdrawn,
    }),
    headers: readHeaders,
    answers: { 200: Type.Array(InstanceSummary) },
    async handle({ params, query, caller, read }) {
      const { pageSize, pageNumber, ...filter } = query
      const subjectId = await patientId(db, caller.tenantId, params.patientId)
      const of = (part: { size: number; number?: number; after?: string | undefined }) =>
        read(server => instanceLists(server, caller.tenantId).ofSubject(subjectId, filter, part))
      const headers = deprecated(caller.tenantKey, subjectId)
      if (pageSize !== undefined || pageNumber !== undefined) {
        const rows = await of({ size: pageSize ?? 20, number: pageNumber ?? 1 })
        return { ...ok(rows.map(presentSummary)), headers }
      }
      return {
        status: 200,
        compressible: bufferLines(summaries(after => of({ size: slice, after }))),
        headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
      }
    },
  }),

  endpoint({
    ...common,
    operationId: 'listSubjectForms',
    readsPeople: true,
    summary: 'Form instances of a subject, filtered, sorted and paged',
    description:
      'Returns a page of the instances of one subject that meet all given filters, without their values. Withdrawn ones are left out unless includeWithdrawn is true. Instances of merged subjects are among them. A path that names another tenant than the token is 404.',
    path: '/api/v2.0/tenant/:tenantKey/subject/:subjectIdentifier/forms',
    params: Type.Object({ subjectIdentifier: Id }),
    query: pagingQuery(orders, filters),
    headers: readHeaders,
    answers: { 200: camelPageSchema(ListedInstance) },
    async handle({ params, query, caller, read }) {
      const { tenantId, tenantKey } = caller
      if (params.tenantKey !== tenantKey) throw notFound(`There is no tenant '${params.tenantKey}'.`)
      const subjectId = await patientId(db, tenantId, params.subjectIdentifier)
      const { instanceGuid, formKey, formVersion, status, classification, correlationId } = query
      const filter: InstanceFilter = {
        instanceIds: instanceGuid,
        formKey,
        formVersion,
        status,
        classification,
        correlationId,
        ...timesOf(query),
        includeWithdrawn: query.includeWithdrawn,
        isAmendable: query.isAmendable,
      }
      const list = listing(query, orders, ['forms', tenantId, subjectId, filter])
      // A caller may ask for instances so soon after their creation that a replica does not have them yet.
      const page = await (instanceGuid ? readsAt(db) : read)(server =>
        instanceLists(server, tenantId).page(subjectId, filter, list.request),
      )
      const placeOf = ({ id, title, modified_at }: InstanceRow) => ({
        id,
        title,
        modified_at: modified_at.toISOString(),
      })
      const rows = page.rows.map(instance => ({ ...placeOf(instance), instance }))
      return ok(await camelPage({ ...page, rows }, list, 'id', ({ instance }) => presentListed(tenantKey, instance)))
    },
  }),
]

type Times = Pick<InstanceFilter, 'createdFrom' | 'createdTo' | 'modifiedFrom' | 'modifiedTo'>

/** Parses the time ranges of a filter. @throws Problem 400 for a range that ends before it begins. */
function timesOf(query: { [Name in keyof Times]?: string | undefined }): Times {
  const at = (text: string | undefined) => (text === undefined ? undefined : new Date(utc(text)))
  const [createdFrom, createdTo] = [at(query.createdFrom), at(query.createdTo)]
  const [modifiedFrom, modifiedTo] = [at(query.modifiedFrom), at(query.modifiedTo)]
  const faults: Fault[] = []
  const refuse = (name: string, from: Date | undefined, to: Date | undefined) => {
    if (!from || !to || from <= to) return
    faults.push({ pointer: `/query/${name}From`, code: 'from-after-to', detail: `${name}From is after ${name}To.` })
  }
  refuse('created', createdFrom, createdTo)
  refuse('modified', modifiedFrom, modifiedTo)
  if (faults.length > 0) throw invalid(faults)
  return { createdFrom, createdTo, modifiedFrom, modifiedTo }
}
