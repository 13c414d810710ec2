// Endpoint that lists and searches subjects.

import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import type { SubjectField } from '../../db/frame/fields/custom-field.js'
import { formOf } from '../../db/frame/fields/field-forms.js'
import { filterHash } from '../../db/frame/fields/matching.js'
import { cachedSubjectSettings } from '../../db/frame/fields/subject-settings.js'
import { entitySet, regionOf } from '../../db/frame/hierarchy/hierarchy-state.js'
import { type Place, structuralEntityStore } from '../../db/frame/hierarchy/structural-entities.js'
import { orderBy } from '../../db/frame/orders/field-orders.js'
import { queryWords } from '../../db/frame/search/search-words.js'
import { hasDeactivated } from '../../db/frame/subjects/deactivation.js'
import { listSubjects, listSubjectsByField, type SubjectFilter } from '../../db/frame/subjects/subject-list.js'
import { SearchTooWide, searchBounds, searchSubjects } from '../../db/frame/subjects/subject-search.js'
import { addSubjects, type SubjectRow, subjectOf, survivorsOf } from '../../db/frame/subjects/subjects-by-id.js'
import { addDocuments, type Page } from '../../db/paging.js'
import { type Read, readsAt } from '../../db/replicas.js'
import type { FaultCode } from '../../runtime/problems/fault-codes.js'
import { type Fault, invalid, pointerPart } from '../../runtime/problems/problem.js'
import { keyText } from '../../runtime/schema/key.js'
import { nullIsAbsent } from '../../runtime/schema/null-is-absent.js'
import type { Caller } from '../caller.js'
import { readHeaders } from '../commit-token.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { inBody, inQuery, listing, type PointerOf, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { guid } from '../schema/guid.js'
import { readRange } from '../time-range.js'
import { listOrder, orderByField } from './field-order.js'
import { Field, presentField, presentPlace } from './shapes.js'
import { presentSubject, SubjectListed } from './subject-shapes.js'
import { completeTo, completeToOf, isOfUpdates, updatedRange } from './updated-range.js'

// A subject's id is a UUIDv7, so the order of ids is the order in which subjects were created.
const orders = { Id: 'id', UpdatedAt: 'updated_at' }
/** Default order of a search. */
const best = { Relevance: 'rank' }

const entityKeys = (maxItems: number, more: object = {}) =>
  Type.Optional(
    Type.Array(keyText(), {
      minItems: 1,
      maxItems,
      description: 'Assigned to any of these.',
      listOfOne: true,
      ...more,
    }),
  )
const ids = (maxItems: number, more: object = {}) =>
  Type.Optional(
    Type.Array(guid(), {
      minItems: 1,
      maxItems,
      description:
        'Those with these Ids. The Id of a merged subject stands for the one that it leads to. An Id without a subject has no entry.',
      listOfOne: true,
      ...more,
    }),
  )
/**
 * OpenAPI can only describe one value for each name of a deepObject, as in
 * `customFieldValueFilter.values[nationalId]=A-1234`. So the published schema is narrower than what is accepted.
 */
const inAddress = {
  publish: { patternProperties: { '^.*$': { type: 'string' } }, examples: [{ nationalId: 'A-1234' }] },
}
/** The filter by values: lists of values, keyed by field. */
const values = (maxItems: number, options: Type.TObjectOptions = {}) =>
  Type.Record(Type.String(), Type.Array(Type.String(), { maxItems, listOfOne: true }), {
    ...options,
    maxProperties: 20,
    nfcNames: true,
    description:
      'Holding these values exactly, by field key. In an address a name is repeated for each further value. White space at the ends of a text, and its Unicode form, make no difference.',
  })
const match = Type.Optional(
  Type.Enum(['ExactAll', 'ExactAny'], {
    description: 'All of the values (at most 100), or any. Default ExactAll. Only with values.',
  }),
)

const filters = {
  Unplaced: Type.Optional(Type.Boolean({ description: 'Assigned to no entity. Default false.' })),
  IncludeDeactivated: Type.Optional(
    Type.Boolean({ description: 'Also subjects that are deactivated, which have DeactivatedAt. Default false.' }),
  ),
  ...updatedRange,
  Include: Type.Optional(
    Type.Array(Type.Enum(['StructuralEntities']), {
      maxItems: 10,
      listOfOne: true,
      description: 'What each subject of the list has besides its values: the entities to which it is assigned.',
    }),
  ),
  IncludeDescendants: Type.Optional(
    Type.Boolean({
      description:
        'Also assigned to any entity below these, at any depth: a region with all its wards is one list. Default false.',
    }),
  ),
  SearchTerm: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'Every word is in the values: whole, as a beginning, or with a typo; those of a name also typed as one. The best first. A subject is found by at most 200 words, of long texts the first ones; a word that is new to the tenant is found with a typo within seconds. A term without a letter or digit is refused; a blank one is no search.',
    }),
  ),
}

const SubjectQuery = pagingQuery(
  orders,
  {
    Ids: ids(100),
    StructuralEntityKeys: entityKeys(100),
    ...filters,
    'customFieldValueFilter.values': Type.Optional(values(1_000, inAddress)),
    'customFieldValueFilter.match': match,
  },
  orderByField(orders),
)

/** The parameters of the list as a request body, which has room for many more keys than an address. */
const SubjectQueryBody = Type.Object(
  {
    ...pagingQuery(
      orders,
      { Ids: ids(1_000, nullIsAbsent), StructuralEntityKeys: entityKeys(10_000, nullIsAbsent), ...filters },
      orderByField(orders),
    ).properties,
    customFieldValueFilter: Type.Optional(
      Type.Object({ values: values(1_000), match }, { additionalProperties: false }),
    ),
  },
  {
    $id: 'SubjectQuery',
    additionalProperties: false,
    description: 'Where a list is expected, a single value is a list of one.',
    examples: [
      {
        customFieldValueFilter: { values: { nationalId: ['A-1234', 'B-5678'] }, match: 'ExactAny' },
        StructuralEntityKeys: ['north'],
        IncludeDescendants: true,
        IncludeDeactivated: true,
        UpdatedFrom: '2026-11-01T00:00:00Z',
        UpdatedTo: '2026-12-01T00:00:00Z',
        Include: ['StructuralEntities'],
        OrderBy: 'UpdatedAt',
        OrderDirection: 'Descending',
        First: 50,
        After: 'the EndCursor of the page before',
      },
      { SearchTerm: 'kowalczyk', StructuralEntityKeys: ['north'], First: 10 },
      {
        Ids: ['01a2021e-2bc6-75d6-96df-5e3584818c80'],
        Unplaced: true,
        Last: 50,
        Before: 'the StartCursor of the page behind',
      },
    ],
  },
)

const SubjectFieldRead = Type.Object(
  {
    ...Field.properties,
    IsArray: Type.Boolean({ description: 'It takes several values.' }),
    Matching: Type.Boolean({ description: 'An upsert finds the subject by its value.' }),
  },
  { $id: 'SubjectFieldDescription' },
)

const common = { tag: 'Subjects', scopes: ['FrameApi'], permission: 'List:Subject' } as const

/** Lists and searches subjects, and lists their fields (spec frame "Subjects"). */
export const subjectListRoutes = ({ db }: { db: Knex }): Endpoint[] => {
  /**
   * Reads a page. A list by Ids reads from the primary: another system may pass on an id before a replica has the subject,
   * which would then be missing from the list without an error.
   * So does a list by time of update, which tells until when it knows all writes.
   */
  const listed = (read: Read, caller: Caller, query: Static<typeof SubjectQuery>, at: PointerOf) =>
    (query.Ids || isOfUpdates(query) ? readsAt(db) : read)(server => pageOfSubjects(server, caller, query, at))

  return [
    endpoint({
      ...common,
      operationId: 'listSubjects',
      readsPeople: true,
      summary: 'Subjects, filtered, searched and paged',
      description:
        'Returns a page of the subjects that meet all given filters, or with SearchTerm a ranked search by words. Deactivated subjects are left out unless IncludeDeactivated is true. A filter that names an unknown entity or field is refused, so that a misspelt key does not look like an empty list. To keep a copy up to date, read listSubjectChanges instead of the list.',
      method: 'get',
      path: '/api/v2/subject',
      query: SubjectQuery,
      headers: readHeaders,
      answers: { 200: pageSchema(SubjectListed, completeTo) },
      problems: ['order-in-preparation'],
      handle: async ({ query, caller, read }) => ok(await listed(read, caller, query, inQuery)),
    }),

    endpoint({
      ...common,
      operationId: 'querySubjects',
      readsPeople: true,
      summary: 'The list of subjects, its parameters in the body: for more keys than an address takes',
      description:
        'Does the same as listSubjects, with the parameters in a body, which has room for 10,000 keys and 1,000 Ids. It only reads: it may be repeated, and does not count as a write. A cursor is valid in both, for the same filter and order.',
      method: 'post',
      path: '/api/v2/subject/query',
      reads: true,
      body: SubjectQueryBody,
      headers: readHeaders,
      answers: { 200: pageSchema(SubjectListed, completeTo) },
      problems: ['order-in-preparation'],
      async handle({ body: { customFieldValueFilter: filter, ...query }, caller, read }) {
        const values = filter && {
          'customFieldValueFilter.values': filter.values,
          ...(filter.match && { 'customFieldValueFilter.match': filter.match }),
        }
        return ok(await listed(read, caller, { ...query, ...values }, inBody))
      },
    }),

    endpoint({
      ...common,
      operationId: 'listSubjectFields',
      summary: 'The fields of subjects, in the order in which their values are shown',
      description:
        "Lists the custom fields that the tenant's manifest gives to subjects, with their types. Writes name a field by its Key, and an upsert finds its subject by the fields with Matching. The list is complete and not paged; it changes only when an operator applies a manifest.",
      method: 'get',
      path: '/api/v2/subjectField',
      answers: { 200: Type.Array(SubjectFieldRead) },
      async handle({ caller }) {
        const { fields, matchingFields } = await cachedSubjectSettings(db, caller.tenantId)
        return ok(
          fields.map(field => ({
            ...presentField(field),
            IsArray: field.isArray,
            Matching: matchingFields.includes(field.key),
          })),
        )
      },
    }),
  ]
}

/** How many values ExactAll accepts. Each is a separate condition of the query, whereas ExactAny needs only one. */
const maxOfAll = 100

async function pageOfSubjects(db: Knex, { tenantId }: Caller, query: Static<typeof SubjectQuery>, at: PointerOf) {
  const given = query['customFieldValueFilter.values']
  const named = query.StructuralEntityKeys && [...new Set(query.StructuralEntityKeys)]
  const [{ fields }, activeOnly, faults] = await Promise.all([
    cachedSubjectSettings(db, tenantId),
    query.IncludeDeactivated ? false : hasDeactivated(db, tenantId),
    unknownEntities(db, tenantId, at, query.StructuralEntityKeys),
  ])
  const report = (name: keyof typeof query, code: FaultCode, detail: string) =>
    faults.push({ pointer: at(name), code, detail })
  if (given && query.SearchTerm !== undefined) {
    report('SearchTerm', 'search-and-filter', 'Give SearchTerm or customFieldValueFilter, not both.')
  }
  const term = query.SearchTerm?.trim()
  if (term && queryWords(term).length === 0) {
    report('SearchTerm', 'no-word', 'SearchTerm needs at least one letter or digit: it is compared word by word.')
  }
  const match = query['customFieldValueFilter.match'] ?? 'ExactAll'
  if (query['customFieldValueFilter.match'] && !given) {
    const detail = 'Give the values that are to match: customFieldValueFilter.values[fieldKey]=value.'
    report('customFieldValueFilter.match', 'match-without-values', detail)
  }
  if (query.IncludeDescendants && !named) {
    const detail = 'Give the entities whose descendants are meant: StructuralEntityKeys.'
    report('IncludeDescendants', 'descendants-without-entities', detail)
  }
  if (query.Unplaced && named) {
    report('Unplaced', 'unplaced-in-entities', 'Give Unplaced or StructuralEntityKeys, not both.')
  }
  const order = listOrder(query.OrderBy, orders, fields)
  if (order.fault) report('OrderBy', order.fault.code, order.fault.detail)
  const updated = readRange(query, 'Updated', at)
  faults.push(...updated.faults)
  if (term) {
    const other = (['Ids', 'Unplaced', 'UpdatedFrom', 'UpdatedTo'] as const).find(name => query[name])
    const name = other ?? (order.OrderBy === undefined || order.OrderBy === 'Id' ? undefined : 'OrderBy')
    if (name) report(name, 'not-in-search', 'A search takes entities alone: leave this out, or the SearchTerm.')
  }
  const hashes = given && hashesOf(fields, given, at, faults)
  if (match === 'ExactAll' && hashes && hashes.length > maxOfAll) {
    report('customFieldValueFilter.values', 'too-many', `At most ${maxOfAll} values are matched by ExactAll.`)
  }
  if (faults.length > 0) throw invalid(faults)
  const entities = named && (query.IncludeDescendants ? await regionOf(db, tenantId, named) : entitySet(named))
  const subjectIds = query.Ids && [...query.Ids, ...(await survivorsOf(db, tenantId, query.Ids)).values()]
  const others = {
    values: hashes && { match, hashes },
    unplaced: query.Unplaced,
    updatedFrom: updated.from,
    updatedTo: updated.to,
  }
  const filter: SubjectFilter = { ids: subjectIds, entities, ...others }
  // A cursor is bound to the entities in the request, not to their descendants, so it survives a change of the hierarchy.
  const scope = ['subject', tenantId, { ids: query.Ids, entityKeys: named, ...others }, term]
  if (query.IncludeDescendants) scope.push('descendants')
  if (query.IncludeDeactivated) scope.push('deactivated')
  const asked = { ...query, OrderBy: order.OrderBy }
  const list = listing(asked, term && !order.OrderBy ? best : order.orders, scope, { in: at })
  const active = { ...filter, activeOnly }
  const complete = await completeToOf(db, updated)
  const page: Page<{ id: string }> = term
    ? await searchSubjects(db, tenantId, { term, entities, activeOnly }, list.request).catch(error => {
        throw error instanceof SearchTooWide ? invalid([{ pointer: at('SearchTerm'), ...tooWide }]) : error
      })
    : order.field === undefined
      ? await listSubjects(db, tenantId, active, list.request)
      : await listSubjectsByField(
          db,
          tenantId,
          active,
          await orderBy(db, tenantId, 'subject', order.field),
          list.request,
        )
  const subjects = await addSubjects(db, tenantId, page, list.request)
  const store = structuralEntityStore(db, tenantId)
  const shown: Page<SubjectRow & { places?: Place[] }> = query.Include
    ? await addDocuments(subjects, list.request, idOf, (ids, maxBytes) => store.ofSubjects(ids, maxBytes))
    : subjects
  const present = ({ places, ...row }: (typeof shown.rows)[number]) => ({
    ...presentSubject(fields, subjectOf(row)),
    ...(places && { StructuralEntities: places.map(presentPlace) }),
  })
  return pageOf(shown, list, 'id', present, { members: complete })
}

const idOf = ({ id }: { id: string }): string => id

const tooWide = {
  code: 'too-wide',
  detail: `Over ${searchBounds.maxRanked.toLocaleString('en')} words of subjects match. Give more letters, another word, or the entities (StructuralEntityKeys).`,
} as const satisfies Omit<Fault, 'pointer'>

/** Returns a fault for each entity that does not exist, so that a misspelt key does not look like an empty list. */
async function unknownEntities(
  db: Knex,
  tenantId: number,
  at: PointerOf,
  keys: readonly string[] = [],
): Promise<Fault[]> {
  const known = keys.length > 0 ? await structuralEntityStore(db, tenantId).existing(keys) : new Set()
  return keys.flatMap((key, n) => {
    const detail = `There is no structural entity '${key}'.`
    return known.has(key)
      ? []
      : [{ pointer: `${at('StructuralEntityKeys')}/${n}`, code: 'unknown-structural-entity', detail }]
  })
}

function hashesOf(
  fields: readonly SubjectField[],
  given: Record<string, string[]>,
  at: PointerOf,
  faults: Fault[],
): string[] {
  const hashes = Object.entries(given).flatMap(([key, texts]) => {
    const pointer = `${at('customFieldValueFilter.values')}/${pointerPart(key)}`
    const field = fields.find(each => each.key === key)
    if (!field) {
      faults.push({ pointer, code: 'unknown-custom-field', detail: `There is no custom field '${key}'.` })
      return []
    }
    return texts.flatMap((text, n) => {
      const found = filterHash(field, text)
      if (found !== undefined) return [found]
      const detail = `The field '${key}' takes ${formOf(field)}.`
      faults.push({ pointer: `${pointer}/${n}`, code: 'wrong-format', detail })
      return []
    })
  })
  return [...new Set(hashes)].sort()
}
