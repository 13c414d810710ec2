// Endpoints for the types of structural entities.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { structureTypeKeys } from '../../db/frame/fields/custom-field.js'
import {
  planStructureTypes,
  type StructureType,
  structureTypeStore,
  upsertStructureTypes,
} from '../../db/frame/hierarchy/structure-types.js'
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
import { presentType, StructureTypeRead } from './shapes.js'

const orders = { Key: 'type_key', Name: 'name' }

const StructureTypeWrite = Type.Object(
  {
    Name,
    Key,
    SubjectAssignable: Type.Boolean(),
    CustomFields: Type.Optional(
      Type.Array(
        Type.Object(
          {
            TypeKey: Type.Enum([...structureTypeKeys]),
            Name,
            Key,
            Required: Type.Optional(Type.Boolean({ default: false })),
          },
          {
            description: 'A field as it is read is taken too: Type stands for TypeKey.',
            fromRead: (field: Record<string, unknown>) => addMember(field, 'TypeKey', memberNamed(field, 'Type')),
          },
        ),
        { maxItems: 500 },
      ),
    ),
  },
  { $id: 'StructureTypeWrite' },
)

const toType = (body: Static<typeof StructureTypeWrite>): StructureType => ({
  key: body.Key,
  name: body.Name,
  subjectAssignable: body.SubjectAssignable,
  customFields: (body.CustomFields ?? []).map(field => ({
    key: field.Key,
    name: field.Name,
    typeKey: field.TypeKey,
    required: field.Required ?? false,
  })),
})

const dryPlan = (db: Knex): DryPlan => ({
  standIn: { Name: '', SubjectAssignable: false },
  plan: (items: Static<typeof StructureTypeWrite>[], { tenantId, allows }: Caller) =>
    planStructureTypes(db, tenantId, items.map(toType), allows),
})

const write = ['Create:StructuralEntity', 'Edit:StructuralEntity']
const common = { tag: 'Structure types', scopes: ['FrameApi'] } as const

/** Spec frame "Structure types". */
export const structureTypeRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listStructureTypes',
    summary: 'Structure types, searched and paged',
    method: 'get',
    path: '/api/v1/structureType',
    permission: 'List:StructuralEntity',
    query: pagingQuery(orders, {
      SearchTerm: Type.Optional(
        Type.String({ maxLength: 255, description: 'Every word occurs in the name or the key.' }),
      ),
      SubjectAssignable: Type.Optional(Type.Boolean()),
    }),
    headers: readHeaders,
    answers: { 200: pageSchema(StructureTypeRead) },
    async handle({ query, caller, read }) {
      const filter = { searchTerm: query.SearchTerm, subjectAssignable: query.SubjectAssignable }
      const list = listing(query, orders, ['structureType', caller.tenantId, filter])
      const types = await read(async server => {
        const store = structureTypeStore(server, caller.tenantId)
        const page = await store.page(filter, list.request)
        const shown = page.rows.map(row => presentType(store.present(row)))
        return pageOf(page, list, 'type_key', shown)
      })
      return ok(types)
    },
  }),

  endpoint({
    ...common,
    operationId: 'getStructureType',
    summary: 'One structure type',
    method: 'get',
    path: '/api/v1/structureType/:structureTypeKey',
    permission: 'View:StructuralEntity',
    answers: { 200: StructureTypeRead },
    handle: async ({ params, caller }) =>
      ok(presentType(await existing(db, caller.tenantId, params.structureTypeKey ?? ''))),
  }),

  endpoint({
    ...common,
    operationId: 'putStructureType',
    summary: 'Create or replace a structure type',
    method: 'put',
    path: '/api/v1/structureType',
    permission: write,
    body: StructureTypeWrite,
    dryPlan: dryPlan(db),
    answers: { 200: StructureTypeRead, 201: StructureTypeRead },
    problems: ['structure-type-in-use'],
    async handle({ body, caller }) {
      const type = toType(body)
      const outcome = await asSingle(structureTypeStore(db, caller.tenantId).upsert(type, caller.allows))
      return outcome === 'created' ? created(presentType(type)) : ok(presentType(type))
    },
  }),

  endpoint({
    ...common,
    operationId: 'putStructureTypes',
    summary: 'Create or replace at most 20 structure types, all or nothing',
    method: 'put',
    path: '/api/v1/structureType/bulk',
    permission: write,
    body: Type.Array(StructureTypeWrite, { minItems: 1, maxItems: 20 }),
    dryPlan: dryPlan(db),
    headers: idempotencyHeaders,
    answers: { 204: null },
    problems: ['structure-type-in-use'],
    handle: async request => {
      const { body, caller } = request
      const types = body.map(toType)
      return writeSmallBulk(db, request, {
        write: async trx => ({
          outcomes: outcomesById(await upsertStructureTypes(trx, caller.tenantId, types, caller.allows)),
          answer: noContent,
        }),
        repeat: async () => noContent,
      })
    },
  }),

  endpoint({
    ...common,
    operationId: 'deleteStructureType',
    summary: 'Delete a structure type that no entity is of',
    method: 'delete',
    path: '/api/v1/structureType/:structureTypeKey',
    permission: 'Delete:StructuralEntity',
    answers: { 204: null },
    problems: ['structure-type-in-use'],
    async handle({ params, caller }) {
      await structureTypeStore(db, caller.tenantId).remove(params.structureTypeKey ?? '')
      return noContent
    },
  }),
]

async function existing(db: Knex, tenantId: number, key: string): Promise<StructureType> {
  const type = await structureTypeStore(db, tenantId).byKey(key)
  if (!type) throw notFound(`There is no structure type '${key}'.`)
  return type
}
