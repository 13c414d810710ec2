// Lists in the order of a custom field.
import { beforeAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { orderBy } from '../../db/frame/orders/field-orders.js'
import type { Api, Tenant } from '../support/api.js'
import {
  addPerson,
  anEntity,
  aType,
  openDatabase,
  plantWards,
  storeSubjects,
  subjectTenant,
  value,
} from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { invalid, list, type Page, paths, put, refusal } from '../support/frame.js'
import { patch, person, type SubjectBody, subjectsPath, type WrittenSubject } from '../support/subjects.js'

const db = openDatabase()

/** The nodes of a list, read in pages of two, from its begin or from its end. */
async function inPages<Node>(tenant: Api, path: string, query: Record<string, string>, way: 'First' | 'Last') {
  const nodes: Node[] = []
  for (let cursor: Record<string, string> = {}; ; ) {
    const { status, body } = await tenant.get<Page<Node>>(list(path, { ...query, [way]: '2', ...cursor }))
    if (status !== 200) throw new Error(JSON.stringify(body))
    const page = body.Edges.map(({ Node }) => Node)
    const { HasNextPage, HasPreviousPage, StartCursor, EndCursor } = body.PageInfo
    expect(HasPreviousPage === HasNextPage || nodes.length === 0 || page.length <= 2).toBe(true)
    if (way === 'First') nodes.push(...page)
    else nodes.unshift(...page)
    if (way === 'First' ? !HasNextPage : !HasPreviousPage) return nodes
    cursor = way === 'First' ? { After: EndCursor } : { Before: StartCursor }
  }
}

describe('subjects', () => {
  let tenant: Tenant
  /** Names by id, in the order of the ids. */
  const names = new Map<string, string>()
  type Person = [
    name: string,
    family: string,
    weight?: number | undefined,
    born?: string | undefined,
    consent?: boolean,
  ]
  const people: Person[] = [
    ['a', 'Mill', 70, '1980-01-31', true],
    ['b', 'adams', -1.5, undefined, false],
    ['c', 'Ärz', 9, '1979-12-01'],
    ['d', 'Byron', undefined, '1980-01-30', true],
    ['e', 'Mill', 1000, '0999-05-05', false],
    ['f', 'ZZ', undefined, undefined],
    ['g', 'arz', 9.25, '2026-11-24', true],
  ]
  beforeAll(async () => {
    tenant = await subjectTenant()
    await plantWards(tenant, 'ward', 'empty')
    for (const [name, familyName, weight, born, consent] of people) {
      const { CustomFieldValues, ...rest } = person(name, { familyName }, 'aceg'.includes(name) ? ['ward'] : [])
      const values = [
        ...CustomFieldValues,
        ...(weight === undefined ? [] : [value('weight', Number.isInteger(weight) ? 'Integer' : 'Decimal', weight)]),
        ...(born === undefined ? [] : [value('dateOfBirth', 'Date', born)]),
        ...(consent === undefined ? [] : [value('consent', 'Boolean', consent)]),
      ]
      const upsert = { ...rest, CustomFieldValues: values }
      const { body } = await tenant.post<WrittenSubject>(subjectsPath, upsert)
      names.set(body.internalId, name)
    }
  })
  const named = (nodes: SubjectBody[]) => nodes.map(({ Id }) => names.get(Id)).join('')
  const inOrder = async (OrderBy: string, more: Record<string, string> = {}, way: 'First' | 'Last' = 'First') =>
    named(await inPages<SubjectBody>(tenant, subjectsPath, { OrderBy, ...more }, way))
  const down = { OrderDirection: 'Descending' }

  test.each([
    ['numbers as numbers', 'weight', 'bcgaedf', 'eagcbfd'],
    ['dates as dates', 'dateOfBirth', 'ecdagbf', 'gadcefb'],
    ['false before true', 'consent', 'beadgcf', 'gdaebfc'],
    ['texts whatever the case and accent, ties by id', 'familyName', 'bcgdaef', 'feadgcb'],
  ])('%s, those without a value last in both directions', async (_, field, ascending, descending) => {
    for (const way of ['First', 'Last'] as const) {
      expect(await inOrder(field, {}, way)).toBe(ascending)
      expect(await inOrder(field, down, way)).toBe(descending)
    }
  })

  test('filters keep the order and their count', async () => {
    const ward = { StructuralEntityKeys: 'ward' }
    expect(await inOrder('weight', ward)).toBe('cgae')
    expect(await inOrder('weight', { ...ward, 'customFieldValueFilter.values[familyName]': 'Mill' }, 'Last')).toBe('ae')
    expect(await inOrder('weight', { Unplaced: 'true' })).toBe('bdf')
    expect(await inOrder('weight', { StructuralEntityKeys: 'empty' })).toBe('')
    const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { ...ward, OrderBy: 'weight', First: '1' }))
    expect(body.PageInfo).toMatchObject({ TotalCount: 4, HasNextPage: true, HasPreviousPage: false })
    const query = await tenant.post<Page<SubjectBody>>(`${subjectsPath}/query`, { OrderBy: 'weight', Last: 2 })
    expect(named(query.body.Edges.map(({ Node }) => Node))).toBe('df')
  })

  test('a write moves a subject in the order, and an erasure removes it', async () => {
    const own = await subjectTenant()
    const ids: Record<string, string> = {}
    for (const name of ['x', 'y', 'z']) ids[name] = await addPerson(own, name, { familyName: name })
    const order = async (more: Record<string, string> = {}) => {
      const { body } = await own.get<Page<SubjectBody>>(list(subjectsPath, { OrderBy: 'email', ...more }))
      return body.Edges.map(({ Node }) => Object.entries(ids).find(([, id]) => id === Node.Id)?.[0]).join('')
    }
    expect(await order()).toBe('xyz')
    await addPerson(own, 'z', { email: 'm@example.org' })
    await patch(own, ids.y ?? '', [value('email', 'String', 'n@example.org')])
    ids.new = await addPerson(own, 'new', { email: 'a@example.org' })
    expect(await order()).toBe('newzyx')
    await patch(own, ids.z ?? '', [{ Key: 'email', Value: null }])
    expect(await order()).toBe('newyxz')
    await own.post(`${subjectsPath}/${ids.x}/deactivate`)
    expect(await order()).toBe('newyz')
    const { body } = await own.post<JobBody>(`${subjectsPath}/${ids.y}/erase`)
    expect(await ended(own, body.jobId)).toMatchObject({ status: 'Completed' })
    expect(await order({ IncludeDeactivated: 'true' })).toBe('newxz')
    const tenant_id = await tenantIdOf(db, own.tenantKey)
    const rows: { owner: string }[] = await db('subject_order_values').where({ tenant_id }).select('owner')
    expect(new Set(rows.map(({ owner }) => owner))).toEqual(new Set([ids.x, ids.z, ids.new]))
  })

  test('a long order is built in steps beside writers, and a caller who comes too early is told to try again', async () => {
    const own = await subjectTenant()
    await plantWards(own, 'ward')
    await storeSubjects(db, own.tenantKey, 1_100, 'ward')
    const tenantId = await tenantIdOf(db, own.tenantKey)
    const early = orderBy(db, tenantId, 'subject', 'email', 0)
    const problem = { status: 503, code: 'order-in-preparation', headers: { 'Retry-After': '1' } }
    await expect(early).rejects.toMatchObject(problem)
    const last = await addPerson(own, 'last', { email: 'b@example.org' })
    const first = await addPerson(own, 'first', { email: 'a@example.org' })
    const { body } = await own.get<Page<SubjectBody>>(list(subjectsPath, { OrderBy: 'email', First: '3' }))
    expect(body.Edges.slice(0, 2).map(({ Node }) => Node.Id)).toEqual([first, last])
    expect(body.PageInfo.TotalCount).toBe(1_102)
    expect(await db('subject_order_values').where({ tenant_id: tenantId }).count({ n: '*' }).first()).toEqual({
      n: 1_102,
    })
  })

  test('an unknown field, one of several values, another order and a search are refused', async () => {
    const refused = async (query: Record<string, string>) => refusal(await tenant.get(list(subjectsPath, query)))
    expect(await refused({ OrderBy: 'nobody' })).toEqual(invalid('unknown-value /query/OrderBy'))
    expect(await refused({ OrderBy: '__proto__' })).toEqual(invalid('unknown-value /query/OrderBy'))
    expect(await refused({ OrderBy: 'languages' })).toEqual(invalid('array /query/OrderBy'))
    expect(await refused({ OrderBy: 'weight', SearchTerm: 'mill' })).toEqual(invalid('not-in-search /query/OrderBy'))
    const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { OrderBy: 'weight', First: '1' }))
    for (const other of [{ OrderBy: 'familyName' }, { OrderBy: 'weight', ...down }, {}] as Record<string, string>[]) {
      const answer = await refused({ ...other, After: body.PageInfo.EndCursor })
      expect(answer).toMatchObject({ status: 400, code: 'foreign-cursor' })
    }
  })
})

test('entities of all types are in the order of a field, and keep it when they change, move and go', async () => {
  const tenant = await subjectTenant()
  const beds = { CustomFields: [{ TypeKey: 'Number', Key: 'beds', Name: 'Beds' }] }
  await put(tenant, paths.types, aType('unit', beds), aType('ward', beds), aType('bare'))
  const with_ = (key: string, count?: number, more: object = {}) =>
    anEntity(key, { ...more, CustomFieldValues: count === undefined ? [] : [value('beds', 'Integer', count)] })
  await put(tenant, paths.entities, with_('top', 9), with_('none'), anEntity('bare', { StructureTypeKey: 'bare' }))
  await put(tenant, paths.entities, with_('ten', 10, { ParentKey: 'top', StructureTypeKey: 'ward' }))
  const keys = async (query: Record<string, string> = {}, way: 'First' | 'Last' = 'First') => {
    const nodes = await inPages<{ Key: string }>(tenant, paths.entities, { OrderBy: 'beds', ...query }, way)
    return nodes.map(({ Key }) => Key)
  }
  expect(await keys()).toEqual(['top', 'ten', 'bare', 'none'])
  expect(await keys({ OrderDirection: 'Descending' }, 'Last')).toEqual(['ten', 'top', 'none', 'bare'])
  await put(tenant, `${paths.entities}/bulk`, [with_('none', 1, { ParentKey: 'top' }), with_('two', 2), with_('top')])
  expect(await keys()).toEqual(['none', 'two', 'ten', 'bare', 'top'])
  expect(await keys({ ParentKey: 'top' })).toEqual(['none', 'ten'])
  expect(await keys({ AncestorKey: 'top', StructureTypeKey: 'ward' })).toEqual(['ten'])
  const asked = { orderBy: 'beds', Last: 2, ParentKey: 'top' }
  const { body } = await tenant.post<Page<{ Key: string }>>(`${paths.entities}/query`, asked)
  expect(body.Edges.map(({ Node }) => Node.Key)).toEqual(['none', 'ten'])
  expect((await tenant.delete(`${paths.entities}/two`)).status).toBe(204)
  expect(await keys()).toEqual(['none', 'ten', 'bare', 'top'])
  const refused = await tenant.get(list(paths.entities, { OrderBy: 'rooms' }))
  expect(refusal(refused)).toEqual(invalid('unknown-value /query/OrderBy'))
})
