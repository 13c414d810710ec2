// Users of a tenant and their groups.
import type { Knex } from 'knex'
import { type Fault, invalid, notFound } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { currentIn, upsertRows } from '../../rows.js'
import { groupStore, unknownGroup } from '../hierarchy/groups.js'
import { likeWords } from '../search/search.js'
import { subjectsLedTo } from '../subjects/subjects-by-id.js'

/** Somebody who works with subjects; the manifest of the tenant lists them. */
export interface User {
  /** Of the identity service. */
  id: string
  displayName: string
}

export interface UserFilter {
  searchTerm?: string | undefined
  includeInactive?: boolean | undefined
  /** Only users with access to this subject: in a group that lists an entity to which it is assigned. */
  withAccessToSubjectId?: string | undefined
  /** Whether an entity above one of those will do too; absent: as the tenant's manifest says (`userAccess`). */
  includeDescendants?: boolean | undefined
}

/** Users of one tenant and their groups (spec frame "Users"). */
export const userStore = (db: Db, tenant: TenantId) => ({
  /** All that match, by name and then id. @throws Problem 400 when the subject of the filter does not exist. */
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
    // As arrays: the names of two columns a hundred thousand times over would be most of what is in memory.
    const rows: [string, string][] = await query.select('user_id', 'display_name').options({ rowsAsArray: true })
    return rows.map(([id, displayName]) => ({ id, displayName }))
  },

  /** The display name of a user; undefined where there is no such user. */
  async nameOf(userId: string): Promise<string | undefined> {
    return (await db('users').where({ tenant_id: tenant, user_id: userId }).first('display_name'))?.display_name
  },

  /** Adds a user to groups, or leaves the user there. @throws Problem 404 for an unknown user, 400 with every unknown key. */
  async addToGroups(userId: string, keys: readonly string[]): Promise<void> {
    await transaction(db, tenant, async trx => {
      await holdUserAndGroups(trx, tenant, userId, keys, keyInBody)
      const rows = [...new Set(keys)].sort().map(key => [tenant, userId, key])
      await upsertRows(trx, 'user_groups', ['tenant_id', 'user_id', 'group_key'], rows, [])
    })
  },

  /** Takes a user out of groups, where the user is in them. @throws Problem as {@link addToGroups}. */
  async removeFromGroups(userId: string, keys: readonly string[]): Promise<void> {
    await transaction(db, tenant, async trx => {
      await holdUserAndGroups(trx, tenant, userId, keys, n => ({ pointer: `/query/groupKey/${n}` }))
      await trx('user_groups')
        .where({ tenant_id: tenant, user_id: userId })
        .whereIn('group_key', [...keys])
        .delete()
    })
  },

  /** @throws Problem 400 with every key of a body that is unknown; what is no text there is passed over. */
  async refuseUnknownGroups(keys: readonly unknown[]): Promise<void> {
    const faults = await faultsOfKeys(db, tenant, keys, keyInBody)
    if (faults.length > 0) throw invalid(faults)
  },
})

type Place = Pick<Fault, 'pointer' | 'index'>
const keyInBody = (n: number): Place => ({ pointer: `/${n}`, index: n })

/**
 * Neither the user nor a group goes before the transaction ends, so no membership of one that is gone is left behind. Groups
 * before users, as the manifest does it.
 */
async function holdUserAndGroups(
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

/** From the subject's few entities to their groups to the users in them, each by its index. */
const usersOfSubject = (db: Db, tenant: TenantId, subjectId: string) =>
  db('subject_locations as l')
    .join('structure_group_entities as e', join =>
      join.on('e.tenant_id', 'l.tenant_id').on('e.entity_key', 'l.entity_key'),
    )
    .join('user_groups as g', join => join.on('g.tenant_id', 'e.tenant_id').on('g.group_key', 'e.group_key'))
    .where({ 'l.tenant_id': tenant, 'l.subject_id': subjectId })
    .select('g.user_id')

/** The same, from the subject's entities and all that is above them. Bindings: tenant, subject, and three times the tenant. */
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
  SELECT g.user_id
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
