// Reads and writes the users of a tenant's manifest.
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import type { Fault } from '../../runtime/problems/problem.js'
import type { Db, TenantId } from '../connect.js'
import { groupStore, unknownGroup } from '../frame/hierarchy/groups.js'
import { groupedBy, slices, upsertRows } from '../rows.js'
import type { UserManifest } from './manifest.js'

/** Returns the users as a manifest has them, by id, each with its present groups. */
export async function readUsers(db: Db, tenant: TenantId): Promise<UserManifest[]> {
  const rows = await db('users').where({ tenant_id: tenant }).orderBy('user_id')
  const memberships = await db('user_groups').where({ tenant_id: tenant }).select('user_id', 'group_key')
  const groups = groupedBy(memberships, row => String(row.user_id))
  return rows.map(row => ({
    id: row.user_id,
    displayName: row.display_name,
    active: row.active === 1,
    groups: (groups.get(row.user_id) ?? []).map(({ group_key }) => String(group_key)).sort(),
  }))
}

/**
 * Returns a fault for each group key that does not exist. In a transaction, the groups that exist are locked until it
 * ends.
 * @param tenant undefined for a tenant that does not exist yet and has no groups.
 */
export async function unknownGroups(
  db: Db,
  tenant: TenantId | undefined,
  users: readonly UserManifest[],
): Promise<Fault[]> {
  const named = [...new Set(users.flatMap(({ groups = [] }) => groups))].sort()
  const known = tenant === undefined ? new Set() : await groupStore(db, tenant).existing(named)
  return users.flatMap(({ groups = [] }, n) =>
    groups.flatMap((key, m) => (known.has(key) ? [] : [{ ...unknownGroup(key), pointer: `/users/${n}/groups/${m}` }])),
  )
}

/**
 * Replaces the tenant's users by these. Users that are removed lose their memberships; other users keep theirs, unless
 * the manifest lists groups for them.
 */
export async function writeUsers(
  trx: Knex.Transaction,
  tenant: TenantId,
  before: readonly UserManifest[],
  after: readonly UserManifest[],
): Promise<void> {
  const present = new Map(before.map(user => [user.id, user]))
  const kept = new Set(after.map(({ id }) => id))
  const gone = before.map(({ id }) => id).filter(id => !kept.has(id))
  await deleteOf(trx, 'users', tenant, gone)
  const changed = after.filter(({ id, displayName, active }) => {
    const user = present.get(id)
    return user?.displayName !== displayName || user.active !== active
  })
  const rows = changed.map(({ id, displayName, active }) => [tenant, id, displayName, active ? 1 : 0])
  const columns = ['tenant_id', 'user_id', 'display_name', 'active']
  await upsertRows(trx, 'users', columns, rows, columns.slice(2))

  const regrouped = after.flatMap(({ id, groups }) => {
    const wanted = groups && groupSet(groups)
    return wanted && !isDeepStrictEqual(wanted, present.get(id)?.groups) ? [{ id, wanted }] : []
  })
  await deleteOf(trx, 'user_groups', tenant, [...gone, ...regrouped.map(({ id }) => id)])
  const memberships = regrouped.flatMap(({ id, wanted }) => wanted.map(key => [tenant, id, key]))
  await upsertRows(trx, 'user_groups', ['tenant_id', 'user_id', 'group_key'], memberships, [])
}

/** Sorts the keys and drops repeated ones, so that two lists of the same groups are equal. */
export const groupSet = (keys: readonly string[]): string[] => [...new Set(keys)].sort()

async function deleteOf(trx: Knex.Transaction, table: string, tenant: TenantId, ids: readonly string[]): Promise<void> {
  for (const some of slices(ids)) await trx(table).where({ tenant_id: tenant }).whereIn('user_id', some).delete()
}
