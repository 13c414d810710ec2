// Pages of lists whose rows are large, and the most that one subject may hold.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/api.js'
import { addPerson, aField, anEntity, aType, plantWards, subjectTenant, value } from '../support/factories.js'
import { list, type Page, paths, put, readAll } from '../support/frame.js'
import { imported, ndjsonType } from '../support/imports.js'
import { bulkPath, patch, person, queryPath, type SubjectBody, subjectsPath, texts } from '../support/subjects.js'

const tenant = await subjectTenant({
  fields: [
    aField('id', 'Text', { required: true }),
    ...['one', 'two'].map(key => aField(key, 'Text', { isArray: true })),
  ],
  matchingFields: ['id'],
  portal: {},
})

/** 600 KB of values for a field. */
const much = Array.from({ length: 60 }, (_, n) => `${n} `.padEnd(10_000, 'x'))
const large = (id: string, ...fields: string[]) => ({
  CustomFieldValues: texts({ id, ...Object.fromEntries(fields.map(key => [key, much])) }),
})
const ids = Array.from({ length: 11 }, (_, n) => `person-${n}`)
const idIn = ({ CustomFieldValues: [id] }: SubjectBody) => (id && !Array.isArray(id.Value) ? id.Value.ValueText : '')
const bytesOf = (body: unknown) => JSON.stringify(body).length

/** The most that a page may have, and a little for what is around its rows. */
const pageBytes = 4.1 * 1024 * 1024

beforeAll(async () => {
  for (const id of ids) expect(await tenant.post(subjectsPath, large(id, 'one'))).toMatchObject({ status: 201 })
})

/** Reads all pages of 1,000 rows, from the first to the last or from the last to the first. */
async function pages(
  first: 'First' | 'Last',
  read: (query: Record<string, string>) => Promise<{ body: Page<SubjectBody> }>,
) {
  const all: Page<SubjectBody>[] = []
  for (let cursor = {}; ; ) {
    const { body } = await read({ [first]: '1000', ...cursor })
    all.push(body)
    const { HasNextPage, HasPreviousPage, EndCursor, StartCursor } = body.PageInfo
    if (!(first === 'First' ? HasNextPage : HasPreviousPage)) return all
    cursor = first === 'First' ? { After: EndCursor } : { Before: StartCursor }
  }
}

describe('a page', () => {
  const byQuery = (query: Record<string, string>) => tenant.get<Page<SubjectBody>>(list(subjectsPath, query))
  const byBody = ({ First, Last, ...query }: Record<string, string>) =>
    tenant.post<Page<SubjectBody>>(queryPath, { ...(First ? { First: 1000 } : { Last: 1000 }), ...query })

  test.each([
    ['the list', byQuery],
    ['the query', byBody],
  ])('of %s ends before it is too large, and the next one continues there', async (_, read) => {
    const found = await pages('First', read)
    expect(found.length).toBe(2)
    expect(found.flatMap(({ Edges }) => Edges.map(({ Node }) => idIn(Node)))).toEqual(ids)
    for (const page of found) expect(bytesOf(page)).toBeLessThan(pageBytes)
    expect(found.map(({ PageInfo }) => PageInfo.TotalCount)).toEqual([11, 11])
    expect(found.map(({ PageInfo }) => PageInfo.HasPreviousPage)).toEqual([false, true])
  })

  test('that is read from the end keeps the last rows', async () => {
    const found = await pages('Last', byQuery)
    expect(found.length).toBe(2)
    expect(found.reverse().flatMap(({ Edges }) => Edges.map(({ Node }) => idIn(Node)))).toEqual(ids)
  })

  test('in the order of a field ends early too', async () => {
    const found = await pages('First', query => byQuery({ ...query, OrderBy: 'id', OrderDirection: 'Descending' }))
    expect(found.length).toBe(2)
    expect(found.flatMap(({ Edges }) => Edges.map(({ Node }) => idIn(Node)))).toEqual([...ids].reverse())
  })

  test('is as large as asked for where its rows are small', async () => {
    const others = await subjectTenant()
    const people = Array.from({ length: 300 }, (_, n) => person(`small-${n}`))
    for (let n = 0; n < people.length; n += 20)
      expect(await others.post(bulkPath, people.slice(n, n + 20))).toMatchObject({ status: 200 })
    const { body } = await others.get<Page<SubjectBody>>(list(subjectsPath, { First: '1000' }))
    expect(body).toMatchObject({ PageInfo: { HasNextPage: false, TotalCount: 300 } })
    expect(body.Edges.length).toBe(300)
  })

  test('counts what is shown with each row: long names of fields, places and types', async () => {
    const names = Array.from({ length: 120 }, (_, n) => ({
      Key: `f${n}`,
      Name: `${n}`.padEnd(250, 'ä'),
      TypeKey: 'Text',
    }))
    await put(tenant, paths.types, aType('wide', { CustomFields: names }))
    const entities = Array.from({ length: 150 }, (_, n) => anEntity(`wide-${n}`, { StructureTypeKey: 'wide' }))
    await put(tenant, `${paths.entities}/bulk`, entities)
    const asked = list(paths.entities, { StructureTypeKey: 'wide', First: '1000' })
    const { body } = await tenant.get<Page<{ Key: string }>>(asked)
    expect(body.PageInfo).toMatchObject({ HasNextPage: true, TotalCount: 150 })
    expect(bytesOf(body)).toBeLessThan(pageBytes)
    const all = await readAll<{ Key: string }>(tenant, paths.entities, { StructureTypeKey: 'wide' })
    expect(all.map(({ Key }) => Key)).toEqual(entities.map(({ Key }) => Key).sort())

    const keys = entities.map(({ Key }) => Key)
    const others = await subjectTenant()
    await plantWards(others, 'a')
    await put(others, paths.types, aType('wide', { CustomFields: names }))
    await put(others, `${paths.entities}/bulk`, entities)
    for (const id of ['x', 'y']) await addPerson(others, id, {}, keys.slice(0, 60))
    const include = { Include: 'StructuralEntities', First: '1000' }
    const first = await others.get<Page<{ StructuralEntities: unknown[] }>>(list(subjectsPath, include))
    expect(first.body.PageInfo).toMatchObject({ HasNextPage: true, TotalCount: 2 })
    expect(first.body.Edges.map(({ Node }) => Node.StructuralEntities.length)).toEqual([60])
  })

  test('of groups ends before their entities are too many', async () => {
    const keys = Array.from({ length: 3_000 }, (_, n) => `${n}-`.padEnd(250, 'e'))
    await put(tenant, paths.types, aType('unit'))
    await put(
      tenant,
      `${paths.entities}/bulk`,
      keys.map(key => anEntity(key, { DisplayName: 'Bed' })),
    )
    const groups = Array.from({ length: 8 }, (_, n) => ({
      Key: `g${n}`,
      Name: `Group ${n}`,
      StructuralEntityKeys: keys,
    }))
    await put(tenant, paths.groups, ...groups)
    const { body } = await tenant.get<Page<unknown>>(list(paths.groups, { First: '1000' }))
    expect(body.PageInfo).toMatchObject({ HasNextPage: true, TotalCount: 8 })
    expect(bytesOf(body)).toBeLessThan(pageBytes)
    const all = await readAll<{ Key: string; StructuralEntityKeys: string[] }>(tenant, paths.groups)
    expect(all.map(group => [group.Key, group.StructuralEntityKeys.length])).toEqual(
      groups.map(({ Key }) => [Key, 3_000]),
    )
  })
})

test('a subject whose places are too large is shown with all of them, in a list without their types and values', async () => {
  const others = await subjectTenant()
  await plantWards(others, 'small')
  const fields = much.map((_, n) => ({ Key: `text${n}`, Name: `${n}`, TypeKey: 'Text' }))
  await put(others, paths.types, aType('large', { CustomFields: fields }))
  const values = much.map((text, n) => value(`text${n}`, 'String', text))
  const keys = Array.from({ length: 7 }, (_, n) => `large-${n}`)
  for (const key of keys) {
    await put(others, paths.entities, anEntity(key, { StructureTypeKey: 'large', CustomFieldValues: values }))
  }
  const [few, all] = [await addPerson(others, 'few', {}, keys.slice(0, 6)), await addPerson(others, 'all', {}, keys)]
  const include = list(subjectsPath, { Include: 'StructuralEntities', First: '1000' })
  const { body: page } = await others.get<Page<WithPlaces>>(include)
  const listed = page.Edges.map(({ Node }) => Node)
  for (const shown of [await subjectOf(others, few), listed[0]]) {
    expect(shown?.StructuralEntities.map(({ Key }) => Key)).toEqual(keys.slice(0, 6))
    for (const place of shown?.StructuralEntities ?? []) expect(place.CustomFieldValues?.length).toBe(much.length)
  }
  const whole = await subjectOf(others, all)
  expect(whole.StructuralEntities).toEqual([
    ...(await subjectOf(others, few)).StructuralEntities,
    (await others.get(`${paths.entities}/large-6`)).body,
  ])
  expect(listed[1]?.StructuralEntities).toEqual(
    keys.map(Key => ({
      Key,
      DisplayName: `Entity ${Key}`,
      ParentKey: null,
      Depth: 1,
      UpdatedAt: expect.any(String),
    })),
  )
})

interface WithPlaces {
  StructuralEntities: { Key: string; CustomFieldValues?: unknown[] }[]
}
const subjectOf = async (caller: Api, id: string) => (await caller.get<WithPlaces>(`${subjectsPath}/${id}`)).body

describe('a subject holds at most 1 MB of values', () => {
  const tooLarge = (pointer: string) => expect.objectContaining({ pointer, code: 'too-large' })

  test('whichever way they come', async () => {
    const id = await idOf('person-0')
    const more = [value('two', 'String', much)]
    const answers = [
      [await tenant.post(subjectsPath, large('person-0', 'two')), '/CustomFieldValues'],
      [await tenant.post(bulkPath, [large('person-0', 'two')]), '/0/CustomFieldValues'],
      [await patch(tenant, id, more), ''],
      [await patch(tenant, id, { CustomFieldValues: more }), '/CustomFieldValues'],
    ] as const
    for (const [answer, pointer] of answers) {
      expect(answer.status).toBe(400)
      expect(Object(answer.body).errors).toEqual([tooLarge(pointer)])
    }
    const rows = Buffer.from(`${JSON.stringify({ id: 'person-0', two: much })}\n`)
    expect(await imported(tenant, rows, { headers: ndjsonType })).toMatchObject({ counts: { refused: 1 } })
  })

  test('also the survivor of a merge', async () => {
    await tenant.post(subjectsPath, large('other', 'two'))
    const merge = await tenant.post(`${subjectsPath}/${await idOf('person-1')}/merge`, {
      SubjectId: await idOf('other'),
    })
    expect(merge).toMatchObject({ status: 400, body: { errors: [tooLarge('/SubjectId')] } })
  })
})

async function idOf(id: string): Promise<string> {
  const { body } = await tenant.get<Page<SubjectBody>>(`${subjectsPath}?customFieldValueFilter.values[id]=${id}`)
  return body.Edges[0]?.Node.Id ?? ''
}
