// Endpoints that merge subjects, undo merges, and list merged subjects.

import type { Knex } from 'knex'
import Type from 'typebox'
import type { PublishedForms } from '../../db/forms/templates/published-forms.js'
import { existingSubject } from '../../db/frame/subjects/subjects-by-id.js'
import { mergeSubjects, mergesOf } from '../../db/people/merge.js'
import { unmergeSubject } from '../../db/people/unmerge.js'
import { keyText } from '../../runtime/schema/key.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { guid } from '../schema/guid.js'
import { SubjectPath } from './shapes.js'
import { presentSubject, SubjectRead } from './subject-shapes.js'

const SubjectMerge = Type.Object(
  {
    SubjectId: guid({ description: 'The subject that is merged into that of the path.' }),
    PreferredFields: Type.Optional(
      Type.Array(keyText(), {
        maxItems: 500,
        description:
          'Keys of fields that take the values of the merged subject, where it has any. Not of matching fields. Default: the values of the subject of the path stay.',
      }),
    ),
  },
  {
    $id: 'SubjectMerge',
    examples: [{ SubjectId: '01930000-0000-7000-8000-000000000002', PreferredFields: ['phone'] }],
  },
)

const MergedSubject = Type.Object(
  {
    SubjectId: Type.String({ format: 'uuid', description: 'The subject that was merged: the id to undo it by.' }),
    IntoSubjectId: Type.String({ format: 'uuid', description: 'Of a chain of merges the next one.' }),
    MergedAt: Type.String({ format: 'date-time' }),
    MergedBy: Type.String({ description: 'The client.' }),
  },
  { $id: 'MergedSubject' },
)

const common = { tag: 'Subjects', scopes: ['FrameApi'], params: SubjectPath } as const

/** Merges two subjects into one, and undoes it (decision record 0046). */
export const subjectMergeRoutes = (stores: { db: Knex; forms: PublishedForms }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'mergeSubjects',
    summary:
      'Merge another subject into this one, with its values, places, forms, documents, data points and portal users; its ids lead to this one',
    description:
      'Makes one subject of two, in one transaction: the subject of the path stays, and gets the values that it lacks and everything that belongs to the other one. From then on the Id, ExternalId and matching values of the merged subject mean the one that stays. Repeating a merge changes nothing, and unmergeSubject undoes it.',
    method: 'post',
    path: '/api/v2/subject/:subjectId/merge',
    permission: 'Delete:Subject',
    alsoPermission: 'Edit:Subject',
    problems: ['same-subject', 'matching-values-taken'],
    body: SubjectMerge,
    answers: { 200: SubjectRead },
    async handle({ params, body, caller }) {
      const merge = { id: params.subjectId, mergedId: body.SubjectId, preferredFields: body.PreferredFields ?? [] }
      const { fields, subject } = await mergeSubjects(stores, caller.tenantId, merge, caller.clientId)
      return ok(presentSubject(fields, subject))
    },
  }),

  endpoint({
    ...common,
    operationId: 'unmergeSubject',
    summary: 'Undo the merge of this subject into another one, which keeps what was written since',
    description:
      'Undoes a merge and answers with the subject that was merged, which gets back what it had. What was written to the other one since the merge stays there. Of several merges into one subject the latest must be undone first (409 `later-merge` names it). For a subject that is not merged it changes nothing.',
    method: 'post',
    path: '/api/v2/subject/:subjectId/unmerge',
    permission: 'Delete:Subject',
    alsoPermission: 'Edit:Subject',
    problems: ['later-merge', 'matching-values-taken'],
    answers: { 200: SubjectRead },
    async handle({ params, caller }) {
      const { fields, subject } = await unmergeSubject(stores, caller.tenantId, params.subjectId)
      return ok(presentSubject(fields, subject))
    },
  }),

  endpoint({
    ...common,
    operationId: 'listMergedSubjects',
    summary: 'The subjects that were merged into this one, the latest first',
    description:
      'Lists everyone who is part of this subject by a merge, also through a chain of merges. Each entry has the Id by which unmergeSubject undoes it. The list is complete and not paged; it is empty for a subject without merges.',
    method: 'get',
    path: '/api/v2/subject/:subjectId/merges',
    permission: 'View:Subject',
    answers: { 200: Type.Array(MergedSubject) },
    async handle({ params, caller }) {
      const { id } = await existingSubject(stores.db, caller.tenantId, params.subjectId)
      const merges = await mergesOf(stores.db, caller.tenantId, id)
      return ok(
        merges.map(({ subject_id, into_id, merged_at, merged_by }) => ({
          SubjectId: subject_id,
          IntoSubjectId: into_id,
          MergedAt: merged_at.toISOString(),
          MergedBy: merged_by,
        })),
      )
    },
  }),
]
