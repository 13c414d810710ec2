// Endpoints for groups of users.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { type Group, groupStore, planGroups, upsertGroups } from '../../db/frame/hierarchy/groups.js'
import { addMember, memberNamed } from '../../runtime/schema/canonical-names.js'
import { Key, keyText, Name } from '../../runtime/schema/key.js'
import type { Caller } from '../caller.js'
import { readHeaders } from '../commit-token.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import type { DryPlan } from '../schema/collect-faults.js'
import { keyedRoutes } from './keyed-routes.js'

const orders = { Key: 'group_key', DisplayName: 'name' }

const GroupRead = Type.Object(
  { Key: Type.String(), DisplayName: Type.String(), StructuralEntityKeys: Type.Array(Type.String()) },
  { $id: 'Group' },
)

const GroupWrite = Type.Object(
  { Name, Key, StructuralEntityKeys: Type.Optional(Type.Array(keyText())) },
  {
    $id: 'GroupWrite',
    description: 'Also accepts the shape in which it is read: DisplayName stands for Name.',
    fromRead: (group: Record<string, unknown>) => addMember(group, 'Name', memberNamed(group, 'DisplayName')),
  },
)

const toGroup = (body: Static<typeof GroupWrite>): Group => ({
  key: body.Key,
  name: body.Name,
  entityKeys: body.StructuralEntityKeys ?? [],
})

const present = (group: Group): Static<typeof GroupRead> => ({
  Key: group.key,
  DisplayName: group.name,
  StructuralEntityKeys: group.entityKeys,
})

const dryPlan = (db: Knex): DryPlan => ({
  standIn: { Name: '' },
  plan: (items: Static<typeof GroupWrite>[], { tenantId, allows }: Caller) =>
    planGroups(db, tenantId, items.map(toGroup), allows),
})

/** Lists, reads, writes and deletes groups (spec frame "Groups"). */
export function groupRoutes({ db }: { db: Knex }): Endpoint[] {
  const { get, put, putSome, remove } = keyedRoutes({
    tag: 'Groups',
    name: 'Group',
    noun: 'group',
    about: {
      get: 'Reads a group by its key, with the keys of all its structural entities. The users of a group are found by listUsers. The answer can be sent back to putGroup as it is.',
      put: 'Creates the group with this key (201), or replaces its name and its whole list of entities (200); without StructuralEntityKeys it has none. Its users stay. An unknown entity is 400, and each is named. Repeating the request changes nothing.',
      remove:
        'Deletes a group and the memberships of its users, who lose the access that they had by it. The users and the structural entities stay. Repeating the request is answered 404.',
    },
    right: 'Group',
    Read: GroupRead,
    Write: GroupWrite,
    dryPlan: dryPlan(db),
    byKey: (tenantId, key) => groupStore(db, tenantId).byKey(key),
    put: async ({ tenantId, allows }, body) => {
      const store = groupStore(db, tenantId)
      const item = toGroup(body)
      const outcome = await store.upsert(item, allows)
      return { outcome, item: (await store.byKey(body.Key)) ?? item }
    },
    remove: (tenantId, key) => groupStore(db, tenantId).remove(key),
    present,
  })
  const putGroups = putSome(db, (trx, { tenantId, allows }, bodies) =>
    upsertGroups(trx, tenantId, bodies.map(toGroup), allows),
  )
  return [list(), get, put, putGroups, remove]
}

const list = (): Endpoint =>
  endpoint({
    tag: 'Groups',
    scopes: ['FrameApi'],
    operationId: 'listGroups',
    summary: 'Groups, searched and paged',
    description:
      'Returns a page of groups, each with the keys of all its structural entities, ordered by key unless OrderBy says otherwise. Every word of SearchTerm must occur in the name or the key, also within a word.',
    method: 'get',
    path: '/api/v1/group',
    permission: 'List:Group',
    query: pagingQuery(orders, {
      SearchTerm: Type.Optional(
        Type.String({ maxLength: 255, description: 'Every word occurs in the name or the key.' }),
      ),
    }),
    headers: readHeaders,
    answers: { 200: pageSchema(GroupRead) },
    async handle({ query, caller, read }) {
      const filter = { searchTerm: query.SearchTerm }
      const list = listing(query, orders, ['group', caller.tenantId, filter])
      const groups = await read(async server => {
        const page = await groupStore(server, caller.tenantId).page(filter, list.request)
        return pageOf(page, list, 'group_key', present)
      })
      return ok(groups)
    },
  })
