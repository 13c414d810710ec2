// Bulks whose hierarchy changes after the plan.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { chunkItems } from '../../db/jobs/chunks.js'
import { admin, api, type Problem, tokenOf } from '../support/api.js'
import { addPerson, anEntity, openDatabase, plantWards, subjectTenant, tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended, type JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { hierarchyModel, place, placeType } from '../support/hierarchy-model.js'
import { holdHierarchy } from '../support/jobs.js'

const db = openDatabase()

const numbered = (count: number, prefix: string, parent: string) =>
  Array.from({ length: count }, (_, n) => place(`${prefix}${10_000 + n}`, parent))

test.each([
  ['the first', 'near'],
  ['a later', 'far'],
])(
  'a parent that is deleted after planning fails the job at %s chunk that needs it, with its items named; a retry goes on there',
  async (_, gone) => {
    const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
    const there = [place('top'), place('near', 'top'), place('far', 'near'), place('aside')]
    expect((await tenant.put('/api/v1/structuralEntity/bulk', there)).status).toBe(204)
    if (gone === 'near') await tenant.delete('/api/v1/structuralEntity/far')
    model.apply(gone === 'near' ? there.filter(item => item.Key !== 'far') : there)

    // 200 more of depth 3 than the first chunk takes come first; those of depth 4 are in the second.
    const wide = numbered(chunkItems + 200, 'w', gone === 'near' ? 'top' : 'near')
    const deep = numbered(300, 'x', gone)
    const written = wide.slice(0, chunkItems)
    const total = chunkItems + 500
    const batch = [...deep, ...wide]
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const { jobId, links } = await acceptBulk(tenant, batch)
    await hierarchy.remove(gone)
    await hierarchy.release()

    const failed = await ended(tenant, jobId)
    expect(failed).toMatchObject({
      status: 'Failed',
      progress: { done: chunkItems, total },
      counts: { created: chunkItems },
      problem: { type: '/problems/validation', status: 400, detail: expect.stringContaining('300 faults') },
    })
    expect(failed.problem?.errors).toHaveLength(300)
    expect(failed.problem?.errors?.[0]).toEqual({
      pointer: '/0/ParentKey',
      code: 'unknown-parent',
      detail: `There is no structural entity '${gone}', neither in the hierarchy nor among the items.`,
      index: 0,
      key: deep[0]?.Key,
    })
    const without = [...model.places.values()].filter(item => item.Key !== gone)
    const now = hierarchyModel()
    now.apply([...without, ...written])
    expect(await now.differences(db, tenant.tenantKey)).toEqual([])

    // Somebody puts the parent back, and the job is told to go on.
    const back = there.filter(item => item.Key === gone)
    expect((await tenant.put('/api/v1/structuralEntity/bulk', back)).status).toBe(204)
    expect((await tenant.post<JobBody>(`${links.self}/retry`)).status).toBe(202)
    const completed = await ended(tenant, jobId)
    expect(completed).toMatchObject({ status: 'Completed', progress: { done: total }, counts: { created: total } })
    expect(completed).not.toHaveProperty('problem')
    model.apply(batch)
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  },
)

test('a caller who waits for such a job gets its problem, and so does who repeats the request with the same key', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  await tenant.put('/api/v1/structuralEntity', place('parent'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const batch = [...numbered(25, 'c', 'parent'), ...Array.from({ length: 1_000 }, (_, n) => place(`r${n}`))]
  const put = () => tenant.put<Problem>('/api/v1/structuralEntity/bulk', batch, { 'idempotency-key': 'k' })
  const waiting = put()
  for (let accepted = 0; accepted === 0; ) {
    accepted = (await tenant.get<Page<JobBody>>('/api/v1/jobs')).body.PageInfo.TotalCount
  }
  await hierarchy.remove('parent')
  await hierarchy.release()
  const answer = await waiting
  expect(answer).toMatchObject({ status: 400, body: { type: '/problems/validation', status: 400 } })
  expect(answer.body.errors).toHaveLength(25)
  expect(answer.headers.get('location')).toMatch(/^\/api\/v1\/jobs\//)
  const repeated = await put()
  expect(repeated).toMatchObject({ status: 400, body: { errors: answer.body.errors } })
  expect(repeated.headers.get('location')).toBe(answer.headers.get('location'))
})

test("a subject that is assigned after planning keeps its place, and a bulk that would turn that place's type into one without subjects fails", async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'ward')
  const person = await addPerson(tenant, '1')
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, [anEntity('ward', { StructureTypeKey: 'closed' })])
  const assigned = await tenant.put(`/api/v1/subject/${person}/structuralEntities`, { keys: ['ward'] })
  expect(assigned.status).toBe(204)
  await hierarchy.release()
  expect(await ended(tenant, jobId)).toMatchObject({
    status: 'Failed',
    problem: { status: 409, type: '/problems/subjects-assigned' },
  })
  const { body } = await tenant.get<{ StructureType: { Key: string } }>('/api/v1/structuralEntity/ward')
  expect(body.StructureType.Key).toBe('unit')
})

test('an item that somebody else creates after planning is counted as updated', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const batch = [place('root'), ...numbered(29, 'c', 'root')]
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, batch)
  await hierarchy.create('root', 'place')
  await hierarchy.release()
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 29, updated: 1 } })
  model.apply(batch)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

test.concurrent('a bulk stays exact while others move its parents, create its items and delete entities', async () => {
  const { tenant, model } = await tenantWithPlaces(inject('baseUrl'))
  const there = [
    place('top'),
    place('deep', 'top'),
    place('deeper', 'deep'),
    place('hub', 'top'),
    place('inner', 'hub'),
  ]
  expect((await tenant.put('/api/v1/structuralEntity/bulk', there)).status).toBe(204)
  model.apply(there)
  const wide = Array.from({ length: 2_400 }, (_, n) => place(`w${10_000 + n}`, n % 2 === 0 ? 'hub' : 'inner', n % 90))
  const leaves = wide.slice(0, 600).map(item => place(`leaf-${item.Key}`, item.Key))
  const batch = [...leaves, ...wide]

  // Others: the hub goes up and down with all that hangs below it, places come and go, one of the batch's own is made early.
  const write = async (item: ReturnType<typeof place>) => {
    const { status } = await tenant.put('/api/v1/structuralEntity', item)
    expect([200, 201]).toContain(status)
  }
  let isOver = false
  const others = async () => {
    for (let n = 0; !isOver; n++) {
      await write(place('hub', n % 2 === 0 ? 'deeper' : undefined))
      await write(place(`others-${n}`, 'hub'))
      expect((await tenant.delete(`/api/v1/structuralEntity/others-${n}`)).status).toBe(204)
    }
  }
  // The job is accepted first and cannot begin, so the others' first move has its turn among the job's chunks.
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, batch)
  const moving = others()
  await hierarchy.release()
  const job = ended(tenant, jobId).finally(() => {
    isOver = true
  })
  const [{ status, counts }] = await Promise.all([job, moving])
  expect({ status, counts }).toMatchObject({ status: 'Completed', counts: { created: 3_000 } })
  const last = [place('hub', 'deep'), place('inner', 'hub')]
  for (const item of last) await write(item)
  model.apply(batch)
  model.apply(last)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

// It waits for seconds: another test runs meanwhile.
test.concurrent('a permission that is revoked after acceptance is missing for chunks that are planned again', async () => {
  const tenantKey = `t-${randomBytes(6).toString('hex')}`
  const platform = await admin(inject('baseUrl'))
  const secret = randomBytes(16).toString('hex')
  const apply = (permissions: string[]) =>
    platform.put(`/admin/v1/tenants/${tenantKey}`, {
      name: tenantKey,
      clients: [{ id: `${tenantKey}-c`, secret, scopes: ['FrameApi'], permissions }],
      limits: {},
    })
  await apply(['*'])
  const token = await tokenOf(inject('baseUrl'), { id: `${tenantKey}-c`, secret, tenantKey, scope: 'FrameApi' })
  const client = api(inject('baseUrl'), token)
  await client.put('/api/v1/structureType', placeType)
  await client.put('/api/v1/structuralEntity/bulk', [place('root'), place('other', 'root')])

  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenantKey)
  const { jobId } = await acceptBulk(client, numbered(chunkItems + 100, 'c', 'root'))
  await hierarchy.remove('other')
  expect((await apply(['View:Job'])).status).toBe(200)
  // Grants are remembered for 3 s; after that the revocation is known everywhere.
  await sleep(3_500)
  await hierarchy.release()
  const failed = await ended(client, jobId)
  expect(failed).toMatchObject({
    status: 'Failed',
    problem: { type: '/problems/forbidden', status: 403, detail: expect.stringContaining('Create:StructuralEntity') },
  })
  expect(failed.progress.done, 'the chunk that waited for the lock had asked before').toBeLessThanOrEqual(chunkItems)
  const rows = await db('structural_entities as e')
    .join('tenants as t', 't.id', 'e.tenant_id')
    .where('t.tenant_key', tenantKey)
  expect(rows).toHaveLength(1 + failed.progress.done)
})
