import { beforeAll, describe, expect, test } from 'vitest'
import type { Api, Tenant } from '../support/api.js'
import { refusal } from '../support/frame.js'
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
} from '../support/subjects.js'

const all = [
  'List:Subject',
  'View:Subject',
  'Create:Subject',
  'Edit:Subject',
  'Create:SubjectLocation',
  'Delete:SubjectLocation',
]

let tenant: Tenant
let there: string
const clients = new Map<string, Api>()
/** The client with these permissions alone. */
function client(...permissions: string[]): Api {
  const found = clients.get(permissions.join())
  if (!found) throw new Error(`No client for ${permissions}`)
  return found
}
const grants = [
  ...all.map(each => [each]),
  ...all.map(each => all.filter(other => other !== each)),
  ['Create:Subject', 'Edit:Subject'],
  ['Edit:Subject', 'Create:SubjectLocation'],
  ['Edit:Subject', 'Delete:SubjectLocation'],
  ['Edit:Subject', 'Create:SubjectLocation', 'Delete:SubjectLocation'],
]
beforeAll(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, 'a', 'b')
  there = await addPerson(tenant, 'there', {}, ['a'])
  for (const [n, each] of (await tenant.clients(grants)).entries()) clients.set(grants[n]?.join() ?? '', each)
})

const places = `/api/v1/subject/THERE/structuralEntities`
const endpoints: [string, string, (client: Api) => ReturnType<Api['get']>][] = [
  ['List:Subject', 'the list', client => client.get(subjectsPath)],
  ['View:Subject', 'one subject', client => client.get(`${subjectsPath}/${there}`)],
  ['Edit:Subject', 'PATCH', client => patch(client, there, texts({ email: 'x' }))],
  ['Create:SubjectLocation', 'PUT of places', client => client.put(places.replace('THERE', there), { keys: ['b'] })],
  ['Delete:SubjectLocation', 'DELETE of places', client => client.delete(`${places.replace('THERE', there)}?keys=b`)],
]
test.each(endpoints)('%s is what %s needs, and all it needs', async (permission, _, call) => {
  const before = await readPerson(tenant, there)
  const answer = await call(client(...all.filter(other => other !== permission)))
  expect(refusal(answer)).toEqual({ status: 403, code: 'forbidden', errors: [] })
  expect(answer.body).toMatchObject({ detail: `The client needs the permission ${permission}.` })
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
    expect((await client(...enough).post(subjectsPath, body())).status).toBe(200)
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
    [['Create:Subject'], ['1 Edit:Subject', '3 Edit:Subject', '3 Create:SubjectLocation', '3 Delete:SubjectLocation']],
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

  test('is told of missing permissions before other faults, but of those of the schema first', async () => {
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

test('who may neither create nor edit does not come in, whatever else it may', async () => {
  const reader = client('List:Subject')
  for (const [path, body] of [
    [subjectsPath, person('x')],
    [bulkPath, [person('x')]],
  ] as const) {
    const answer = await reader.post(path, body)
    expect(answer.body).toMatchObject({
      status: 403,
      detail: 'The client needs the permission Create:Subject or Edit:Subject.',
    })
  }
  expect(await peopleOf(tenant)).not.toContain('x')
})
