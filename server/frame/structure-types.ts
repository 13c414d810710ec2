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
    about: {
      get: 'Reads a structure type by its key, with all its custom fields. The answer shows everything that was written before the request. It can be sent back to putStructureType as it is.',
      put: 'Creates the type with this key (201), or replaces the whole of it (200): a custom field that the body leaves out is removed. That is refused with 409 `structure-type-in-use` while entities have values in the field, as is a change of its type, or SubjectAssignable=false while subjects are assigned. Repeating the request changes nothing.',
      remove:
        'Deletes a structure type for good. While an entity is of this type the answer is 409 `structure-type-in-use`, which names one. Repeating the request is answered 404.',
    },
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
    description:
      'Returns a page of structure types, each with all its custom fields, ordered by key unless OrderBy says otherwise. Every word of SearchTerm must occur in the name or the key, also within a word.',
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
