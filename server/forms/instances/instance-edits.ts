// Endpoints that edit a form instance: draft, submit, amend, discard.
import Type from 'typebox'
import { instanceEdits } from '../../../db/forms/instances/instance-edits.js'
import type { InstanceRow, InstanceStores } from '../../../db/forms/instances/instances.js'
import type { Caller } from '../../caller.js'
import { type Answer, type Endpoint, endpoint, noContent, ok } from '../../endpoint.js'
import { InstancePath, ifMatch, namedIn, seenIn, withEtag } from './if-match.js'
import { presentWritten, WrittenInstance } from './shapes.js'

const Filled = Type.Object(
  {
    values: Type.Record(Type.String(), Type.Unknown(), {
      exact: true,
      description:
        'Values by control id: the value itself, or the list that a GET returned. In a repeat: a list of {repeatIterationIndex, value}.',
    }),
  },
  { $id: 'FilledValues' },
)

const common = {
  tag: 'Form instances',
  scopes: ['FormsApi'],
  unauthenticated: 403,
  permission: 'Create',
  params: InstancePath,
  headers: ifMatch,
} as const

const path = '/api/patientforms/:patientId/instance/:instanceGuid'
const answers = { 200: WrittenInstance }

const written = ({ tenantKey }: Caller, row: InstanceRow): Answer => withEtag(row, ok(presentWritten(tenantKey, row)))

/**
 * Creates the endpoints that move an instance from new to draft to complete and back (DECISIONS "Submitting",
 * "Transitions").
 */
export const instanceEditRoutes = (stores: InstanceStores): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'saveFormDraft',
    summary: 'Save a draft of a form instance; required answers may be missing',
    description:
      'Stores the sent values as the draft of an instance and replaces those of the draft before. Values are checked, but required ones may be missing. `If-Match` is required where there is a draft: 412 means that somebody else has changed it. A complete instance must be amended first.',
    method: 'put',
    path: `${path}/draft`,
    query: Type.Object({
      autoSave: Type.Optional(
        Type.Boolean({
          description:
            'True for a save that no person asked for. It replaces the automatic save before it. Default false.',
        }),
      ),
    }),
    body: Filled,
    bodyLimit: '32mb',
    answers,
    problems: ['instanceSteps', 'instance-is-complete'],
    async handle({ params, query, body, caller, header }) {
      const edit = { actor: caller.subject, seen: seenIn(header('if-match')), isAutoSave: query.autoSave ?? false }
      const row = await instanceEdits(stores, caller.tenantId).saveDraft(namedIn(params), body.values, edit)
      return written(caller, row)
    },
  }),

  endpoint({
    ...common,
    operationId: 'submitForm',
    summary: 'Complete a form instance',
    description:
      'Checks the sent values as the page of the form does and completes the instance with them; the values of a draft are not added. All faults are named, and nothing is stored if there is one. `If-Match` is required where there is a draft. Repeating the request is 409 `instance-is-complete`.',
    method: 'post',
    path: `${path}/submit`,
    body: Filled,
    bodyLimit: '32mb',
    answers,
    problems: ['instanceSteps', 'instance-is-complete'],
    async handle({ params, body, caller, header }) {
      const edit = { actor: caller.subject, seen: seenIn(header('if-match')) }
      return written(caller, await instanceEdits(stores, caller.tenantId).submit(namedIn(params), body.values, edit))
    },
  }),

  endpoint({
    ...common,
    operationId: 'amendForm',
    summary: 'Reopen a complete form instance as a draft with the same values',
    description:
      'Opens a complete instance again, as a draft with the values of its latest version. Extracts and exports show the complete version until the amendment is submitted. A template may forbid it (403). Repeating the request is 409 `instance-is-draft`.',
    method: 'post',
    path: `${path}/amend`,
    answers,
    problems: ['instanceSteps', 'instance-is-new', 'instance-is-draft'],
    async handle({ params, caller, header }) {
      const edit = { actor: caller.subject, seen: seenIn(header('if-match')) }
      return written(caller, await instanceEdits(stores, caller.tenantId).amend(namedIn(params), edit))
    },
  }),

  endpoint({
    ...common,
    operationId: 'discardFormDraft',
    summary: 'Discard the draft. The latest complete version counts again; without one the instance is deleted (204)',
    description:
      'Gives a draft up. An amended instance is complete again as before; an instance that was never completed is deleted, and answered 204. `If-Match` is required, so that nobody discards what somebody else has just saved. A template may forbid it (403).',
    method: 'delete',
    path: `${path}/draft`,
    answers: { 200: WrittenInstance, 204: null },
    problems: ['instanceSteps', 'instance-is-complete'],
    async handle({ params, caller, header }) {
      const edit = { actor: caller.subject, seen: seenIn(header('if-match')) }
      const row = await instanceEdits(stores, caller.tenantId).discard(namedIn(params), edit)
      return row.is_deleted === 1 ? noContent : written(caller, row)
    },
  }),
]
