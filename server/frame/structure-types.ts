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
import { addMember, memberNamed } from '../../runtime/schema/canonical-names.js'
import { Key, Name } from '../../runtime/schema/key.js'
import type { Caller } from '../caller.js'
import { readHeaders } from '../commit-token.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import type { DryPlan } from '../schema/collect-faults.js'
import { keyedRoutes } from './keyed-routes.js'
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
            description: 'Also accepts the shape in which it is read: Type stands for TypeKey.',
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

/** Lists, reads, writes and deletes structure types (spec frame "Structure types"). */
export function structureTypeRoutes({ db }: { db: Knex }): Endpoint[] {
  const { get, put, putSome, remove } = keyedRoutes({
    tag: 'Structure types',
    name: 'StructureType',
    noun: 'structure type',
    right: 'StructuralEntity',
    Read: StructureTypeRead,
    Write: StructureTypeWrite,
    dryPlan: dryPlan(db),
    removeNote: ' that no entity uses',
    putProblems: ['structure-type-in-use'],
    removeProblems: ['structure-type-in-use'],
    byKey: (tenantId, key) => structureTypeStore(db, tenantId).byKey(key),
    put: async ({ tenantId, allows }, body) => {
      const item = toType(body)
      return { outcome: await structureTypeStore(db, tenantId).upsert(item, allows), item }
    },
    remove: (tenantId, key) => structureTypeStore(db, tenantId).remove(key),
    present: presentType,
  })
  const putTypes = putSome(db, (trx, { tenantId, allows }, bodies) =>
    upsertStructureTypes(trx, tenantId, bodies.map(toType), allows),
  )
  return [list(), get, put, putTypes, remove]
}

const list = (): Endpoint =>
  endpoint({
    tag: 'Structure types',
    scopes: ['FrameApi'],
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
        return pageOf(page, list, 'type_key', row => presentType(store.present(row)))
      })
      return ok(types)
    },
  })
