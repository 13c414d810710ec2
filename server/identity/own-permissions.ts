// Tells callers what they may do, so that a program can say so before it is refused, and a page offers only what works.
import Type from 'typebox'
import { scopes } from '../../runtime/secrets/scopes.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'

const OwnPermissions = Type.Object(
  {
    tenantKey: Type.String(),
    actor: Type.String({
      description: 'The id of the client, or `account:<id>` for a person: what jobs and the audit call the caller.',
    }),
    permissions: Type.Array(Type.String(), {
      description: 'Each by its name, also those that a wildcard of the manifest or of a role grants.',
    }),
  },
  { $id: 'OwnPermissions' },
)

/** @param others all other endpoints: the permissions that there are are those that they need. */
export function withOwnPermissions(others: readonly Endpoint[]): Endpoint[] {
  const needed = others.flatMap(({ permission = [], alsoPermission = [] }) => [permission, alsoPermission].flat())
  const known = [...new Set(needed)].sort()
  const own = endpoint({
    operationId: 'getOwnPermissions',
    summary: 'Permissions of the caller',
    description:
      'Shows whose token this is, and the permissions that the client, or the person by the roles, has now. Any valid token suffices. A change takes effect within five seconds, without another token.',
    tag: 'Tokens',
    scopes,
    method: 'get',
    path: '/api/v1/permissions',
    answers: { 200: OwnPermissions },
    handle: async ({ caller: { tenantKey, clientId, allows } }) =>
      ok({ tenantKey, actor: clientId, permissions: known.filter(allows) }),
  })
  return [...others, own]
}
