// Endpoints that create and read a single form instance.
import Type from 'typebox'
import { createInstance, onBehalfOfTypes } from '../../../db/forms/instances/instance-create.js'
import { instanceReader } from '../../../db/forms/instances/instance-versions.js'
import { instanceWithdrawals } from '../../../db/forms/instances/instance-withdrawals.js'
import type { InstanceStores } from '../../../db/forms/instances/instances.js'
import { shownValues } from '../../../forms/annotated-image.js'
import { controlsOf, type FormTemplate } from '../../../forms/template.js'
import type { FormValues } from '../../../forms/values.js'
import { invalid, notFound } from '../../../runtime/problems/problem.js'
import { type Endpoint, endpoint, ok } from '../../endpoint.js'
import { patientForm } from '../xml/xml.js'
import { InstancePath, ifMatch, namedIn, seenIn, withEtag } from './if-match.js'
import {
  FilledForm,
  InstanceHistory,
  presentListed,
  presentVersion,
  presentWithdrawal,
  presentWritten,
  WithdrawalItem,
  WrittenInstance,
} from './shapes.js'

/** An identifier. It begins and ends with a visible character, because the database ignores trailing blanks. */
const Identifier = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$',
  description: 'Without blanks at its ends and without control characters.',
})

// The context is part of the instance's XML document, so it must not have characters that XML 1.0 does not allow.
const isXmlText = (text: string) => !/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text)

const ContextValue = Type.Refine(Type.String({ maxLength: 4_000 }), isXmlText, () => 'must have no control characters')

const InstanceContext = Type.Refine(
  Type.Record(Type.String(), ContextValue, {
    maxProperties: 100,
    description:
      'At most 100 texts of at most 4,000 characters, with names of 1 to 255 characters. It cannot be changed later.',
  }),
  context => Object.keys(context).every(name => name !== '' && name.length <= 255 && isXmlText(name)),
  () => 'must have names of 1 to 255 characters',
)

const Create = Type.Object(
  {
    patientIdentifier: Type.String({
      minLength: 1,
      maxLength: 255,
      lowerCase: true,
      description: "The subject's Id or ExternalId.",
    }),
    instanceIdentifier: Identifier,
    formKey: Type.String({ minLength: 1, maxLength: 255 }),
    formVersion: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
    onBehalfOf: Type.Optional(Type.Object({ identifier: Identifier, type: Type.Enum([...onBehalfOfTypes]) })),
    instanceContext: Type.Optional(InstanceContext),
    correlationId: Type.Optional(Identifier),
  },
  { $id: 'CreateForm' },
)

const Reason = Type.Object({ reason: Type.String({ minLength: 1, maxLength: 4_000, pattern: '\\S' }) })

const common = { tag: 'Form instances', scopes: ['FormsApi'], unauthenticated: 403 } as const

const withdrawn = Type.Object({
  includeWithdrawn: Type.Optional(
    Type.Boolean({ description: 'Return the instance even if it is withdrawn. Default false.' }),
  ),
})

/** Creates the endpoints for a single instance (spec forms "Form instances"). */
export const instanceRoutes = (stores: InstanceStores): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'createFormInstance',
    summary: 'Create a form of a patient; repeating the request returns the same instance',
    description:
      "Creates an instance of a form in production for a patient, in the status New. The `instanceIdentifier` is the caller's own: the same request again returns the same instance, and the identifier with other content is 409 `instance-identifier-taken`. The instance keeps this version of the form, and its context, for good.",
    method: 'post',
    // The router also accepts the trailing slash of the specification, which an OpenAPI path must not have.
    path: '/api/clinicianforms/create',
    permission: 'Create',
    headers: Type.Object({
      'X-Correlation-Id': Type.Optional(Type.String({ description: 'Used if the body has no correlationId.' })),
    }),
    body: Create,
    answers: { 200: WrittenInstance },
    problems: ['not-found', 'subject-erased', 'instance-identifier-taken', 'instance-discarded'],
    async handle({ body, caller, header }) {
      const request = {
        ...body,
        correlationId: body.correlationId ?? correlationIdIn(header('x-correlation-id')),
        onBehalfOf: body.onBehalfOf,
        instanceContext: body.instanceContext ?? {},
      }
      const row = await createInstance(stores, caller.tenantId, request, caller.subject)
      return withEtag(row, ok(presentWritten(caller.tenantKey, row)))
    },
  }),

  endpoint({
    ...common,
    operationId: 'getFormInstance',
    readsPeople: true,
    summary: 'A form instance with its values, or with `Accept: application/xml` its PatientForm document',
    description:
      'Returns an instance with the values of its current version, be it a draft or complete. Values that were read can be sent back as they are. A withdrawn instance is 404 unless includeWithdrawn is true. The `ETag` goes into the `If-Match` of the next change.',
    method: 'get',
    path: '/api/patientforms/:patientId/instance/:instanceGuid',
    params: InstancePath,
    permission: ['ListPatientForms', 'Create'],
    query: withdrawn,
    answers: { 200: FilledForm },
    async handle({ params, query, caller, accepts }) {
      const { row, template, context, values } = await instanceReader(stores, caller.tenantId).byId(namedIn(params))
      if (row.is_withdrawn === 1 && !query.includeWithdrawn)
        throw notFound(`The form instance '${row.id}' is withdrawn. Use includeWithdrawn=true to read it.`)
      const vary = { Vary: 'Accept' }
      if (accepts(['application/json', 'application/xml', 'text/xml'])?.endsWith('xml')) {
        const lastModifiedDateTime = row.modified_at.toISOString()
        const instance = { ...presentListed(caller.tenantKey, row), lastModifiedDateTime }
        const body = patientForm(template, values, { instance, context })
        return withEtag(row, {
          status: 200,
          body,
          headers: { ...vary, 'Content-Type': 'application/xml; charset=utf-8' },
        })
      }
      const shown = { instanceContext: context, values: withPictures(template, values) }
      return withEtag(row, { ...ok({ ...presentListed(caller.tenantKey, row), ...shown }), headers: vary })
    },
  }),

  endpoint({
    ...common,
    operationId: 'getFormInstanceHistory',
    readsPeople: true,
    summary: 'All versions of a form instance, and every time it was withdrawn or reinstated',
    description:
      'Lists the versions of an instance without their values, and every withdrawal with its reason. An automatic save replaces the one before it by the same user, so it is no version of its own. Of a withdrawn instance only the withdrawals are shown, unless includeWithdrawn is true.',
    method: 'get',
    path: '/api/patientforms/:patientId/history/:instanceGuid',
    params: InstancePath,
    permission: ['ListPatientForms', 'Create'],
    query: Type.Object({
      includeWithdrawn: Type.Optional(
        Type.Boolean({ description: 'Return the versions even if the instance is withdrawn. Default false.' }),
      ),
    }),
    answers: { 200: InstanceHistory },
    async handle({ params, query, caller }) {
      const { row, versions, withdrawals } = await instanceReader(stores, caller.tenantId).history(namedIn(params))
      const shown = row.is_withdrawn === 1 && !query.includeWithdrawn ? [] : versions
      return ok({
        compositeInstanceHistory: shown.map(version => presentVersion(caller.tenantKey, row, version)),
        withdrawalHistory: withdrawals.map(withdrawal => presentWithdrawal(row.id, withdrawal)),
      })
    },
  }),

  ...(['withdraw', 'reinstate'] as const).map(step =>
    endpoint({
      ...common,
      operationId: `${step}FormInstance`,
      ...meaning[step],
      method: step === 'withdraw' ? 'delete' : 'patch',
      path: `/api/patientforms/:patientId/instance/:instanceGuid/${step}`,
      params: InstancePath,
      permission: step === 'withdraw' ? 'Withdraw' : 'Reinstate',
      headers: ifMatch,
      body: Reason,
      answers: { 200: WithdrawalItem },
      problems: ['not-withdrawn', 'instance-changed'],
      async handle({ params, body, caller, header }) {
        const action = { reason: body.reason, actor: caller.subject, seen: seenIn(header('if-match')) }
        const { row, withdrawal } = await instanceWithdrawals(stores, caller.tenantId)[step](namedIn(params), action)
        return withEtag(row, ok(presentWithdrawal(row.id, withdrawal)))
      },
    }),
  ),
]

const meaning = {
  withdraw: {
    summary: 'Withdraw a form instance: lists and extracts no longer return it',
    description:
      'Takes an instance out of lists, extracts and exports, with a reason that its history keeps. Nothing is deleted, its status stays, and reinstateFormInstance undoes it. Withdrawing it again changes nothing and returns the first withdrawal. A template may forbid it (403).',
  },
  reinstate: {
    summary: 'Bring a withdrawn form instance back',
    description:
      'Shows a withdrawn instance in lists, extracts and exports again, with a reason that its history keeps. Reinstating it again changes nothing and returns the first time. An instance that was never withdrawn is 409 `not-withdrawn`. A template may forbid it (403).',
  },
}

/**
 * Reads the correlation id from the header, with the limit that it has in the body.
 * @throws Problem 400 if it is too long.
 */
function correlationIdIn(header: string): string | undefined {
  if (header === '') return undefined
  if (header.length <= 255) return header
  const detail = 'The correlation id has more than 255 characters.'
  throw invalid([{ pointer: '/header/X-Correlation-Id', code: 'too-long', detail }])
}

const withPictures = (template: FormTemplate, values: FormValues) =>
  Object.fromEntries(
    Object.entries(values).map(([id, all]) => {
      const control = controlsOf(template).get(id)?.control
      return [id, control ? shownValues(control, all) : all]
    }),
  )
