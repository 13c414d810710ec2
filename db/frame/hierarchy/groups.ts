// Stores groups of structural entities.
import type { Knex } from 'knex'
import { type Fault, invalid, notFound } from '../../../runtime/problems/problem.js'
import { tellIds } from '../../audit/action.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type Change, writeChanges } from '../../feeds.js'
import { likeWords } from '../../like-words.js'
import { addDocuments, type Page, type PageRequest, readPage } from '../../paging.js'
import { currentIn, groupedBy, upsertRows } from '../../rows.js'
import { type Sized, totalBytes } from '../../sized-rows.js'
import { type Allows, refuseForbidden } from '../fields/upsert-permission.js'
import { lockHierarchy } from './hierarchy.js'
import { structuralEntityStore } from './structural-entities.js'

/** A named set of structural entities. */
export interface Group {
  key: string
  name: string
  entityKeys: string[]
}

export interface GroupRow {
  group_key: string
  name: string
}

const groupOf = ({ group_key, name }: GroupRow): Group => ({ key: group_key, name, entityKeys: [] })

/** The groups of one tenant (spec frame "Groups"). */
export const groupStore = (db: Db, tenant: TenantId) => {
  const rows = () => db('structure_groups').where({ tenant_id: tenant })

  return {
    async page(filter: { searchTerm?: string | undefined }, page: PageRequest): Promise<Page<GroupRow & Group>> {
      const found = await readPage<GroupRow & Sized>(
        () => {
          const query = rows()
          if (filter.searchTerm) likeWords(query, ['name', 'group_key'], filter.searchTerm)
          return query.select('group_key', 'name', 'bytes')
        },
        'group_key',
        page,
      )
      const byKey = new Map(found.rows.map(row => [row.group_key, row]))
      const read = async (keys: string[], maxBytes: number) => {
        const some = keys.flatMap(key => byKey.get(key) ?? [])
        const groups = totalBytes(some) > maxBytes ? some.map(groupOf) : await this.withEntities(some)
        return new Map(groups.map((group, n) => [group.key, { ...group, bytes: some[n]?.bytes ?? 0 }]))
      }
      return addDocuments(found, page, ({ group_key }) => group_key, read)
    },

    /** Adds the keys of the entities to groups, reading them for all groups at once. */
    async withEntities(found: readonly GroupRow[]): Promise<Group[]> {
      const members = await db('structure_group_entities')
        .where({ tenant_id: tenant })
        .whereIn(
          'group_key',
          found.map(row => row.group_key),
        )
        .orderBy('entity_key')
        .select('group_key', 'entity_key')
      const byGroup = groupedBy(members, row => String(row.group_key))
      return found.map(row => ({
        ...groupOf(row),
        entityKeys: (byGroup.get(row.group_key) ?? []).map(member => String(member.entity_key)),
      }))
    },

    async byKey(key: string): Promise<Group | undefined> {
      const found: GroupRow[] = await rows().where({ group_key: key }).select('group_key', 'name')
      return (await this.withEntities(found))[0]
    },

    /** Returns the keys that exist. Inside a transaction, locks these groups, so that none is removed before it ends. */
    async existing(keys: readonly string[]): Promise<Set<string>> {
      const query = rows().select('group_key')
      const found = await currentIn(db, query.whereIn('group_key', [...keys]))
      return new Set(found.map(row => String(row.group_key)))
    },

    /**
     * Creates or replaces one group.
     * @throws Problem 400 and 403 as {@link planGroups}.
     */
    async upsert(group: Group, allows: Allows): Promise<'created' | 'updated'> {
      const [planned] = await transaction(db, tenant, trx => upsertGroups(trx, tenant, [group], allows))
      return planned?.outcome ?? 'created'
    },

    /** Removes a group and all memberships in it. @throws Problem 404 when it does not exist. */
    async remove(key: string): Promise<void> {
      await transaction(db, tenant, async trx => {
        // The group is deleted before its members. The delete waits for transactions that have locked the group to add a member, so that
        // their members are deleted as well.
        const removed = await trx('structure_groups').where({ tenant_id: tenant, group_key: key }).delete()
        if (removed === 0) throw notFound(`There is no group '${key}'.`)
        for (const members of ['structure_group_entities', 'user_groups']) {
          await trx(members).where({ tenant_id: tenant, group_key: key }).delete()
        }
        await writeChanges(trx, tenant, 'group', [{ id: key, kind: 'deleted' }])
      })
    },
  }
}

/** Returns the fault of a key that names no group. The caller adds the pointer. */
export const unknownGroup = (key: string): Pick<Fault, 'code' | 'detail'> => ({
  code: 'unknown-group',
  detail: `There is no group '${key}'.`,
})

/** A group ready to be written. */
export interface PlannedGroup extends Group {
  outcome: 'created' | 'updated'
}

/**
 * Checks a batch of groups, and finds out which exist already. Writes nothing.
 * @throws Problem 403 when a permission is missing for any item, 400 with every duplicate key and unknown entity.
 */
export async function planGroups(
  db: Db,
  tenant: TenantId,
  groups: readonly Group[],
  allows: Allows,
): Promise<PlannedGroup[]> {
  const keys = groups.map(group => group.key)
  const present = await groupStore(db, tenant).existing(keys)
  refuseForbidden(keys, key => present.has(key), allows, 'Group')
  const known = await structuralEntityStore(db, tenant).existing(groups.flatMap(group => group.entityKeys))
  const faults = groups.flatMap((group, index): Fault[] => {
    const unknown = group.entityKeys.flatMap((key, n): Fault[] => {
      if (known.has(key)) return []
      const detail = `There is no structural entity '${key}'.`
      return [{ pointer: `/${index}/StructuralEntityKeys/${n}`, code: 'unknown-structural-entity', detail, index }]
    })
    if (keys.indexOf(group.key) === index) return unknown
    return [
      { pointer: `/${index}/Key`, code: 'duplicate-key', detail: `The key '${group.key}' is given twice.`, index },
      ...unknown,
    ]
  })
  if (faults.length > 0) throw invalid(faults)
  return groups.map(group => ({ ...group, outcome: present.has(group.key) ? 'updated' : 'created' }))
}

/**
 * Creates or replaces groups inside the caller's transaction, all or none.
 * @returns the outcome of each group, in the same order.
 * @throws Problem 400 and 403 as {@link planGroups}.
 */
export async function upsertGroups(
  trx: Knex.Transaction,
  tenant: TenantId,
  groups: readonly Group[],
  allows: Allows,
): Promise<PlannedGroup[]> {
  await lockHierarchy(trx, tenant)
  const planned = await planGroups(trx, tenant, groups, allows)
  await writeGroups(trx, tenant, planned)
  tellIds(planned.map(({ key }) => key))
  return planned
}

/** Creates or replaces planned groups. The transaction must have locked the hierarchy. */
async function writeGroups(trx: Knex.Transaction, tenant: TenantId, groups: readonly PlannedGroup[]): Promise<void> {
  const changes = await changesBy(trx, tenant, groups)
  const rows = groups.map(group => [tenant, group.key, group.name, JSON.stringify(group.entityKeys).length])
  await upsertRows(trx, 'structure_groups', ['tenant_id', 'group_key', 'name', 'bytes'], rows, ['name', 'bytes'])
  await trx('structure_group_entities')
    .where({ tenant_id: tenant })
    .whereIn(
      'group_key',
      groups.map(group => group.key),
    )
    .delete()
  const members = groups.flatMap(group =>
    [...new Set(group.entityKeys)].sort().map(entity => [tenant, group.key, entity]),
  )
  await upsertRows(trx, 'structure_group_entities', ['tenant_id', 'group_key', 'entity_key'], members, [])
  await writeChanges(trx, tenant, 'group', changes)
}

/** Returns the changes that planned groups make, for their feed. A group that stays the same makes none. */
async function changesBy(
  trx: Knex.Transaction,
  tenant: TenantId,
  groups: readonly PlannedGroup[],
): Promise<Change<'group'>[]> {
  const keys = groups.map(({ key }) => key)
  const rows = await trx('structure_groups').where({ tenant_id: tenant }).whereIn('group_key', keys)
  const before = new Map((await groupStore(trx, tenant).withEntities(rows)).map(group => [group.key, group]))
  const contentOf = ({ name, entityKeys }: Group) => JSON.stringify([name, [...new Set(entityKeys)].sort()])
  return groups.flatMap((group): Change<'group'>[] => {
    const was = before.get(group.key)
    return was && contentOf(was) === contentOf(group) ? [] : [{ id: group.key, kind: group.outcome }]
  })
}
