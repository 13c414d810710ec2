// Reads the users of a tenant, and manages their membership in groups.
import type { Knex } from 'knex'
import { type Fault, invalid, notFound } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { likeWords } from '../../like-words.js'
import { anyDepth, currentIn, upsertRows } from '../../rows.js'
import { groupStore, unknownGroup } from '../hierarchy/groups.js'
import { subjectsLedTo } from '../subjects/subjects-by-id.js'

/** Somebody who works with subjects. The tenant's manifest lists all users. */
export interface User {
  /** The id that the identity service uses. */
  id: string
  displayName: string
}

export interface UserFilter {
  searchTerm?: string | undefined
  includeInactive?: boolean | undefined
  /** Only users with access to this subject: those in a group with an entity to which the subject is assigned. */
  withAccessToSubjectId?: string | undefined
  /** Whether a group with an entity above one of these also gives access. If absent, the manifest decides (`userAccess`). */
  includeDescendants?: boolean | undefined
}

/** Users of one tenant and their groups (spec frame "Users"). */
export const userStore = (db: Db, tenant: TenantId) => ({
  /** Lists all users that match, by name and then id. @throws Problem 400 when the subject of the filter does not exist. */
  async list({ searchTerm, includeInactive, withAccessToSubjectId, ...filter }: UserFilter): Promise<User[]> {
    const query = db('users').where({ tenant_id: tenant }).orderBy(['display_name', 'user_id'])
    if (!includeInactive) query.where({ active: 1 })
    if (searchTerm) likeWords(query, ['display_name'], searchTerm)
    if (withAccessToSubjectId !== undefined) {
      const subject = await knownSubject(db, tenant, withAccessToSubjectId)
      const above = filter.includeDescendants ?? (await accessByDescendants(db, tenant))
      if (above) query.whereRaw(`user_id IN (${usersAbove})`, [tenant, subject, tenant, tenant, tenant])
      else query.whereIn('user_id', usersOfSubject(db, tenant, subject))
    }
    // Rows as arrays, because with a hundred thousand users the repeated column names would take most of the memory.
    const rows: [string, string][] = await query.select('user_id', 'display_name').options({ rowsAsArray: true })
    return rows.map(([id, displayName]) => ({ id, displayName }))
  },

  /** Returns the display name of a user, or undefined if there is no such user. */
  async nameOf(userId: string): Promise<string | undefined> {
    return (await db('users').where({ tenant_id: tenant, user_id: userId }).first('display_name'))?.display_name
  },

  /** Adds a user to groups. Ignores those that the user is in. @throws Problem 404 for an unknown user, 400 with every unknown key. */
  async addToGroups(userId: string, keys: readonly string[]): Promise<void> {
    await transaction(db, tenant, async trx => {
      await lockUserAndGroups(trx, tenant, userId, keys, keyInBody)
      const rows = [...new Set(keys)].sort().map(key => [tenant, userId, key])
      await upsertRows(trx, 'user_groups', ['tenant_id', 'user_id', 'group_key'], rows, [])
    })
  },

  /** Removes a user from groups. Ignores those that the user is not in. @throws Problem as {@link addToGroups}. */
  async removeFromGroups(userId: string, keys: readonly string[]): Promise<void> {
    await transaction(db, tenant, async trx => {
      await lockUserAndGroups(trx, tenant, userId, keys, n => ({ pointer: `/query/groupKey/${n}` }))
      await trx('user_groups')
        .where({ tenant_id: tenant, user_id: userId })
        .whereIn('group_key', [...keys])
        .delete()
    })
  },

  /** Checks the group keys of a request body. Skips keys that are not texts. @throws Problem 400 with every unknown key. */
  async refuseUnknownGroups(keys: readonly unknown[]): Promise<void> {
    const faults = await faultsOfKeys(db, tenant, keys, keyInBody)
    if (faults.length > 0) throw invalid(faults)
  },
})

type Place = Pick<Fault, 'pointer' | 'index'>
const keyInBody = (n: number): Place => ({ pointer: `/${n}`, index: n })

/**
 * Checks that the user and the groups exist, and locks them until the transaction ends, so that no membership is written for one that
 * is being removed. Locks groups before users, in the same order as the application of a manifest.
 */
async function lockUserAndGroups(
  trx: Knex.Transaction,
  tenant: TenantId,
  userId: string,
  keys: readonly string[],
  placeOf: (n: number) => Place,
): Promise<void> {
  const faults = await faultsOfKeys(trx, tenant, keys, placeOf)
  const user = await currentIn(trx, trx('users').where({ tenant_id: tenant, user_id: userId }).first('user_id'))
  if (!user) throw notFound(`There is no user '${userId}'.`)
  if (faults.length > 0) throw invalid(faults)
}

async function faultsOfKeys(
  db: Db,
  tenant: TenantId,
  keys: readonly unknown[],
  placeOf: (n: number) => Place,
): Promise<Fault[]> {
  const known = await groupStore(db, tenant).existing(keys.filter(key => typeof key === 'string').sort())
  return keys.flatMap((key, n) =>
    typeof key === 'string' && !known.has(key) ? [{ ...unknownGroup(key), ...placeOf(n) }] : [],
  )
}

/**
 * Returns a query of the users who have access to a subject through the entities to which it is assigned. It goes from the subject's
 * few entities to their groups and on to the users, each time by index.
 */
const usersOfSubject = (db: Db, tenant: TenantId, subjectId: string) =>
  db('subject_locations as l')
    .join('structure_group_entities as e', join =>
      join.on('e.tenant_id', 'l.tenant_id').on('e.entity_key', 'l.entity_key'),
    )
    .join('user_groups as g', join => join.on('g.tenant_id', 'e.tenant_id').on('g.group_key', 'e.group_key'))
    .where({ 'l.tenant_id': tenant, 'l.subject_id': subjectId })
    .select('g.user_id')

/**
 * SQL for the users who have access to a subject through its entities or any entity above these. Bindings: tenant, subject, and three
 * times the tenant.
 */
const usersAbove = `WITH RECURSIVE above (entity_key, parent_key) AS (
    SELECT e.entity_key, e.parent_key
    FROM subject_locations l STRAIGHT_JOIN structural_entities e FORCE INDEX (PRIMARY)
      ON e.tenant_id = l.tenant_id AND e.entity_key = l.entity_key
    WHERE l.tenant_id = ? AND l.subject_id = ?
    UNION
    SELECT e.entity_key, e.parent_key
    FROM above STRAIGHT_JOIN structural_entities e FORCE INDEX (PRIMARY)
      ON e.tenant_id = ? AND e.entity_key = above.parent_key
  )
  SELECT ${anyDepth} g.user_id
  FROM above STRAIGHT_JOIN structure_group_entities e FORCE INDEX (structure_group_entities_by_entity)
    ON e.tenant_id = ? AND e.entity_key = above.entity_key
  STRAIGHT_JOIN user_groups g FORCE INDEX (user_groups_by_group) ON g.tenant_id = ? AND g.group_key = e.group_key`

async function accessByDescendants(db: Db, tenant: TenantId): Promise<boolean> {
  const row = await db('tenants').where({ id: tenant }).first('user_access')
  return row?.user_access === 'descendants'
}

async function knownSubject(db: Db, tenant: TenantId, subjectId: string): Promise<string> {
  const subject = (await subjectsLedTo(db, tenant, [subjectId])).get(subjectId)
  if (subject) return subject.id
  const detail = `There is no subject '${subjectId}'.`
  throw invalid([{ pointer: '/query/withAccessToSubjectId', code: 'unknown-subject', detail }])
}
