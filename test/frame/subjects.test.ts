// Single upserts and PATCH of subjects.
import { describe, expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { addPerson, plantWards, subjectTenant, value } from '../support/factories.js'
import { invalid, type Page, refusal, timeless } from '../support/frame.js'
import { demoSubjects } from '../support/manifest.js'
import {
  patch,
  peopleOf,
  person,
  readPerson,
  type SubjectBody,
  subjectsPath,
  texts,
  upsertPaths,
  type WrittenSubject,
} from '../support/subjects.js'

const tenant = await subjectTenant()
await plantWards(tenant, 'a', 'b', 'c')

describe('an upsert', () => {
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

    test('creates and then updates the subject of the matching value: 201, then 200, in camel case', async () => {
      const first = await tenant.post<WrittenSubject>(path, { CustomFieldValues: full(id) })
      expect([first.status, first.body]).toEqual([
        201,
        { internalId: guid, externalId: guid, outcome: 'created', customFieldValues: written(id) },
      ])
      expect(first.body.externalId).not.toBe(first.body.internalId)
      const again = await tenant.post(path, { CustomFieldValues: full(id) })
      expect([again.status, again.body]).toEqual([200, { ...first.body, outcome: 'updated' }])
      expect((await peopleOf(tenant)).filter(each => each === id)).toEqual([id])
    })

    test('of an existing subject needs only the matching field, and leaves other values as they are', async () => {
      const before = await addPerson(tenant, `stays ${id}`, { email: 'ada@example.org', languages: ['en'] }, ['b', 'a'])
      const update = { CustomFieldValues: texts({ nationalId: `stays ${id}`, familyName: 'King' }) }
      const { status, body } = await tenant.post<WrittenSubject>(path, update)
      expect([status, body.internalId]).toEqual([200, before])
      expect(await readPerson(tenant, before)).toEqual({
        ...{ givenName: 'Ada', familyName: 'King', nationalId: `stays ${id}`, email: 'ada@example.org' },
        ...{ languages: ['en'], places: ['a', 'b'] },
      })
    })

    test('of a new subject needs every required field, and names each that is missing', async () => {
      const answer = await tenant.post(path, { CustomFieldValues: texts({ nationalId: `new ${id}`, email: 'x' }) })
      expect(refusal(answer)).toEqual(
        invalid('required-custom-field /CustomFieldValues', 'required-custom-field /CustomFieldValues'),
      )
      expect(answer.body).toMatchObject({
        errors: [
          { detail: expect.stringContaining("'givenName'") },
          { detail: expect.stringContaining("'familyName'") },
        ],
      })
      expect(await peopleOf(tenant)).not.toContain(`new ${id}`)
    })

    test('without the matching field is refused, whatever else would identify a subject', async () => {
      const before = await peopleOf(tenant)
      const answer = await tenant.post(path, { CustomFieldValues: texts({ givenName: 'Ada', familyName: 'Byron' }) })
      expect(refusal(answer)).toEqual(invalid('required-matching-field /CustomFieldValues'))
      expect(answer.body).toMatchObject({ errors: [{ detail: expect.stringContaining("'nationalId'") }] })
      expect(await peopleOf(tenant)).toEqual(before)
    })

    test('with places replaces those of the subject, without places leaves them, and with an empty list removes all', async () => {
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

    test('with unknown places or ones that take no subjects names every such key, and nothing is written', async () => {
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
      expect((await off.post(path, person('1'))).status).toBe(201)
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
    const subject = {
      Id: body.internalId,
      ExternalId: body.externalId,
      CustomFieldValues: read('read'),
      UpdatedAt: expect.any(String),
    }
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
})

test('a changed field is read as the manifest says as soon as that is applied, in a subject and in a list', async () => {
  const own = await subjectTenant()
  const id = await addPerson(own, 'A-1')
  const names = async () => {
    const one = await own.get<SubjectBody>(`${subjectsPath}/${id}`)
    const { body: page } = await own.get<Page<SubjectBody>>(subjectsPath)
    return [one.body, page.Edges[0]?.Node].map(
      subject => subject?.CustomFieldValues.find(({ Field }) => Field.Key === 'nationalId')?.Field.Name,
    )
  }
  const before = await names()
  const fields = demoSubjects.fields.map(field =>
    field.key === 'nationalId' ? { ...field, name: 'Register number' } : field,
  )
  await own.change({ subjects: { ...demoSubjects, fields } })
  expect(before).not.toContain('Register number')
  expect(await names()).toEqual(['Register number', 'Register number'])
})

test('a field without a value is left out, and a subject without places has an empty list', async () => {
  const id = await addPerson(tenant, 'bare')
  const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)
  expect(body.CustomFieldValues.map(({ Field }) => Field.Key)).toEqual(['givenName', 'familyName', 'nationalId'])
  expect(body.StructuralEntities).toEqual([])
})

test('an unknown subject is 404 to read and to change', async () => {
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

describe('PATCH', () => {
  let last = 0
  const newPerson = (more: Record<string, string | string[]> = {}) => addPerson(tenant, `p${++last}`, more, ['a'])

  describe.each([
    ['a bare array', (values: unknown) => values, ''],
    ['{CustomFieldValues}', (values: unknown) => ({ CustomFieldValues: values }), '/CustomFieldValues'],
    ['{CustomFields}', (values: unknown) => ({ CustomFields: values }), '/CustomFields'],
    ['{customfields}, in other letters', (values: unknown) => ({ customfields: values }), '/CustomFields'],
  ])('%s', (_, wrap, at) => {
    test('changes what is given and nothing else, and answers 200 with the subject as it is read, without its places', async () => {
      const id = await newPerson({ email: 'a@example.org', languages: ['en'] })
      const before = await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)
      const answer = await patch(tenant, id, wrap([...texts({ familyName: 'King' }), value('weight', 'Decimal', 60.5)]))
      const { StructuralEntities, ...after } = (await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body
      expect([answer.status, answer.body]).toEqual([200, after])
      expect(StructuralEntities).toEqual(before.body.StructuralEntities)
      expect(after.CustomFieldValues).toEqual([
        ...before.body.CustomFieldValues.map(each =>
          each.Field.Key === 'familyName' ? { ...each, Value: { DataType: 'String', ValueText: 'King' } } : each,
        ),
        {
          Field: { Key: 'weight', Name: 'Weight', Type: 'Number', Required: false, IsArray: false },
          Value: { DataType: 'Decimal', ValueText: '60.5' },
        },
      ])
    })

    test('with null removes an optional value, also when it is repeated', async () => {
      const id = await newPerson({ email: 'a@example.org', languages: ['en', 'fr'] })
      const away = ['email', 'languages', 'weight'].map(Key => ({ Key, Value: null }))
      for (const _ of [1, 2]) {
        expect((await patch(tenant, id, wrap(away))).status).toBe(200)
        const read = await readPerson(tenant, id)
        expect(Object.keys(read)).toEqual(['givenName', 'familyName', 'nationalId', 'places'])
      }
    })

    test('with nothing in it changes nothing but the time', async () => {
      const id = await newPerson()
      const before = await tenant.get(`${subjectsPath}/${id}`)
      expect((await patch(tenant, id, wrap([]))).status).toBe(200)
      expect(timeless((await tenant.get(`${subjectsPath}/${id}`)).body)).toEqual(timeless(before.body))
    })

    test('is refused with every fault named, and nothing is changed', async () => {
      const id = await newPerson()
      const before = await readPerson(tenant, id)
      const answer = await patch(
        tenant,
        id,
        wrap([
          value('familyName', 'String', 'King'),
          { Key: 'givenName', Value: null },
          value('nationalId', 'String', ' '),
          value('colour', 'String', 'red'),
          value('weight', 'String', '72'),
          value('phone', 'String', 'none'),
          value('languages', 'String', 'en'),
          value('email', 'String', ['a']),
          value('familyName', 'String', 'Twice'),
        ]),
      )
      expect(refusal(answer)).toEqual(
        invalid(
          `required-custom-field ${at}/2/Value/String/Value`,
          `unknown-custom-field ${at}/3/Key`,
          `wrong-data-type ${at}/4/Value`,
          `phone-number ${at}/5/Value/String/Value`,
          `array ${at}/6/Value`,
          `single-value ${at}/7/Value`,
          `duplicate-key ${at}/8/Key`,
          `required-custom-field ${at}/1/Value`,
        ),
      )
      expect(await readPerson(tenant, id)).toEqual(before)
    })

    test('with values of the wrong shape is refused with these named besides the others', async () => {
      const id = await newPerson()
      const answer = await patch(
        tenant,
        id,
        wrap([
          { Key: 'email', Value: { String: { Value: 7 } } },
          { Key: 'weight', Value: { Integer: { Value: 1.5 } } },
          { Key: 'dateOfBirth', Value: { Date: { Value: '2024-02-30' } } },
          { Key: 'consent', Value: { Boolean: { Value: 'yes' }, String: { Value: 'x' } } },
          { Key: 'keyWorker' },
          { Value: null },
          value('colour', 'String', 'red'),
        ]),
      )
      const { status, code, errors } = refusal(answer)
      const wanted = [
        `wrong-type ${at}/0/Value/String/Value`,
        `wrong-type ${at}/1/Value/Integer/Value`,
        `wrong-format ${at}/2/Value/Date/Value`,
        `wrong-type ${at}/3/Value/Boolean/Value`,
        `too-many ${at}/3/Value`,
        `required ${at}/4/Value`,
        `required ${at}/5/Key`,
        `unknown-custom-field ${at}/6/Key`,
      ]
      // The items of a bare array are numbered.
      const short = errors.map(error => error.replace(/ #\d$/, '')).sort()
      expect([status, code, short]).toEqual([400, 'validation', wanted.sort()])
      expect(await readPerson(tenant, id)).not.toHaveProperty('keyWorker')
    })
  })

  test.each([
    ['both lists', { CustomFieldValues: [], CustomFields: [] }, { status: 400, code: 'two-lists', errors: [] }],
    ['no list', { Values: [] }, { status: 400, code: 'no-list', errors: [] }],
    ['an empty object', {}, { status: 400, code: 'no-list', errors: [] }],
    ['a list that is null', { CustomFieldValues: null }, { status: 400, code: 'no-list', errors: [] }],
    ['a list that is an object', { CustomFields: {} }, invalid('wrong-type /CustomFields')],
    ['a text', '"x"', invalid('wrong-type')],
    ['null', 'null', invalid('wrong-type')],
  ])('%s is 400, and nothing is changed', async (_, body, expected) => {
    const id = await newPerson()
    const before = await readPerson(tenant, id)
    expect(refusal(await patch(tenant, id, body))).toEqual(expected)
    expect(await readPerson(tenant, id)).toEqual(before)
  })

  test('a subject without a value that has become required can still be changed in other fields', async () => {
    const own = await subjectTenant()
    const id = await addPerson(own, '1')
    const fields = demoSubjects.fields.map(field => (field.key === 'email' ? { ...field, required: true } : field))
    await own.change({ subjects: { ...demoSubjects, fields } })
    expect((await patch(own, id, texts({ givenName: 'B' }))).status).toBe(200)
    expect(refusal(await patch(own, id, [{ Key: 'email', Value: null }]))).toEqual(
      invalid('required-custom-field /0/Value'),
    )
  })
})

describe('the names of members', () => {
  /** The same body with the names of its members, at every depth, in other letters. */
  function renamed(body: unknown, rename: (name: string) => string): unknown {
    if (Array.isArray(body)) return body.map(each => renamed(each, rename))
    if (typeof body !== 'object' || body === null) return body
    return Object.fromEntries(Object.entries(body).map(([name, each]) => [rename(name), renamed(each, rename)]))
  }

  const body = {
    CustomFieldValues: [
      ...texts({ givenName: 'A', familyName: 'B', nationalId: 'cased', languages: ['en', 'fr'] }),
      value('weight', 'Decimal', 72.5),
      value('dateOfBirth', 'Date', '1815-12-10'),
      value('keyWorker', 'UserIdentifier', 'kim'),
    ],
    StructuralEntityKeys: ['b'],
  }
  const spellings: [string, (name: string) => string][] = [
    ['lower case', name => name.toLowerCase()],
    ['upper case', name => name.toUpperCase()],
    ['camel case', name => `${name[0]?.toLowerCase()}${name.slice(1)}`],
  ]

  describe.each(upsertPaths)('the names of the body of %s', path => {
    test.each(spellings)('are taken in %s, singly and in bulk, and answered in camel case', async (_, rename) => {
      const plain = await tenant.post<{ internalId: string }>(path, body)
      const read = await readPerson(tenant, plain.body.internalId)
      await patch(tenant, plain.body.internalId, [{ Key: 'weight', Value: null }])
      const answer = await tenant.post(path, renamed(body, rename))
      const updated = { ...plain.body, outcome: 'updated' }
      expect([answer.status, answer.body]).toEqual([200, updated])
      const bulk = await tenant.post(`${path}/bulk`, renamed([body], rename))
      expect([bulk.status, bulk.body]).toEqual([200, [updated]])
      expect(await readPerson(tenant, plain.body.internalId)).toEqual(read)
    })

    test('that are not known are ignored, at every depth, and not kept: what was read may be sent back', async () => {
      const id = await addPerson(tenant, `back ${path.length}`, { email: 'x' })
      const before = await readPerson(tenant, id)
      const subject = (await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body
      const sent = subject.CustomFieldValues.map(({ Field, Value }) => ({
        Field,
        Key: Field.Key,
        Value: { String: { Value: Array.isArray(Value) ? '' : Value.ValueText, more: 1 } },
      }))
      const more = { Id: crypto.randomUUID(), ExternalId: 7, StructuralEntities: 'x', constructor: [], é: null }
      const again = { ...subject, ...more, CustomFieldValues: sent }
      expect((await tenant.post(path, again)).body).toMatchObject({ internalId: id, externalId: subject.ExternalId })
      expect((await tenant.post(`${path}/bulk`, [again])).status).toBe(200)
      expect((await patch(tenant, id, again)).status).toBe(200)
      expect(await readPerson(tenant, id)).toEqual(before)
    })

    test('given in two spellings are refused, singly and in bulk, and nothing is written', async () => {
      const twice = { ...person('two spellings', {}, ['a']), structuralEntityKeys: ['b'] }
      expect(refusal(await tenant.post(path, twice))).toEqual(invalid('duplicate-member /structuralEntityKeys'))
      expect(refusal(await tenant.post(`${path}/bulk`, [person('sound'), twice])).errors).toMatchObject([
        expect.stringContaining('duplicate-member /1/structuralEntityKeys'),
      ])
      const inner = `{"CustomFieldValues":[{"Key":"nationalId","key":"email","Value":{"String":{"Value":"x","value":"y"}}}]}`
      expect(refusal(await tenant.post(path, inner)).errors).toEqual(
        expect.arrayContaining([
          'duplicate-member /CustomFieldValues/0/key',
          'duplicate-member /CustomFieldValues/0/Value/String/value',
        ]),
      )
      for (const id of ['two spellings', 'sound', 'x', 'y']) expect(await peopleOf(tenant)).not.toContain(id)
    })
  })
})
