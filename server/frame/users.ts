// Endpoints for users and their membership in groups.

import type { Knex } from 'knex'
import Type from 'typebox'
import { userStore } from '../../db/frame/users/users.js'
import { readsAt } from '../../db/replicas.js'
import { invalid } from '../../runtime/problems/problem.js'
import { keyText } from '../../runtime/schema/key.js'
import type { Caller } from '../caller.js'
import { readHeaders } from '../commit-token.js'
import { type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import type { DryPlan } from '../schema/collect-faults.js'
import { guid } from '../schema/guid.js'

const User = Type.Object(
  { id: Type.String({ description: 'Of the identity service.' }), displayName: Type.String() },
  { $id: 'User' },
)

const GroupKeys = Type.Array(keyText(), { minItems: 1, description: 'Keys of groups.' })

const dryPlan = (db: Knex): DryPlan => ({
  standIn: {},
  plan: (keys: unknown[], { tenantId }: Caller) => userStore(db, tenantId).refuseUnknownGroups(keys),
})

const common = { tag: 'Users', scopes: ['FrameApi'] } as const

/** Lists users and changes their groups (spec frame "Users"). */
export const userRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listUsers',
    summary: 'All users that match, by name',
    description:
      "Lists the users whose names match, in order of their names, without pages: a tenant with 100,000 users gets them all. Users come from the tenant's manifest and cannot be created here. With withAccessToSubjectId the answer shows every membership that was written before it.",
    method: 'get',
    path: '/api/v1/users',
    permission: 'List:User',
    query: Type.Object({
      searchTerm: Type.Optional(Type.String({ maxLength: 255, description: 'Every word occurs in the name.' })),
      includeInactive: Type.Optional(Type.Boolean({ description: 'Default false.' })),
      withAccessToSubjectId: Type.Optional(
        guid({
          description:
            'Only users with access to the subject with this Id: in a group that lists an entity to which it is assigned.',
        }),
      ),
      IncludeDescendants: Type.Optional(
        Type.Boolean({
          description:
            'Whether a group that lists an entity above one of those gives access too. Default: as the manifest of the tenant says (`userAccess`). Only with withAccessToSubjectId.',
        }),
      ),
    }),
    headers: readHeaders,
    answers: { 200: Type.Array(User) },
    async handle({ query: { IncludeDescendants: includeDescendants, ...query }, caller, read }) {
      if (includeDescendants !== undefined && query.withAccessToSubjectId === undefined) {
        const detail = 'Give the subject that users have access to: withAccessToSubjectId.'
        throw invalid([{ pointer: '/query/IncludeDescendants', code: 'descendants-without-subject', detail }])
      }
      // Callers base decisions on who has access, so that is read from the primary and never from a replica that lags.
      const reads = query.withAccessToSubjectId === undefined ? read : readsAt(db)
      return ok(await reads(server => userStore(server, caller.tenantId).list({ ...query, includeDescendants })))
    },
  }),

  endpoint({
    ...common,
    operationId: 'addUserToGroups',
    summary: 'Add a user to groups; being in one already is no fault',
    description:
      'Adds a user to groups, and keeps the groups that the user is in. All or none: one unknown key is 400 and nothing is written. Repeating the request changes nothing. An unknown user is 404.',
    method: 'post',
    path: '/api/v1/users/:userId/groups',
    permission: 'Create:UserGroup',
    body: GroupKeys,
    dryPlan: dryPlan(db),
    answers: { 204: null },
    async handle({ params, body, caller }) {
      await userStore(db, caller.tenantId).addToGroups(params.userId ?? '', body)
      return noContent
    },
  }),

  endpoint({
    ...common,
    operationId: 'removeUserFromGroups',
    summary: 'Take a user out of groups; not being in one is no fault',
    description:
      'Removes a user from groups; repeat `groupKey` for each. All or none: one unknown key is 400 and nothing is written. Repeating the request changes nothing. The user and the groups themselves stay.',
    method: 'delete',
    path: '/api/v1/users/:userId/groups',
    permission: 'Delete:UserGroup',
    query: Type.Object({ groupKey: GroupKeys }),
    answers: { 204: null },
    async handle({ params, query, caller }) {
      await userStore(db, caller.tenantId).removeFromGroups(params.userId ?? '', query.groupKey)
      return noContent
    },
  }),
]
