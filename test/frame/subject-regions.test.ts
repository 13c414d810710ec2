// Subject lists of an entity with all that is below it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoredValues } from '../../db/frame/fields/custom-fields.js'
import type { Tenant } from '../support/api.js'
import { anEntity, openDatabase, plant, storeSubject, storeSubjects, subjectTenant } from '../support/factories.js'
import { invalid, list, type Page, paths, put, refusal } from '../support/frame.js'
import { randomOf } from '../support/random.js'
import { person, type SubjectBody, subjectsPath } from '../support/subjects.js'

describe('a region', () => {
  /** More than are merged range by range. */
  const wards = Array.from({ length: 120 }, (_, n) => `ward-${n}`)
  const random = randomOf(20_261_123)
  const db = openDatabase()
  afterAll(() => db.destroy())

  let tenant: Tenant
  /** Everybody in the region, in the order of the list: between the second and the third are 2,500 people of elsewhere. */
  const inside: string[] = []

  beforeAll(async () => {
    tenant = await subjectTenant()
    await plant(tenant, {
      ...{ county: null, north: 'county', south: 'county', elsewhere: null },
      ...Object.fromEntries(wards.map((ward, n) => [ward, n % 2 ? 'north' : 'south'])),
    })
    const ward = () => wards[random.between(0, wards.length)] ?? ''
    const name: StoredValues = { givenName: ['String', 'Ada'] }
    const store = async (...places: string[]) => inside.push(await storeSubject(db, tenant.tenantKey, name, places))
    await store('north', 'ward-1')
    await store(ward(), ward())
    await storeSubjects(db, tenant.tenantKey, 2_500, 'elsewhere')
    for (let n = 0; n < 28; n++) await store(ward(), 'elsewhere')
  })

  const page = async (query: Record<string, string>) => {
    const region = { StructuralEntityKeys: 'county', IncludeDescendants: 'true' }
    const { status, body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { ...region, ...query }))
    if (status !== 200) throw new Error(JSON.stringify(body))
    return { ids: body.Edges.map(({ Node }) => Node.Id), info: body.PageInfo }
  }

  test.each(['Ascending', 'Descending'])('%s is one paged list of all that is below it', async OrderDirection => {
    const wanted = OrderDirection === 'Ascending' ? inside : inside.toReversed()
    const forwards: string[] = []
    for (let After: string | undefined = ''; After !== undefined; ) {
      const { ids, info } = await page({ OrderDirection, First: '7', ...(After && { After }) })
      expect([info.TotalCount, info.HasPreviousPage]).toEqual([30, After !== ''])
      forwards.push(...ids)
      After = info.HasNextPage ? info.EndCursor : undefined
    }
    expect(forwards).toEqual(wanted)
    const last = await page({ OrderDirection, Last: '9' })
    expect(last.ids).toEqual(wanted.slice(-9))
    const before = await page({ OrderDirection, Last: '12', Before: last.info.StartCursor })
    expect(before.ids).toEqual(wanted.slice(9, 21))
    expect([before.info.HasPreviousPage, before.info.HasNextPage]).toEqual([true, true])
  })

  test('is only the entity itself without IncludeDescendants', async () => {
    expect((await page({ StructuralEntityKeys: 'north', IncludeDescendants: 'false' })).ids).toEqual([inside[0]])
    expect((await page({ IncludeDescendants: 'false' })).ids).toEqual([])
  })

  test('below an entity without children is that entity', async () => {
    expect((await page({ StructuralEntityKeys: 'ward-1', First: '1' })).ids).toEqual([inside[0]])
  })

  test('follows an entity that moves', async () => {
    await put(tenant, paths.entities, anEntity('elsewhere', { ParentKey: 'south' }))
    expect((await page({ First: '5' })).info.TotalCount).toBe(2_530)
    await put(tenant, paths.entities, anEntity('elsewhere'))
    expect((await page({ First: '5' })).info.TotalCount).toBe(30)
  })

  test('is searched, and filtered by values', async () => {
    for (const nationalId of ['in', 'out']) {
      const { status } = await tenant.post(subjectsPath, person(nationalId, {}, nationalId === 'in' ? ['ward-3'] : []))
      expect(status).toBe(201)
    }
    const found = async (query: Record<string, string>) => (await page(query)).info.TotalCount
    expect(await found({ SearchTerm: 'byron' })).toBe(1)
    expect(await found({ 'customFieldValueFilter.values[familyName]': 'Byron' })).toBe(1)
    expect(await found({ 'customFieldValueFilter.values[nationalId]': 'out' })).toBe(0)
  })

  test('requires entities, and its cursors differ from those without IncludeDescendants', async () => {
    expect(refusal(await tenant.get(`${subjectsPath}?IncludeDescendants=true`))).toEqual(
      invalid('descendants-without-entities /query/IncludeDescendants'),
    )
    const { info } = await page({ First: '2' })
    const alone = list(subjectsPath, { StructuralEntityKeys: 'county', After: info.EndCursor })
    expect(refusal(await tenant.get(alone)).code).toBe('foreign-cursor')
  })
})
