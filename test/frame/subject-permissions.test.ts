// Subjects of tenants, and the permissions that they take.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Api, Problem, Reply, Tenant } from '../support/api.js'
import { addPerson, plantWards, subjectTenant } from '../support/factories.js'
import { list, type Page, refusal } from '../support/frame.js'
import { bulkPath, patch, peopleOf, person, readPerson, subjectsPath, texts, upsertPaths } from '../support/subjects.js'

/** Wards of the tenant; of `quiet` nobody is ever in ours. */
const wards = ['a', 'b', 'c', 'mine', 'quiet']
const all = [
  'List:Subject',
  'View:Subject',
  'Create:Subject',
  'Edit:Subject',
  'Create:SubjectLocation',
  'Delete:SubjectLocation',
]
const grants = [
  ...all.map(each => [each]),
  ...all.map(each => all.filter(other => other !== each)),
  ['Create:Subject', 'Edit:Subject'],
  ['Edit:Subject', 'Create:SubjectLocation'],
  ['Edit:Subject', 'Delete:SubjectLocation'],
  ['Edit:Subject', 'Create:SubjectLocation', 'Delete:SubjectLocation'],
]

let tenant: Tenant
let other: Tenant
const clients = new Map<string, Api>()
beforeAll(async () => {
  ;[tenant, other] = [await subjectTenant(), await subjectTenant()]
  await plantWards(tenant, ...wards)
  await plantWards(other, 'a', 'leaf', 'quiet')
  for (const [n, each] of (await tenant.clients(grants)).entries()) clients.set(grants[n]?.join() ?? '', each)
})

/** The client with these permissions alone. */
function client(...permissions: string[]): Api {
  const found = clients.get(permissions.join())
  if (!found) throw new Error(`No client for ${permissions}`)
  return found
}

describe('two tenants', () => {
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
        expect([200, 201]).toContain((await send()).status)
        expect(await readPerson(other, id)).toMatchObject({ email: 'theirs@example.org', places: ['a'] })
      }
    }
    expect((await peopleOf(tenant)).filter(each => each === 'same')).toEqual(['same'])
    const own = await addPerson(tenant, 'same')
    expect(own).not.toBe(id)
    expect((await patch(tenant, own, texts({ nationalId: 'same too' }))).status).toBe(200)
    expect((await patch(other, id, texts({ nationalId: 'same too' }))).status).toBe(200)
  })

  test('a subject that exists in another tenant is new here: it needs Create, and Edit is not enough', async () => {
    await addPerson(other, 'shared')
    const [creator, editor] = [client('Create:Subject'), client('Edit:Subject')]
    expect(refusal(await editor.post(subjectsPath, person('shared')))).toMatchObject({ status: 403 })
    expect(refusal(await editor.post(bulkPath, [person('shared')]))).toMatchObject({ status: 403 })
    expect((await creator.post(subjectsPath, person('shared'))).status).toBe(201)
  })

  test("lists, counts and filters know nothing of another tenant's subjects, though keys and values are the same", async () => {
    await addPerson(other, 'hidden', { email: 'x@example.org', languages: ['xx'] }, ['quiet'])
    for (const query of [
      { 'customFieldValueFilter.values[nationalId]': 'hidden' },
      { 'customFieldValueFilter.values[languages]': 'xx', 'customFieldValueFilter.match': 'ExactAny' },
      { StructuralEntityKeys: 'quiet' },
      { StructuralEntityKeys: 'quiet', 'customFieldValueFilter.values[email]': 'x@example.org' },
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
      key => tenant.post(subjectsPath, person('astray', {}, [key])),
      key => tenant.post(bulkPath, [person('astray', {}, ['a', key])]),
      key => tenant.get(list(subjectsPath, { StructuralEntityKeys: key })),
    ]
    for (const call of calls) {
      const foreign = await call('leaf')
      expect(foreign.status).toBe(400)
      expect(told(foreign, 'leaf')).toEqual(told(await call('nowhere'), 'nowhere'))
    }
    expect(await peopleOf(tenant)).not.toContain('astray')
  })

  test("a tenant's fields are its own", async () => {
    const plain = await subjectTenant({
      fields: [{ key: 'nationalId', name: 'Id', type: 'Text', required: true }],
      portal: {},
    })
    expect((await plain.post(subjectsPath, { CustomFieldValues: texts({ nationalId: '1' }) })).status).toBe(201)
    expect(refusal(await plain.post(subjectsPath, person('1'))).errors).toEqual([
      'unknown-custom-field /CustomFieldValues/0/Key',
      'unknown-custom-field /CustomFieldValues/1/Key',
    ])
    expect(
      refusal(await tenant.post(subjectsPath, { CustomFieldValues: texts({ nationalId: '1' }) })).errors,
    ).toHaveLength(2)
  })
})

describe('permissions', () => {
  let there: string
  beforeAll(async () => {
    there = await addPerson(tenant, 'there', {}, ['a'])
  })

  const places = `/api/v1/subject/THERE/structuralEntities`
  const endpoints: [string, string, (client: Api) => ReturnType<Api['get']>][] = [
    ['List:Subject', 'the list', client => client.get(subjectsPath)],
    ['View:Subject', 'one subject', client => client.get(`${subjectsPath}/${there}`)],
    ['Edit:Subject', 'PATCH', client => patch(client, there, texts({ email: 'x' }))],
    ['Create:SubjectLocation', 'PUT of places', client => client.put(places.replace('THERE', there), { keys: ['b'] })],
    ['Delete:SubjectLocation', 'DELETE of places', client => client.delete(`${places.replace('THERE', there)}?keys=b`)],
  ]
  test.each(endpoints)('%s is necessary and sufficient for %s', async (permission, _, call) => {
    const before = await readPerson(tenant, there)
    const answer = await call(client(...all.filter(other => other !== permission)))
    expect(refusal(answer)).toEqual({ status: 403, code: 'forbidden', errors: [] })
    expect(answer.body).toMatchObject({ detail: `The caller needs the permission ${permission}.` })
    expect(await readPerson(tenant, there)).toEqual(before)
    expect((await call(client(permission))).status).toBeLessThan(300)
  })

  /** A single item is refused as one of a batch is, but for its place in the batch. */
  const missing = (...names: string[]) => ({ status: 403, code: 'forbidden', errors: names })
  const details = (body: unknown) =>
    (body as { errors: { detail: string }[] }).errors.map(({ detail }) => detail.split(' ')[0])

  describe('a single upsert', () => {
    const rules: [string, string[], string[], () => object, string[]][] = [
      ['of one who is new', ['Create:Subject'], ['Edit:Subject'], () => person('new'), ['Create:Subject']],
      [
        'of one who is new, with places',
        ['Create:Subject'],
        ['Edit:Subject'],
        () => person('placed', {}, ['a']),
        ['Create:Subject'],
      ],
      [
        'of one who exists',
        ['Edit:Subject'],
        ['Create:Subject'],
        () => person('there', { givenName: 'New' }),
        ['Edit:Subject'],
      ],
      [
        'of one who exists, with places',
        ['Edit:Subject', 'Create:SubjectLocation', 'Delete:SubjectLocation'],
        ['Create:Subject'],
        () => person('there', { givenName: 'New' }, ['b']),
        ['Edit:Subject', 'Create:SubjectLocation', 'Delete:SubjectLocation'],
      ],
      [
        'of one who exists, with places, without Delete:SubjectLocation',
        ['Edit:Subject', 'Create:SubjectLocation', 'Delete:SubjectLocation'],
        ['Edit:Subject', 'Create:SubjectLocation'],
        () => person('there', { givenName: 'New' }, ['a', 'b']),
        ['Delete:SubjectLocation'],
      ],
      [
        'of one who exists, with an empty list of places, without Create:SubjectLocation',
        ['Edit:Subject', 'Create:SubjectLocation', 'Delete:SubjectLocation'],
        ['Edit:Subject', 'Delete:SubjectLocation'],
        () => person('there', { givenName: 'New' }, []),
        ['Create:SubjectLocation'],
      ],
    ]
    test.each(rules)('%s needs %j', async (_, enough, tooFew, body, lacks) => {
      await tenant.post(subjectsPath, person('there', {}, ['a']))
      const [before, people] = [await readPerson(tenant, there), await peopleOf(tenant)]
      const answer = await client(...tooFew).post(subjectsPath, body())
      expect(refusal(answer)).toEqual(missing(...lacks.map(() => 'missing-permission')))
      expect(details(answer.body)).toEqual(lacks)
      expect([await readPerson(tenant, there), await peopleOf(tenant)]).toEqual([before, people])
      expect((await client(...enough).post(subjectsPath, body())).status).toBe(
        enough[0] === 'Create:Subject' ? 201 : 200,
      )
    })
  })

  describe('a bulk', () => {
    const batch = () => [
      person('fresh'),
      person('there', { givenName: 'New' }),
      person('placed too', {}, ['a']),
      person('there too', {}, ['b']),
    ]

    test.each([
      [
        ['Edit:Subject', 'Create:SubjectLocation', 'Delete:SubjectLocation'],
        ['0 Create:Subject', '2 Create:Subject'],
      ],
      [
        ['Create:Subject'],
        ['1 Edit:Subject', '3 Edit:Subject', '3 Create:SubjectLocation', '3 Delete:SubjectLocation'],
      ],
      [
        ['Create:Subject', 'Edit:Subject'],
        ['3 Create:SubjectLocation', '3 Delete:SubjectLocation'],
      ],
      [all.filter(each => each !== 'Delete:SubjectLocation'), ['3 Delete:SubjectLocation']],
      [all.filter(each => each !== 'Create:SubjectLocation'), ['3 Create:SubjectLocation']],
    ])('with %j names each item and what it lacks, and nothing is written', async (permissions, lacks) => {
      await tenant.post(subjectsPath, person('there', {}, ['a']))
      const other = await addPerson(tenant, 'there too', {}, ['a'])
      const answer = await client(...permissions).post(bulkPath, batch())
      expect(refusal(answer)).toEqual(missing(...lacks.map(each => `missing-permission /${each[0]} #${each[0]}`)))
      expect(details(answer.body)).toEqual(lacks.map(each => each.slice(2)))
      expect(await readPerson(tenant, there)).toMatchObject({ givenName: 'Ada', places: ['a'] })
      expect(await readPerson(tenant, other)).toMatchObject({ places: ['a'] })
      for (const id of ['fresh', 'placed too']) expect(await peopleOf(tenant)).not.toContain(id)
    })

    test('reports missing permissions before other faults, but after those of the schema', async () => {
      const creator = client('Create:Subject')
      const sound = [person('there', {}, ['nowhere'])]
      expect(refusal(await creator.post(bulkPath, sound))).toMatchObject({ status: 403 })
      const broken = [...sound, { CustomFieldValues: 7 }]
      expect(refusal(await creator.post(bulkPath, broken))).toEqual({
        status: 400,
        code: 'validation',
        errors: ['wrong-type /1/CustomFieldValues #1'],
      })
    })
  })

  test('is refused to a client that may neither create nor edit, whatever else it may', async () => {
    const reader = client('List:Subject')
    for (const [path, body] of [
      [subjectsPath, person('x')],
      [bulkPath, [person('x')]],
    ] as const) {
      const answer = await reader.post(path, body)
      expect(answer.body).toMatchObject({
        status: 403,
        detail: 'The caller needs the permission Create:Subject or Edit:Subject.',
      })
    }
    expect(await peopleOf(tenant)).not.toContain('x')
  })
})
