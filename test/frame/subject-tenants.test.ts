import { beforeAll, expect, test } from 'vitest'
import type { Problem, Reply, Tenant } from '../support/api.js'
import { list, type Page, refusal } from '../support/frame.js'
import {
  addPerson,
  bulkPath,
  patch,
  peopleOf,
  person,
  plantWards,
  readPerson,
  subjectsPath,
  subjectTenant,
  texts,
  upsertPaths,
} from '../support/subjects.js'

let tenant: Tenant
let other: Tenant
beforeAll(async () => {
  ;[tenant, other] = [await subjectTenant(), await subjectTenant()]
  await plantWards(tenant, 'a', 'mine')
  await plantWards(other, 'a', 'leaf')
})

/** An answer without what differs in every answer, and with the id or key that was asked for put out of sight. */
const told = ({ status, body }: Reply, key: string) => {
  const { traceId: _, ...problem } = body as Problem
  return [status, JSON.stringify(problem).replaceAll(key, '…')]
}

test("another tenant's subject answers, letter for letter, what one that does not exist answers", async () => {
  const id = await addPerson(other, 'theirs', {}, ['a'])
  const nobody = crypto.randomUUID()
  const calls: ((id: string) => Promise<Reply>)[] = [
    id => tenant.get(`${subjectsPath}/${id}`),
    id => patch(tenant, id, texts({ givenName: 'Stolen' })),
    id => patch(tenant, id, texts({ colour: 'red' })),
    id => tenant.put(`/api/v1/subject/${id}/structuralEntities`, { keys: ['a'] }),
    id => tenant.delete(`/api/v1/subject/${id}/structuralEntities?keys=a`),
  ]
  const before = await readPerson(other, id)
  for (const call of calls) {
    const foreign = await call(id)
    expect(foreign.status).toBe(404)
    expect(told(foreign, id)).toEqual(told(await call(nobody), nobody))
  }
  expect(await readPerson(other, id)).toEqual(before)
})

test('the same person is another subject in each tenant, and what happens to one leaves the other alone', async () => {
  const id = await addPerson(other, 'same', { email: 'theirs@example.org' }, ['a'])
  for (const path of upsertPaths) {
    for (const send of [
      () => tenant.post(path, person('same', { email: 'ours@example.org' }, ['mine'])),
      () => tenant.post(`${path}/bulk`, [person('same', { email: 'ours@example.org' }, ['mine'])]),
    ]) {
      expect((await send()).status).toBe(200)
      expect(await readPerson(other, id)).toMatchObject({ email: 'theirs@example.org', places: ['a'] })
    }
  }
  expect((await peopleOf(tenant)).filter(each => each === 'same')).toEqual(['same'])
  const own = await addPerson(tenant, 'same')
  expect(own).not.toBe(id)
  expect((await patch(tenant, own, texts({ nationalId: 'same too' }))).status).toBe(200)
  expect((await patch(other, id, texts({ nationalId: 'same too' }))).status).toBe(200)
})

test('what exists in another tenant is new here: Create is what it takes, and Edit is not enough', async () => {
  await addPerson(other, 'shared')
  const [creator, editor] = await tenant.clients([['Create:Subject'], ['Edit:Subject']])
  expect(refusal((await editor?.post(subjectsPath, person('shared'))) as Reply)).toMatchObject({ status: 403 })
  expect(refusal((await editor?.post(bulkPath, [person('shared')])) as Reply)).toMatchObject({ status: 403 })
  expect((await creator?.post(subjectsPath, person('shared')))?.status).toBe(200)
})

test("lists, counts and filters know nothing of another tenant's subjects, though keys and values are the same", async () => {
  await addPerson(other, 'hidden', { email: 'x@example.org', languages: ['xx'] }, ['a'])
  for (const query of [
    { 'customFieldValueFilter.values[nationalId]': 'hidden' },
    { 'customFieldValueFilter.values[languages]': 'xx', 'customFieldValueFilter.match': 'ExactAny' },
    { StructuralEntityKeys: 'a' },
    { StructuralEntityKeys: 'a', 'customFieldValueFilter.values[email]': 'x@example.org' },
  ]) {
    expect((await tenant.get<Page<object>>(list(subjectsPath, query))).body).toMatchObject({
      PageInfo: { TotalCount: 0 },
      Edges: [],
    })
    expect((await other.get<Page<object>>(list(subjectsPath, query))).body.Edges.length).toBeGreaterThan(0)
  }
  expect(await peopleOf(tenant)).not.toContain('hidden')
})

test("another tenant's entities are as unknown as any other, in an upsert, a bulk and a filter", async () => {
  const calls: ((key: string) => Promise<Reply>)[] = [
    key => tenant.post(subjectsPath, person('placed', {}, [key])),
    key => tenant.post(bulkPath, [person('placed', {}, ['a', key])]),
    key => tenant.get(list(subjectsPath, { StructuralEntityKeys: key })),
  ]
  for (const call of calls) {
    const foreign = await call('leaf')
    expect(foreign.status).toBe(400)
    expect(told(foreign, 'leaf')).toEqual(told(await call('nowhere'), 'nowhere'))
  }
  expect(await peopleOf(tenant)).not.toContain('placed')
})

test("a tenant's fields are its own", async () => {
  const plain = await subjectTenant({
    fields: [{ key: 'nationalId', name: 'Id', type: 'Text', required: true }],
    portal: {},
  })
  expect((await plain.post(subjectsPath, { CustomFieldValues: texts({ nationalId: '1' }) })).status).toBe(200)
  expect(refusal(await plain.post(subjectsPath, person('1'))).errors).toEqual([
    'unknown-custom-field /CustomFieldValues/0/Key',
    'unknown-custom-field /CustomFieldValues/1/Key',
  ])
  expect(
    refusal(await tenant.post(subjectsPath, { CustomFieldValues: texts({ nationalId: '1' }) })).errors,
  ).toHaveLength(2)
})
