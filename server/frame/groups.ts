// Endpoints for groups of users.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { type Group, groupStore, planGroups, upsertGroups } from '../../db/frame/hierarchy/groups.js'
import { asSingle, notFound } from '../../runtime/problems/problem.js'
import { addMember, memberNamed } from '../../runtime/schema/canonical-names.js'
import { Key, Name } from '../../runtime/schema/key.js'
import type { Caller } from '../caller.js'
import { readHeaders } from '../commit-token.js'
import { created, type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { outcomesById, writeSmallBulk } from '../jobs/once.js'
import { idempotencyHeaders } from '../jobs/present.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import type { DryPlan } from '../schema/collect-faults.js'

const orders = { Key: 'group_key', DisplayName: 'name' }

const GroupRead = Type.Object(
  { Key: Type.String(), DisplayName: Type.String(), StructuralEntityKeys: Type.Array(Type.String()) },
  { $id: 'Group' },
)

const GroupWrite = Type.Object(
  { Name, Key, StructuralEntityKeys: Type.Optional(Type.Array(Type.String({ maxLength: 255 }))) },
  {
    $id: 'GroupWrite',
    description: 'A group as it is read is taken too: DisplayName stands for Name.',
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

const write = ['Create:Group', 'Edit:Group']
const common = { tag: 'Groups', scopes: ['FrameApi'] } as const

/** Spec frame "Groups". */
export const groupRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listGroups',
    summary: 'Groups, searched and paged',
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
        const store = groupStore(server, caller.tenantId)
        const page = await store.page(filter, list.request)
        return pageOf(page, list, 'group_key', (await store.withEntities(page.rows)).map(present))
      })
      return ok(groups)
    },
  }),

  endpoint({
    ...common,
    operationId: 'getGroup',
    summary: 'One group',
    method: 'get',
    path: '/api/v1/group/:groupKey',
    permission: 'View:Group',
    answers: { 200: GroupRead },
    handle: async ({ params, caller }) => ok(present(await existing(db, caller.tenantId, params.groupKey ?? ''))),
  }),

  endpoint({
    ...common,
    operationId: 'putGroup',
    summary: 'Create or replace a group',
    method: 'put',
    path: '/api/v1/group',
    permission: write,
    body: GroupWrite,
    dryPlan: dryPlan(db),
    answers: { 200: GroupRead, 201: GroupRead },
    async handle({ body, caller }) {
      const outcome = await asSingle(groupStore(db, caller.tenantId).upsert(toGroup(body), caller.allows))
      const group = present(await existing(db, caller.tenantId, body.Key))
      return outcome === 'created' ? created(group) : ok(group)
    },
  }),

  endpoint({
    ...common,
    operationId: 'putGroups',
    summary: 'Create or replace at most 20 groups, all or nothing',
    method: 'put',
    path: '/api/v1/group/bulk',
    permission: write,
    body: Type.Array(GroupWrite, { minItems: 1, maxItems: 20 }),
    dryPlan: dryPlan(db),
    headers: idempotencyHeaders,
    answers: { 204: null },
    handle: async request => {
      const { body, caller } = request
      const groups = body.map(toGroup)
      return writeSmallBulk(db, request, {
        write: async trx => ({
          outcomes: outcomesById(await upsertGroups(trx, caller.tenantId, groups, caller.allows)),
          answer: noContent,
        }),
        repeat: async () => noContent,
      })
    },
  }),

  endpoint({
    ...common,
    operationId: 'deleteGroup',
    summary: 'Delete a group',
    method: 'delete',
    path: '/api/v1/group/:groupKey',
    permission: 'Delete:Group',
    answers: { 204: null },
    async handle({ params, caller }) {
      await groupStore(db, caller.tenantId).remove(params.groupKey ?? '')
      return noContent
    },
  }),
]

async function existing(db: Knex, tenantId: number, key: string): Promise<Group> {
  const group = await groupStore(db, tenantId).byKey(key)
  if (!group) throw notFound(`There is no group '${key}'.`)
  return group
}
