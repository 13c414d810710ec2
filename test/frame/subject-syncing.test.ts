// Subject lists as callers read them that keep a copy.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Tenant } from '../support/api.js'
import { addPerson, openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { invalid, list, type Page, refusal } from '../support/frame.js'
import { bulkPath, person, queryPath, type SubjectBody, subjectsPath } from '../support/subjects.js'

describe('syncing', () => {
  let tenant: Tenant
  const ids: Record<string, string> = {}
  const db = openDatabase()
  afterAll(() => db.destroy())

  beforeAll(async () => {
    tenant = await subjectTenant()
    await plantWards(tenant, 'a', 'b')
    for (const [name, ...places] of [['one', 'a'], ['two', 'b', 'a'], ['three'], ['four', 'b']] as const) {
      ids[name] = await addPerson(tenant, name, {}, places)
    }
    // Written in another order than they were created; two at the same time.
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    for (const [name, minute] of Object.entries({ one: 3, two: 1, three: 2, four: 2 })) {
      const updated_at = new Date(Date.UTC(2026, 0, 1, 0, minute))
      await db('subjects').where({ tenant_id, id: ids[name] }).update({ updated_at })
    }
  })

  const names = async (query: Record<string, string>) => {
    const { status, body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, query))
    if (status !== 200) throw new Error(JSON.stringify(body))
    expect(body.PageInfo.TotalCount).toBe(body.Edges.length)
    return body.Edges.map(({ Node }) => Object.entries(ids).find(([, id]) => id === Node.Id)?.[0])
  }

  test('UpdatedFrom is inclusive, UpdatedTo exclusive, with and without other filters', async () => {
    const from = { UpdatedFrom: '2026-01-01T00:02:00Z' }
    expect(await names(from)).toEqual(['one', 'three', 'four'])
    expect(await names({ ...from, UpdatedTo: '2026-01-01T01:03:00+01:00' })).toEqual(['three', 'four'])
    expect(await names({ ...from, StructuralEntityKeys: 'b' })).toEqual(['four'])
    expect(await names({ ...from, 'customFieldValueFilter.values[nationalId]': 'one' })).toEqual(['one'])
  })

  test('OrderBy=UpdatedAt goes through pages, ties by id', async () => {
    const seen: (string | undefined)[] = []
    const query = { OrderBy: 'UpdatedAt', OrderDirection: 'Descending', First: '1' }
    for (let After = ''; ; ) {
      const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { ...query, ...(After && { After }) }))
      seen.push(Object.entries(ids).find(([, id]) => id === body.Edges[0]?.Node.Id)?.[0])
      if (!body.PageInfo.HasNextPage) break
      After = body.PageInfo.EndCursor
    }
    expect(seen).toEqual(['one', 'four', 'three', 'two'])
  })

  test('Unplaced lists who is nowhere', async () => {
    expect(await names({ Unplaced: 'true' })).toEqual(['three'])
    expect(await names({ Unplaced: 'false' })).toHaveLength(4)
  })

  test('Include gives each subject its places', async () => {
    const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { Include: 'structuralEntities' }))
    const places = body.Edges.map(({ Node }) => Node.StructuralEntities?.map(({ Key }) => Key))
    expect(places).toEqual([['a'], ['a', 'b'], [], ['b']])
    const single = await tenant.get<SubjectBody>(`${subjectsPath}/${ids.two}`)
    expect(body.Edges[1]?.Node).toEqual(single.body)
  })

  test('Ids finds existing subjects together with other filters, and a merged one by its old id', async () => {
    const { one = '', two = '', three = '', four = '' } = ids
    const named = [four.toUpperCase(), one, one, randomUUID()]
    const read = async (body: object) => {
      const { status, body: page } = await tenant.post<Page<SubjectBody>>(queryPath, body)
      if (status !== 200) throw new Error(JSON.stringify(page))
      expect(page.PageInfo.TotalCount).toBe(page.Edges.length)
      return page.Edges.map(({ Node }) => Node.Id)
    }
    expect(await read({ Ids: named })).toEqual([one, four])
    expect(await read({ Ids: null })).toHaveLength(4)
    expect(await read({ Ids: named, StructuralEntityKeys: ['b'] })).toEqual([four])
    expect(await read({ Ids: [two, one], OrderBy: 'nationalId', OrderDirection: 'Descending' })).toEqual([two, one])
    expect(await read({ Ids: [...Array.from({ length: 999 }, () => randomUUID()), three] })).toEqual([three])
    expect(await names({ Ids: two })).toEqual(['two'])
    const other = await addPerson(tenant, 'twin')
    expect((await tenant.post(`${subjectsPath}/${one}/merge`, { SubjectId: other })).status).toBe(200)
    expect(await read({ Ids: [other] })).toEqual([one])
    expect((await tenant.post(`${subjectsPath}/${one}/deactivate`)).status).toBe(200)
    expect(await read({ Ids: [one, two] })).toEqual([two])
    expect(await read({ Ids: [one, two], IncludeDeactivated: true })).toEqual([one, two])
    expect((await tenant.post(`${subjectsPath}/${one}/reactivate`)).status).toBe(200)
    const foreign = await subjectTenant()
    expect((await foreign.post<Page<SubjectBody>>(queryPath, { Ids: [two] })).body.Edges).toEqual([])
    expect(refusal(await tenant.post(queryPath, { Ids: ['x'] }))).toEqual(invalid('wrong-format /Ids/0'))
    expect(refusal(await tenant.post(queryPath, { Ids: [one], SearchTerm: 'a' }))).toEqual(
      invalid('not-in-search /Ids'),
    )
  })

  test('filters that a search does not support are refused', async () => {
    const search = { SearchTerm: 'byron', UpdatedTo: '2026-01-01T00:00:00Z' }
    expect(refusal(await tenant.get(list(subjectsPath, search)))).toEqual(invalid('not-in-search /query/UpdatedTo'))
    const wrong = { StructuralEntityKeys: 'a', Unplaced: 'true', UpdatedFrom: '2026', Include: 'Forms' }
    expect(refusal(await tenant.get(list(subjectsPath, wrong)))).toEqual(
      invalid('wrong-format /query/UpdatedFrom', 'unknown-value /query/Include/0'),
    )
    expect(refusal(await tenant.get(list(subjectsPath, { StructuralEntityKeys: 'a', Unplaced: 'true' })))).toEqual(
      invalid('unplaced-in-entities /query/Unplaced'),
    )
  })

  test('a bulk says of each subject whether it was created, also when it is repeated', async () => {
    const send = () =>
      tenant.post<{ outcome: string }[]>(bulkPath, [person('one'), person('five')], { 'idempotency-key': 'outcomes' })
    for (const { status, body } of [await send(), await send()]) {
      expect([status, body.map(({ outcome }) => outcome)]).toEqual([200, ['updated', 'created']])
    }
  })
})
