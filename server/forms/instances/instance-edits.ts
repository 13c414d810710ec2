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
