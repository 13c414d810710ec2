// Endpoints that assign subjects to structural entities.

import type { Knex } from 'knex'
import Type from 'typebox'
import { locationStore } from '../../db/frame/subjects/locations.js'
import { keyText } from '../../runtime/schema/key.js'
import { type Endpoint, endpoint, noContent } from '../endpoint.js'
import { SubjectPath } from './shapes.js'

const keys = Type.Array(keyText(), { minItems: 1, maxItems: 1000 })

const common = {
  tag: 'Subjects',
  scopes: ['FrameApi'],
  path: '/api/v1/subject/:subjectId/structuralEntities',
  params: SubjectPath,
  answers: { 204: null },
} as const

/** Adds and removes assignments (spec frame "Subject locations"). Repeating either request is harmless. */
export const locationRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'addSubjectLocations',
    summary: 'Assign a subject to structural entities, besides those it is assigned to',
    description:
      'Adds assignments to the ones that the subject has. Those that it has already are no fault, so the request may be repeated. If one key is unknown, or its type takes no subjects, nothing is written, and every such key is named.',
    method: 'put',
    permission: 'Create:SubjectLocation',
    body: Type.Object({ keys }, { $id: 'SubjectLocations' }),
    async handle({ params, body, caller }) {
      await locationStore(db, caller.tenantId).add(params.subjectId, body.keys)
      return noContent
    },
  }),

  endpoint({
    ...common,
    operationId: 'removeSubjectLocations',
    summary: 'Take a subject from structural entities',
    description:
      'Removes assignments; the subject itself stays, also without any place. Entities to which it is not assigned are no fault, so the request may be repeated. If one key is unknown, nothing is written.',
    method: 'delete',
    permission: 'Delete:SubjectLocation',
    query: Type.Object({ keys }),
    async handle({ params, query, caller }) {
      await locationStore(db, caller.tenantId).remove(params.subjectId, query.keys)
      return noContent
    },
  }),
]
