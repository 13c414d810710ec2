// When subjects and entities were written, and until when a page of a list by that time knows all writes.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { timeOf } from '../../db/clock.js'
import { transaction } from '../../db/errors.js'
import { upsertSubjects } from '../../db/frame/subjects/subjects.js'
import type { Tenant } from '../support/api.js'
import { addPerson, anEntity, openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { at, type EntityBody, list, type Page, paths } from '../support/frame.js'
import { mergesOf } from '../support/merges.js'
import { patch, person, queryPath, type SubjectBody, subjectsPath, texts } from '../support/subjects.js'

type Dated = { UpdatedAt: string }
type DatedPage = Page<SubjectBody & Dated> & { CompleteTo?: string }

const db = openDatabase()
afterAll(() => db.destroy())
let tenant: Tenant
let tenantId: number
beforeAll(async () => {
  tenant = await subjectTenant()
  tenantId = await tenantIdOf(db, tenant.tenantKey)
  await plantWards(tenant, 'a', 'b')
})

const inUtcWithMilliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('UpdatedAt', () => {
  const readAt = async (id: string) => (await tenant.get<Dated>(`${subjectsPath}/${id}`)).body.UpdatedAt

  test('of a subject is that of its row, by id, in lists and in queries', async () => {
    const id = await addPerson(tenant, 'row', {}, ['a'])
    const row = await db('subjects').where({ tenant_id: tenantId, id }).first('updated_at')
    const UpdatedAt = row?.updated_at.toISOString()
    expect(UpdatedAt).toMatch(inUtcWithMilliseconds)
    expect(await readAt(id)).toBe(UpdatedAt)
    const listed = await tenant.get<DatedPage>(list(subjectsPath, { Ids: id }))
    const queried = await tenant.post<DatedPage>(queryPath, { Ids: [id] })
    expect([listed, queried].map(({ body }) => body.Edges[0]?.Node.UpdatedAt)).toEqual([UpdatedAt, UpdatedAt])
  })

  test('in the answer to each write of a subject is the one that a read shows afterwards', async () => {
    const [id, other] = [await addPerson(tenant, 'written'), await addPerson(tenant, 'other', { familyName: 'King' })]
    const { merge, unmerge } = mergesOf(tenant)
    let before = await readAt(id)
    const writes: [string, string, () => Promise<{ status: number; body: unknown }>][] = [
      ['patch', id, () => patch(tenant, id, texts({ givenName: 'Augusta' }))],
      ['deactivate', id, () => tenant.post(`${subjectsPath}/${id}/deactivate`)],
      ['reactivate', id, () => tenant.post(`${subjectsPath}/${id}/reactivate`)],
      ['merge', id, () => merge(id, other, { PreferredFields: ['familyName'] })],
      ['unmerge', other, () => unmerge(other)],
    ]
    for (const [name, written, write] of writes) {
      const { status, body } = await write()
      const now = await readAt(written)
      expect([name, status, body]).toEqual([name, 200, expect.objectContaining({ UpdatedAt: now })])
      expect(now > before, name).toBe(true)
      before = now
    }
  })

  test('of an entity is in every answer, and may be sent back with it', async () => {
    const answers = [await tenant.put<Dated>(paths.entities, anEntity('dated'))]
    const read = await tenant.get<EntityBody & Dated>(at(paths.entities, 'dated'))
    const row = await db('structural_entities').where({ tenant_id: tenantId, entity_key: 'dated' }).first('updated_at')
    expect(read.body.UpdatedAt).toBe(row?.updated_at.toISOString())
    expect(answers[0]?.body.UpdatedAt).toBe(read.body.UpdatedAt)
    const listed = await tenant.get<DatedPage>(list(paths.entities, { SearchTerm: 'dated' }))
    expect(listed.body.Edges[0]?.Node.UpdatedAt).toBe(read.body.UpdatedAt)
    const again = await tenant.put<Dated>(paths.entities, read.body)
    expect(again.status).toBe(200)
    expect(again.body.UpdatedAt > read.body.UpdatedAt).toBe(true)
    const placed = await addPerson(tenant, 'placed', {}, ['a'])
    const ward = (await tenant.get<Dated>(at(paths.entities, 'a'))).body
    const { body } = await tenant.get<{ StructuralEntities: Dated[] }>(`${subjectsPath}/${placed}`)
    expect(body.StructuralEntities.map(({ UpdatedAt }) => UpdatedAt)).toEqual([ward.UpdatedAt])
  })
})

describe('CompleteTo', () => {
  const pageOf = async (query: Record<string, string>) =>
    (await tenant.get<DatedPage>(list(subjectsPath, { First: '1000', ...query }))).body
  const past = '2020-01-01T00:00:00Z'

  test('is only on pages that were asked with UpdatedFrom or UpdatedTo', async () => {
    for (const path of [subjectsPath, paths.entities]) {
      const bodyOf = async (query: object) => (await tenant.post<DatedPage>(`${path}/query`, query)).body
      expect(await bodyOf({})).not.toHaveProperty('CompleteTo')
      expect(await bodyOf({})).toEqual(await bodyOf({}))
      const before = (await timeOf(db)).getTime()
      const { CompleteTo = '' } = await bodyOf({ UpdatedFrom: past })
      expect(CompleteTo).toMatch(inUtcWithMilliseconds)
      expect(Date.parse(CompleteTo)).toBeGreaterThanOrEqual(before - 300_000)
      expect(Date.parse(CompleteTo)).toBeLessThanOrEqual((await timeOf(db)).getTime() - 300_000)
      expect(await bodyOf({ UpdatedTo: past })).toMatchObject({ CompleteTo: '2020-01-01T00:00:00.000Z' })
    }
  })

  test('a write under way that is committed after a page is on the next one from its CompleteTo', async () => {
    let [page, id] = [await pageOf({}), '']
    await transaction(db, 'unqueued', async trx => {
      const { planned } = await upsertSubjects(trx, tenantId, [person('under-way')], () => true)
      id = planned[0]?.id ?? ''
      // The page is read after the write has got its time, and before it is committed.
      await new Promise(resolve => setTimeout(resolve, 20))
      page = await pageOf({ UpdatedFrom: past })
    })
    expect(page.Edges.map(({ Node }) => Node.Id)).not.toContain(id)
    const next = await pageOf({ UpdatedFrom: page.CompleteTo ?? '' })
    expect(next.Edges.map(({ Node }) => Node.Id)).toContain(id)
  })

  test('holds because a transaction that takes more than four minutes is undone', async () => {
    const began = performance.now()
    let id = ''
    const slow = transaction(db, 'unqueued', async trx => {
      const { planned } = await upsertSubjects(trx, tenantId, [person('too-slow')], () => true)
      id = planned[0]?.id ?? ''
      vi.spyOn(performance, 'now').mockReturnValue(began + 245_000)
    })
    await expect(slow.finally(() => vi.restoreAllMocks())).rejects.toMatchObject({ code: 'unavailable' })
    expect(await db('subjects').where({ tenant_id: tenantId, id })).toEqual([])
  })
})
