// Endpoints for the hierarchy of structural entities.

import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { explainValues, isOfValue } from '../../db/frame/fields/field-faults.js'
import { hierarchyVersion } from '../../db/frame/hierarchy/hierarchy.js'
import { type StructuralEntityFilter, structuralEntityStore } from '../../db/frame/hierarchy/structural-entities.js'
import { StructuralEntityWrite } from '../../db/frame/hierarchy/structural-entity-input.js'
import { planEntities } from '../../db/frame/hierarchy/structural-entity-plan.js'
import { structureTypeStore } from '../../db/frame/hierarchy/structure-types.js'
import { orderBy } from '../../db/frame/orders/field-orders.js'
import { type Read, readsAt } from '../../db/replicas.js'
import { type Fault, forbidden, invalid, notFound } from '../../runtime/problems/problem.js'
import { keyText } from '../../runtime/schema/key.js'
import { memberOf } from '../../runtime/schema/member-of.js'
import type { Caller } from '../caller.js'
import { readHeaders } from '../commit-token.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { bulkAnswers, waitingHeaders } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { inBody, inQuery, listing, type PointerOf, pageOf, pageSchema, pagingQuery } from '../paging.js'
import type { DryPlan } from '../schema/collect-faults.js'
import { readRange } from '../time-range.js'
import { listOrder, orderByField } from './field-order.js'
import { keyedRoutes } from './keyed-routes.js'
import * as shapes from './shapes.js'
import { completeTo, completeToOf, isOfUpdates, updatedRange } from './updated-range.js'

const orders = { Key: 'entity_key', DisplayName: 'display_name', Depth: 'depth', UpdatedAt: 'updated_at' }

const EntityQuery = pagingQuery(
  orders,
  {
    ParentKey: Type.Optional(keyText({ description: 'Direct children of this entity.' })),
    AncestorKey: Type.Optional(keyText({ description: 'All that is below this entity, at any depth.' })),
    Depth: Type.Optional(Type.Integer({ minimum: 1, description: 'A root is 1.' })),
    SearchTerm: Type.Optional(
      Type.String({ maxLength: 255, description: 'Every word occurs in the name or the key.' }),
    ),
    SubjectAssignable: Type.Optional(Type.Boolean()),
    StructureTypeKey: Type.Optional(keyText()),
    Include: Type.Optional(
      Type.Array(Type.Enum(['Counts']), {
        maxItems: 10,
        listOfOne: true,
        description:
          'What each entity of the list has besides: how many children and how many subjects, which needs List:Subject too.',
      }),
    ),
    ...updatedRange,
  },
  orderByField(orders),
)

const EntityQueryBody = Type.Object(EntityQuery.properties, {
  $id: 'StructuralEntityQuery',
  additionalProperties: false,
  examples: [
    {
      ParentKey: 'north',
      AncestorKey: 'county',
      Include: ['Counts'],
      Depth: 3,
      SearchTerm: 'ward',
      SubjectAssignable: true,
      StructureTypeKey: 'ward',
      UpdatedFrom: '2026-11-01T00:00:00Z',
      UpdatedTo: '2026-12-01T00:00:00Z',
      OrderBy: 'DisplayName',
      OrderDirection: 'Descending',
      First: 50,
      After: 'the EndCursor of the page before',
    },
    { AncestorKey: 'county', Last: 50, Before: 'the StartCursor of the page behind' },
  ],
})

const dryPlan = ({ db, maxDepth }: { db: Knex; maxDepth: number }): DryPlan => ({
  standIn: { DisplayName: '', StructureTypeKey: '' },
  async explain(faults, items, { tenantId }) {
    if (!faults.some(isOfValue)) return [...faults]
    const keys = items.map(typeKeyOf).filter(key => key !== undefined)
    const types = await structureTypeStore(db, tenantId).byKeys(keys)
    return explainValues(faults, items, item => types.get(typeKeyOf(item) ?? '')?.customFields)
  },
  plan: (items, { tenantId, allows }) => planEntities(db, tenantId, items, { allows, maxDepth }),
})

function typeKeyOf(item: unknown): string | undefined {
  const key = memberOf(item, 'StructureTypeKey')
  return typeof key === 'string' ? key : undefined
}

const write = ['Create:StructuralEntity', 'Edit:StructuralEntity']
const common = { tag: 'Structural entities', scopes: ['FrameApi'] } as const

/** Lists, reads, writes and deletes structural entities (spec frame "Structural entities", except the transfer). */
export function structuralEntityRoutes(deps: {
  db: Knex
  jobs: Jobs
  bulkMaxItems: number
  maxDepth: number
}): Endpoint[] {
  const storeOf = (tenantId: number) => structuralEntityStore(deps.db, tenantId)
  /** Reads a page. A list by time of update, which tells until when it knows all writes, is read from the primary. */
  const listed = (read: Read, caller: Caller, query: Static<typeof EntityQuery>, at: PointerOf) =>
    (isOfUpdates(query) ? readsAt(deps.db) : read)(db => pageOfEntities(db, caller, query, at))
  const routes = keyedRoutes({
    tag: 'Structural entities',
    name: 'StructuralEntity',
    noun: 'structural entity',
    about: {
      get: 'Reads an entity by its key, with its structure type and its values. The answer shows everything that was written before the request. It can be sent back to putStructuralEntity as it is.',
      put: 'Creates the entity with this key (201), or replaces the whole of it (200): without ParentKey it becomes a root, and without CustomFieldValues it has none. Another ParentKey moves it with everything below it; below itself it cannot go. Repeating the request changes nothing but UpdatedAt.',
      remove:
        'Deletes an entity and takes it out of its groups. While it has children or subjects, deactivated ones too, the answer is 409, which names what is in the way. Repeating the request is answered 404.',
    },
    right: 'StructuralEntity',
    Read: shapes.StructuralEntityRead,
    Write: StructuralEntityWrite,
    Written: shapes.StructuralEntityWritten,
    dryPlan: dryPlan(deps),
    putNote: '; another parent moves its whole subtree',
    removeNote: ' without children and subjects',
    putProblems: ['not-found', 'subjects-assigned'],
    removeProblems: ['structural-entity-has-children', 'structural-entity-has-subjects'],
    byKey: (tenantId, key) => storeOf(tenantId).byKey(key),
    put: async (caller, body) => {
      const outcome = await storeOf(caller.tenantId).upsert(body, { allows: caller.allows, maxDepth: deps.maxDepth })
      const item = await storeOf(caller.tenantId).byKey(body.Key)
      if (!item) throw notFound(`There is no structural entity '${body.Key}'.`)
      return { outcome, item }
    },
    remove: (tenantId, key) => storeOf(tenantId).remove(key),
    present: entity => shapes.presentEntity(entity, shapes.presentValue),
    presentWritten: entity => shapes.presentEntity(entity, shapes.presentWritten),
  })

  return [
    endpoint({
      ...common,
      operationId: 'listStructuralEntities',
      summary: 'Structural entities, filtered, searched and paged',
      description:
        'Returns a page of the entities that meet all given filters, ordered by key unless OrderBy says otherwise. A filter that names an unknown entity is 400 and an unknown type 404, so that a misspelt key does not look like an empty list. The first list that is ordered by a custom field builds its order, and may be answered 503 `order-in-preparation` until that is done.',
      method: 'get',
      path: '/api/v1/structuralEntity',
      permission: 'List:StructuralEntity',
      query: EntityQuery,
      headers: readHeaders,
      answers: { 200: pageSchema(shapes.StructuralEntityListed, completeTo) },
      problems: ['not-found', 'order-in-preparation'],
      handle: async ({ query, caller, read }) => ok(await listed(read, caller, query, inQuery)),
    }),

    endpoint({
      ...common,
      operationId: 'queryStructuralEntities',
      summary: 'The list of structural entities, its parameters in the body',
      description:
        'Does the same as listStructuralEntities, with the parameters in a body. It only reads: it may be repeated, and does not count as a write. A cursor is valid in both, for the same filter and order.',
      method: 'post',
      path: '/api/v1/structuralEntity/query',
      reads: true,
      permission: 'List:StructuralEntity',
      body: EntityQueryBody,
      headers: readHeaders,
      answers: { 200: pageSchema(shapes.StructuralEntityListed, completeTo) },
      problems: ['not-found', 'order-in-preparation'],
      handle: async ({ body, caller, read }) => ok(await listed(read, caller, body, inBody)),
    }),

    routes.get,
    routes.put,

    endpoint({
      ...common,
      operationId: 'putStructuralEntities',
      summary: 'Create or replace many structural entities, parents before children in whatever order they are listed',
      description:
        'Creates or replaces the listed entities as a job, and waits for its end for at most a minute. Up to 1,000 are written in one transaction, more in several: all items are checked before the first is written, but a job that fails later keeps what it has written and can be retried. The answer is 204 at the end, or 202 with the job while it goes on. The same `Idempotency-Key` and body lead to the same job.',
      method: 'put',
      path: '/api/v1/structuralEntity/bulk',
      permission: write,
      body: Type.Array(StructuralEntityWrite, { minItems: 1 }),
      maxItems: ({ limits }) => Number(limits.bulkMaxItems ?? deps.bulkMaxItems),
      dryPlan: dryPlan(deps),
      bodyLimit: '32mb',
      headers: waitingHeaders,
      answers: bulkAnswers,
      problems: ['waits', 'not-found', 'subjects-assigned'],
      async handle(request) {
        const { caller } = request
        return deps.jobs.runBulk(request, 'structuralEntityBulkUpsert', {
          total: request.body.length,
          plan: async () => ({
            planVersion: await hierarchyVersion(deps.db, caller.tenantId),
            planned: await planEntities(deps.db, caller.tenantId, request.body, {
              allows: caller.allows,
              maxDepth: deps.maxDepth,
            }),
          }),
        })
      },
    }),

    routes.remove,
  ]
}

async function pageOfEntities(
  db: Knex,
  { tenantId, allows }: Caller,
  query: Static<typeof EntityQuery>,
  at: PointerOf,
) {
  if (query.Include && !allows('List:Subject'))
    throw forbidden('The caller needs the permission List:Subject, because Counts tell of subjects.')
  const updated = readRange(query, 'Updated', at)
  const filter = {
    parentKey: query.ParentKey,
    ancestorKey: query.AncestorKey,
    depth: query.Depth,
    searchTerm: query.SearchTerm,
    subjectAssignable: query.SubjectAssignable,
    structureTypeKey: query.StructureTypeKey,
    updatedFrom: updated.from,
    updatedTo: updated.to,
  }
  const isOwn = query.OrderBy === undefined || listOrder(query.OrderBy, orders, []).OrderBy !== undefined
  const order = listOrder(query.OrderBy, orders, isOwn ? [] : await structureTypeStore(db, tenantId).fields())
  const faults = [...updated.faults, ...(order.fault ? [{ pointer: at('OrderBy'), ...order.fault }] : [])]
  if (faults.length > 0) throw invalid(faults)
  const asked = { ...query, OrderBy: order.OrderBy }
  const list = listing(asked, order.orders, ['structuralEntity', tenantId, filter], { in: at })
  await mustExist(db, tenantId, filter, at)
  const store = structuralEntityStore(db, tenantId)
  const orderId = order.field === undefined ? undefined : await orderBy(db, tenantId, 'entity', order.field)
  const complete = await completeToOf(db, updated)
  const page = await store.page(filter, list.request, orderId)
  const entities = new Map((await store.withTypes(page.rows)).map(entity => [entity.key, entity]))
  const rows = page.rows.flatMap(row => {
    const entity = entities.get(row.entity_key)
    return entity ? [{ ...row, entity }] : []
  })
  const counts = query.Include && (await store.counts([...entities.keys()]))
  const present = ({ entity }: (typeof rows)[number]) => ({
    ...shapes.presentEntity(entity, shapes.presentValue),
    ...(counts && { Counts: counts.get(entity.key) ?? { Children: 0, Subjects: 0 } }),
  })
  return pageOf({ ...page, rows }, list, 'entity_key', present, { members: complete })
}

/**
 * Checks that the entities and the type of a filter exist, so that a misspelt key does not look like an empty list.
 * @throws Problem 400 for an unknown parent or ancestor; 404, as when writing an entity, if only the type is unknown.
 */
async function mustExist(db: Knex, tenantId: number, filter: StructuralEntityFilter, at: PointerOf): Promise<void> {
  const { parentKey, ancestorKey, structureTypeKey: type } = filter
  const named = [
    { name: 'ParentKey', key: parentKey, code: 'unknown-parent' },
    { name: 'AncestorKey', key: ancestorKey, code: 'unknown-ancestor' },
  ] as const
  const known = await structuralEntityStore(db, tenantId).existing(named.flatMap(({ key }) => key ?? []))
  const faults = named.flatMap(({ name, key, code }): Fault[] => {
    if (key === undefined || known.has(key)) return []
    return [{ pointer: at(name), code, detail: `There is no structural entity '${key}'.` }]
  })
  const onlyType = faults.length === 0
  if (type !== undefined && !(await structureTypeStore(db, tenantId).byKey(type))) {
    const detail = `There is no structure type '${type}'.`
    faults.push({ pointer: at('StructureTypeKey'), code: 'unknown-structure-type', detail })
  }
  if (faults.length > 0) throw onlyType ? notFound(faults[0]?.detail ?? '', faults) : invalid(faults)
}
