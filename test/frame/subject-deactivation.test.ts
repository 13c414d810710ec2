// Deactivation of subjects.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { addPerson, plantWards, subjectTenant } from '../support/factories.js'
import { list, type Page, refusal } from '../support/frame.js'
import { imported } from '../support/imports.js'
import {
  bulkPath,
  patch,
  peopleOf,
  person,
  queryPath,
  readPerson,
  type SubjectBody,
  subjectsPath,
  texts,
} from '../support/subjects.js'

type Body = SubjectBody & { DeactivatedAt?: string }

let tenant: Tenant
let leaver: string
beforeAll(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, 'a', 'b')
  await addPerson(tenant, 'stays', { email: 'same' }, ['a', 'b'])
  leaver = await addPerson(tenant, 'leaves', { email: 'same' }, ['a'])
  await addPerson(tenant, 'unplaced', { email: 'other' })
  await act('deactivate', leaver)
})

const act = (action: 'deactivate' | 'reactivate', id: string, by: Pick<Tenant, 'post'> = tenant) =>
  by.post<Body>(`${subjectsPath}/${id}/${action}`)

/** Runs one write and returns its changes in the feed, which are the last there are. */
async function changesOf(work: () => Promise<unknown>): Promise<string[]> {
  const feed = (query: Record<string, string>) =>
    tenant.get<Page<{ Change: string }>>(list(`${subjectsPath}/changes`, query))
  const { body } = await feed({ FromNow: 'true' })
  await work()
  const { body: after } = await feed({ After: body.PageInfo.EndCursor, First: '100' })
  return after.Edges.map(({ Node }) => Node.Change)
}

describe('a deactivated subject', () => {
  const lists: [string, Record<string, string>, string[]][] = [
    ['all', {}, ['stays', 'unplaced']],
    ['all by their last write', { OrderBy: 'UpdatedAt' }, ['stays', 'unplaced']],
    ['an entity', { StructuralEntityKeys: 'a' }, ['stays']],
    ['an entity with all below', { StructuralEntityKeys: 'a', IncludeDescendants: 'true' }, ['stays']],
    ['a value', { 'customFieldValueFilter.values[email]': 'same' }, ['stays']],
    ['a value in an entity', { StructuralEntityKeys: 'a', 'customFieldValueFilter.values[email]': 'same' }, ['stays']],
    ['a search', { SearchTerm: 'byron same' }, ['stays']],
    ['a search in an entity', { SearchTerm: 'byron', StructuralEntityKeys: 'a' }, ['stays']],
    ['those written since', { UpdatedFrom: '2020-01-01T00:00:00Z' }, ['stays', 'unplaced']],
  ]
  test.each(lists)('is not in the list of %s, nor in its count, unless it is asked for', async (_, query, active) => {
    const total = async (more: Record<string, string>) => {
      const { body } = await tenant.get<Page<Body>>(list(subjectsPath, { ...query, ...more, First: '1' }))
      return body.PageInfo.TotalCount
    }
    expect((await peopleOf(tenant, query)).sort()).toEqual(active)
    expect(await total({})).toBe(active.length)
    const all = { IncludeDeactivated: 'true' }
    expect((await peopleOf(tenant, { ...query, ...all })).sort()).toEqual(['leaves', ...active])
    expect(await total(all)).toBe(active.length + 1)
  })

  test('is not in a list of many entities, which is read by another index', async () => {
    const keys = Array.from({ length: 60 }, (_, n) => `many${n}`)
    await plantWards(tenant, ...keys)
    await tenant.put(`/api/v1/subject/${leaver}/structuralEntities`, { keys })
    const { body } = await tenant.post<Page<Body>>(queryPath, { StructuralEntityKeys: [...keys, 'b'] })
    expect([body.Edges.length, body.PageInfo.TotalCount]).toEqual([1, 1])
    await tenant.delete(`/api/v1/subject/${leaver}/structuralEntities?${keys.map(key => `keys=${key}`).join('&')}`)
  })

  test('is skipped by the pages of a list', async () => {
    const { body: first } = await tenant.get<Page<Body>>(list(subjectsPath, { First: '1' }))
    expect(first.PageInfo).toMatchObject({ HasNextPage: true })
    const { body } = await tenant.get<Page<Body>>(list(subjectsPath, { First: '1', After: first.PageInfo.EndCursor }))
    expect(body.PageInfo).toMatchObject({ HasNextPage: false, HasPreviousPage: true })
    expect(body.Edges.map(({ Node }) => Node.Id)).not.toContain(leaver)
  })

  test('keeps values and places, and says since when it is deactivated', async () => {
    expect(await readPerson(tenant, leaver)).toMatchObject({ nationalId: 'leaves', places: ['a'] })
    const { body } = await tenant.get<Body>(`${subjectsPath}/${leaver}`)
    expect(Date.now() - Date.parse(body.DeactivatedAt ?? '')).toBeLessThan(60_000)
    const { body: page } = await tenant.get<Page<Body>>(list(subjectsPath, { IncludeDeactivated: 'true' }))
    expect(page.Edges.find(({ Node }) => Node.Id === leaver)?.Node.DeactivatedAt).toBe(body.DeactivatedAt)
  })

  test('stays deactivated since the same moment when it is deactivated again or patched', async () => {
    const { DeactivatedAt } = (await tenant.get<Body>(`${subjectsPath}/${leaver}`)).body
    expect(await changesOf(() => act('deactivate', leaver))).toEqual([])
    expect(await changesOf(() => patch(tenant, leaver, texts({ familyName: 'Other' })))).toEqual(['updated'])
    expect((await tenant.get<Body>(`${subjectsPath}/${leaver}`)).body).toMatchObject({ DeactivatedAt })
    expect(await peopleOf(tenant)).not.toContain('leaves')
  })
})

describe('reactivation', () => {
  const csv = 'nationalId,givenName,familyName\nback,Ada,Byron\n'
  const ways: [string, (id: string) => Promise<unknown>, string[]][] = [
    ['a call', id => act('reactivate', id), ['reactivated']],
    ['an upsert that changes nothing else', () => tenant.post(subjectsPath, person('back')), ['reactivated']],
    ['an upsert', () => tenant.post(subjectsPath, person('back', { email: 'x' })), ['reactivated', 'updated']],
    ['a bulk', () => tenant.post(bulkPath, [person('back')]), ['reactivated']],
    ['an import of an equal row', () => imported(tenant, csv), ['reactivated']],
  ]
  test.each(ways)('comes by %s', async (_, way, changes) => {
    const id = await addPerson(tenant, 'back')
    expect(await changesOf(() => act('deactivate', id))).toEqual(['deactivated'])
    expect(await changesOf(() => way(id))).toEqual(changes)
    expect(await peopleOf(tenant)).toContain('back')
    expect((await tenant.get<Body>(`${subjectsPath}/${id}`)).body).not.toHaveProperty('DeactivatedAt')
  })

  test('of an active subject changes nothing', async () => {
    const id = await addPerson(tenant, 'active')
    expect(await changesOf(() => act('reactivate', id))).toEqual([])
  })

  test('needs Edit:Subject, as deactivation does; another tenant has no such subject', async () => {
    const [reader] = await tenant.clients([['View:Subject', 'Create:Subject', 'Delete:Subject']])
    const stranger = await subjectTenant()
    for (const action of ['deactivate', 'reactivate'] as const) {
      expect(refusal(await act(action, leaver, reader))).toMatchObject({ status: 403, code: 'forbidden' })
      expect(refusal(await act(action, leaver, stranger))).toMatchObject({ status: 404 })
    }
  })
})
