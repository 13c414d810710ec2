import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Tenant } from '../support/api.js'
import { invalid, type Page, refusal } from '../support/frame.js'
import { demoSubjects } from '../support/manifest.js'
import {
  addPerson,
  patch,
  peopleOf,
  person,
  plantWards,
  readPerson,
  type SubjectBody,
  subjectsPath,
  subjectTenant,
  texts,
  upsertPaths,
  value,
  type WrittenSubject,
} from '../support/subjects.js'

let tenant: Tenant
beforeAll(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, 'a', 'b', 'c')
})

const guid = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)

const full = (nationalId: string) => [
  ...texts({ givenName: 'Ada', familyName: 'Byron', nationalId, languages: ['en', 'fr'], phone: '+44 20 1234' }),
  value('dateOfBirth', 'Date', '1815-12-10'),
  value('keyWorker', 'UserIdentifier', 'kim.worker'),
  value('consent', 'Boolean', true),
  value('weight', 'Integer', 72),
]
/** What is read: type and text of each value, in the order of the fields. */
const held: Record<string, [string, string] | [string, string][]> = {
  givenName: ['String', 'Ada'],
  familyName: ['String', 'Byron'],
  nationalId: ['String', '…'],
  dateOfBirth: ['Date', '1815-12-10'],
  phone: ['String', '+44 20 1234'],
  languages: [
    ['String', 'en'],
    ['String', 'fr'],
  ],
  keyWorker: ['UserIdentifier', 'kim.worker'],
  consent: ['Boolean', 'true'],
  weight: ['Integer', '72'],
}
const isOne = (each: [string, string] | [string, string][]): each is [string, string] => typeof each[0] === 'string'

function read(nationalId: string) {
  const present = ([DataType, ValueText]: [string, string]) => ({
    DataType,
    ValueText: ValueText.replace('…', nationalId),
  })
  return demoSubjects.fields.flatMap(({ key, name, type, required, isArray }) => {
    const given = held[key]
    if (!given) return []
    const Value = isOne(given) ? present(given) : given.map(present)
    return [{ Field: { Key: key, Name: name, Type: type, Required: required, IsArray: isArray }, Value }]
  })
}

function written(nationalId: string) {
  const json: Record<string, unknown> = { true: true, 72: 72 }
  const present = ([dataType, text]: [string, string]) => {
    const valueText = text.replace('…', nationalId)
    return { $type: dataType, dataType, value: json[valueText] ?? valueText, valueText }
  }
  return demoSubjects.fields.flatMap(({ key }) => {
    const given = held[key]
    if (!given) return []
    return [{ customField: { id: key }, value: isOne(given) ? present(given) : given.map(present) }]
  })
}

describe.each(upsertPaths)('POST %s', path => {
  const id = path.length.toString()

  test('creates, then updates, the one that the matching field names: 200 and the upsert shape, all in camel', async () => {
    const first = await tenant.post<WrittenSubject>(path, { CustomFieldValues: full(id) })
    expect([first.status, first.body]).toEqual([
      200,
      { internalId: guid, externalId: guid, customFieldValues: written(id) },
    ])
    expect(first.body.externalId).not.toBe(first.body.internalId)
    const again = await tenant.post(path, { CustomFieldValues: full(id) })
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await peopleOf(tenant)).filter(each => each === id)).toEqual([id])
  })

  test('of one who exists: all but the matching field is optional, and what is not given stays', async () => {
    const before = await addPerson(tenant, `stays ${id}`, { email: 'ada@example.org', languages: ['en'] }, ['b', 'a'])
    const update = { CustomFieldValues: texts({ nationalId: `stays ${id}`, familyName: 'King' }) }
    const { status, body } = await tenant.post<WrittenSubject>(path, update)
    expect([status, body.internalId]).toEqual([200, before])
    expect(await readPerson(tenant, before)).toEqual({
      ...{ givenName: 'Ada', familyName: 'King', nationalId: `stays ${id}`, email: 'ada@example.org' },
      ...{ languages: ['en'], places: ['a', 'b'] },
    })
  })

  test('of one who is new: every required field must be there, and each that is not is named', async () => {
    const answer = await tenant.post(path, { CustomFieldValues: texts({ nationalId: `new ${id}`, email: 'x' }) })
    expect(refusal(answer)).toEqual(
      invalid('required-custom-field /CustomFieldValues', 'required-custom-field /CustomFieldValues'),
    )
    expect(answer.body).toMatchObject({
      errors: [{ detail: expect.stringContaining("'givenName'") }, { detail: expect.stringContaining("'familyName'") }],
    })
    expect(await peopleOf(tenant)).not.toContain(`new ${id}`)
  })

  test('without the matching field is refused, whoever else it may fit', async () => {
    const before = await peopleOf(tenant)
    const answer = await tenant.post(path, { CustomFieldValues: texts({ givenName: 'Ada', familyName: 'Byron' }) })
    expect(refusal(answer)).toEqual(invalid('required-matching-field /CustomFieldValues'))
    expect(answer.body).toMatchObject({ errors: [{ detail: expect.stringContaining("'nationalId'") }] })
    expect(await peopleOf(tenant)).toEqual(before)
  })

  test('with places assigns them; with others replaces them; without any they stay; an empty list takes all away', async () => {
    const places = async (keys: string[] | undefined) => {
      const body = person(`placed ${id}`, {}, keys)
      const answer = await tenant.post<WrittenSubject>(path, body)
      return (await readPerson(tenant, answer.body.internalId)).places
    }
    expect(await places(['c', 'a'])).toEqual(['a', 'c'])
    expect(await places(['b', 'c', 'b'])).toEqual(['b', 'c'])
    expect(await places(undefined)).toEqual(['b', 'c'])
    expect(await places([])).toEqual([])
    expect(await places(['a'])).toEqual(['a'])
  })

  test('with an unknown place or one that takes nobody: every such key is named, and nothing is written', async () => {
    const faults = invalid(
      'unknown-structural-entity /StructuralEntityKeys/0',
      'not-assignable /StructuralEntityKeys/2',
      'unknown-structural-entity /StructuralEntityKeys/3',
    )
    const keys = ['nowhere', 'a', 'attic', 'A']
    expect(refusal(await tenant.post(path, person(`lost ${id}`, {}, keys)))).toEqual(faults)
    expect(await peopleOf(tenant)).not.toContain(`lost ${id}`)
    const there = await addPerson(tenant, `there ${id}`, {}, ['b'])
    expect(refusal(await tenant.post(path, person(`there ${id}`, { givenName: 'New' }, keys)))).toEqual(faults)
    expect(await readPerson(tenant, there)).toMatchObject({ givenName: 'Ada', places: ['b'] })
  })

  test('while the upsert is not configured is 409, and nothing is written', async () => {
    const notConfigured = { status: 409, code: 'subject-upsert-not-configured', errors: [] }
    const without = await newTenant(inject('baseUrl'))
    const off = await subjectTenant({ upsert: false })
    for (const each of [without, off]) {
      expect(refusal(await each.post(path, person('1')))).toEqual(notConfigured)
      expect(refusal(await each.post(`${path}/bulk`, [person('1')]))).toEqual(notConfigured)
      expect(await peopleOf(each)).toEqual([])
    }
    await off.change({ subjects: demoSubjects })
    expect((await off.post(path, person('1'))).status).toBe(200)
  })
})

test('a subject is read in Pascal case with its values in the order of the fields, and its entities', async () => {
  const { body } = await tenant.post<WrittenSubject>(subjectsPath, {
    CustomFieldValues: full('read').toReversed(),
    StructuralEntityKeys: ['b', 'a'],
  })
  const entities = await Promise.all(
    ['a', 'b'].map(async key => (await tenant.get(`/api/v1/structuralEntity/${key}`)).body),
  )
  const answer = await tenant.get<SubjectBody>(`${subjectsPath}/${body.internalId}`)
  const subject = { Id: body.internalId, ExternalId: body.externalId, CustomFieldValues: read('read') }
  expect([answer.status, answer.body]).toEqual([200, { ...subject, StructuralEntities: entities }])

  const page = await tenant.get<Page<SubjectBody>>(
    `${subjectsPath}?Last=1&customFieldValueFilter.values[nationalId]=read`,
  )
  expect(page.body).toEqual({
    PageInfo: {
      HasNextPage: false,
      HasPreviousPage: false,
      StartCursor: page.body.Edges[0]?.Cursor,
      EndCursor: page.body.Edges[0]?.Cursor,
      TotalCount: 1,
    },
    Edges: [{ Node: subject, Cursor: expect.stringMatching(/./) }],
  })
})

test('a field without a value is left out, and a subject without places has an empty list', async () => {
  const id = await addPerson(tenant, 'bare')
  const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)
  expect(body.CustomFieldValues.map(({ Field }) => Field.Key)).toEqual(['givenName', 'familyName', 'nationalId'])
  expect(body.StructuralEntities).toEqual([])
})

test('there is no such subject: 404 to read and to change', async () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  const id = crypto.randomUUID()
  expect(refusal(await tenant.get(`${subjectsPath}/${id}`))).toEqual(gone)
  expect(refusal(await patch(tenant, id, texts({ givenName: 'X' })))).toEqual(gone)
})

test.each(['nobody', `${crypto.randomUUID()}0`, '%20', '__proto__', 'x'.repeat(300), 'é'.repeat(36)])(
  '%j is no guid: 400 to read and to change',
  async id => {
    const refused = invalid('wrong-format /path/subjectId')
    expect(refusal(await tenant.get(`${subjectsPath}/${id}`))).toEqual(refused)
    expect(refusal(await patch(tenant, id, texts({ givenName: 'X' })))).toEqual(refused)
  },
)

test('an id is taken in any letter case, and answered as it was issued', async () => {
  const id = await addPerson(tenant, 'capitals')
  expect((await tenant.get<SubjectBody>(`${subjectsPath}/${id.toUpperCase()}`)).body.Id).toBe(id)
  expect((await patch(tenant, id.toUpperCase(), texts({ givenName: 'Grace' }))).status).toBe(200)
  expect(await readPerson(tenant, id)).toMatchObject({ givenName: 'Grace' })
})
