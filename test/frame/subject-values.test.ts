// Values of subjects.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Problem, Tenant } from '../support/api.js'
import { addPerson, aField, plantWards, subjectTenant, value } from '../support/factories.js'
import { invalid, refusal, timeless } from '../support/frame.js'
import {
  bulkPath,
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

describe('fields of every type', () => {
  const types = ['Text', 'PhoneNumber', 'Number', 'Date', 'DateTime', 'Time', 'UserIdentifier', 'Boolean']
  let tenant: Tenant
  beforeAll(async () => {
    const fields = [
      aField('id', 'Text', { required: true }),
      ...types.flatMap(type => [aField(type, type), aField(`many ${type}`, type, { isArray: true })]),
      aField('tags', 'Text', { required: true, isArray: true }),
      ...['__proto__', 'constructor', 'a]b', 'length', 'é"\\'].map(key => aField(key)),
    ]
    tenant = await subjectTenant({ fields, matchingFields: ['id'], portal: {} })
  })

  let last = 0
  const subject = (...values: object[]) => ({
    CustomFieldValues: [...texts({ id: `s${++last}`, tags: ['x'] }), ...values],
  })
  /** Creates a subject with this JSON as one value. @returns the value as it is read. */
  async function kept(key: string, dataType: string, json: string) {
    const text = JSON.stringify(subject(value(key, dataType, '#'))).replace('"#"', () => json)
    const { status, body } = await tenant.post<WrittenSubject>(subjectsPath, text)
    if (status !== 201) throw new Error(JSON.stringify(body))
    const read = await tenant.get<SubjectBody>(`${subjectsPath}/${body.internalId}`)
    return {
      id: body.internalId,
      written: body.customFieldValues.find(each => each.customField.id === key)?.value,
      read: read.body.CustomFieldValues.find(({ Field }) => Field.Key === key)?.Value,
    }
  }

  test.each([
    ['Text', 'String', '"Zoë 👩‍👩‍👧 \\n\\t \\\\ \' \\" %"', 'Zoë 👩‍👩‍👧 \n\t \\ \' " %', undefined],
    ['Text', 'String', '""', '', undefined],
    ['PhoneNumber', 'String', '"+44 (0)20-1234"', '+44 (0)20-1234', undefined],
    ['Number', 'Integer', '-7', '-7', -7],
    ['Number', 'Integer', '9007199254740991', '9007199254740991', 9007199254740991],
    ['Number', 'Decimal', '72.50', '72.50', 72.5],
    ['Date', 'Date', '"2024-02-29"', '2024-02-29', undefined],
    ['DateTime', 'DateTime', '"2024-02-29T12:30:00+02:00"', '2024-02-29T10:30:00.000Z', undefined],
    ['DateTime', 'DateTime', '"2024-02-29T12:30"', '2024-02-29T12:30:00.000Z', undefined],
    ['Time', 'Time', '"12:30:00"', '12:30:00', undefined],
    ['UserIdentifier', 'UserIdentifier', '"kim.worker"', 'kim.worker', undefined],
    ['Boolean', 'Boolean', 'false', 'false', false],
    ['Boolean', 'Boolean', 'true', 'true', true],
  ])('a %s keeps the %s %s as %j', async (key, dataType, json, text, asJson) => {
    const { written, read } = await kept(key, dataType, json)
    expect(read).toEqual({ DataType: dataType, ValueText: text })
    expect(written).toEqual({ $type: dataType, dataType, value: asJson ?? text, valueText: text })
  })

  describe('decimals keep every digit', () => {
    const digits = [
      '0.1234567890123456789012345678901234567890',
      '123456789012345678901234567890.10',
      '-0.000000000000000000001',
    ]

    test.each(digits)('%s, created, in a bulk, and by PATCH', async number => {
      const { id, read } = await kept('Number', 'Decimal', number)
      expect(read).toEqual({ DataType: 'Decimal', ValueText: number })
      const batch = [subject(value('Number', 'Decimal', '#')), subject(value('many Number', 'Decimal', ['#', 1]))]
      const text = JSON.stringify(batch).replaceAll('"#"', number)
      const { body } = await tenant.post<WrittenSubject[]>(bulkPath, text)
      expect(body.map(each => each.customFieldValues.at(-2)?.value)).toMatchObject([
        { valueText: number },
        [{ valueText: number }, { valueText: '1' }],
      ])
      await patch(tenant, id, [value('Number', 'Integer', 1)])
      const patched = await patch(tenant, id, `[{"Key":"Number","Value":{"Decimal":{"Value":${number}}}}]`)
      expect(patched.body.CustomFieldValues[1]?.Value).toEqual({ DataType: 'Decimal', ValueText: number })
      expect(await readPerson(tenant, id)).toMatchObject({ Number: number })
    })
  })

  describe('a field of several values', () => {
    test('keeps its values in order with repetitions, and another upsert replaces them all', async () => {
      const given = subject(value('many Text', 'String', ['b', 'a', 'b', '']))
      const { body } = await tenant.post<WrittenSubject>(subjectsPath, given)
      expect(await readPerson(tenant, body.internalId)).toMatchObject({ 'many Text': ['b', 'a', 'b', ''] })
      const id = given.CustomFieldValues[0]
      await tenant.post(subjectsPath, { CustomFieldValues: [id, value('many Text', 'String', ['c'])] })
      expect(await readPerson(tenant, body.internalId)).toMatchObject({ 'many Text': ['c'], tags: ['x'] })
    })

    test('is removed by an empty list or null, in an upsert and by PATCH', async () => {
      for (const Value of [[], null]) {
        const given = subject(value('many Text', 'String', ['a']), value('Text', 'String', 'kept'))
        const { body } = await tenant.post<WrittenSubject>(subjectsPath, given)
        const away = { Key: 'many Text', Value }
        await tenant.post(subjectsPath, { CustomFieldValues: [given.CustomFieldValues[0], away] })
        const read = await readPerson(tenant, body.internalId)
        expect([read['many Text'], read.Text]).toEqual([undefined, 'kept'])
        await patch(tenant, body.internalId, [value('many Text', 'String', ['a'])])
        expect(await readPerson(tenant, body.internalId)).toMatchObject({ 'many Text': ['a'] })
        await patch(tenant, body.internalId, [away])
        expect(await readPerson(tenant, body.internalId)).not.toHaveProperty('many Text')
      }
    })

    test('that is required can be neither created empty nor emptied', async () => {
      const empty = { Key: 'tags', Value: [] }
      const answer = await tenant.post(subjectsPath, { CustomFieldValues: [...texts({ id: 'empty' }), empty] })
      expect(refusal(answer)).toEqual(invalid('required-custom-field /CustomFieldValues/1/Value'))
      expect(await peopleOf(tenant, {}, 'id')).not.toContain('empty')
      const id = (await tenant.post<WrittenSubject>(subjectsPath, subject())).body.internalId
      for (const each of [empty, { Key: 'tags', Value: null }]) {
        expect(refusal(await patch(tenant, id, [each]))).toEqual(invalid('required-custom-field /0/Value'))
      }
      expect(await readPerson(tenant, id)).toMatchObject({ tags: ['x'] })
    })

    test('accepts only an array, and a field of one value accepts no array', async () => {
      const answer = await tenant.post(
        subjectsPath,
        subject(value('many Text', 'String', 'a'), value('Text', 'String', ['a'])),
      )
      expect(refusal(answer)).toEqual(
        invalid('array /CustomFieldValues/2/Value', 'single-value /CustomFieldValues/3/Value'),
      )
    })

    test('names each of its values that is wrong', async () => {
      const mixed = {
        Key: 'many Number',
        Value: [{ Integer: { Value: 1 } }, { String: { Value: '2' } }, { Date: { Value: '2024-01-01' } }],
      }
      expect(refusal(await tenant.post(subjectsPath, subject(mixed)))).toEqual(
        invalid('wrong-data-type /CustomFieldValues/2/Value/1', 'wrong-data-type /CustomFieldValues/2/Value/2'),
      )
    })
  })

  test('fields may be called like members of JavaScript objects, or have special characters of queries and paths', async () => {
    const keys = ['__proto__', 'constructor', 'a]b', 'length', 'é"\\']
    const values = keys.map(key => value(key, 'String', `of ${key}`))
    const { body } = await tenant.post<WrittenSubject>(subjectsPath, subject(...values))
    const read = async () =>
      (await tenant.get<SubjectBody>(`${subjectsPath}/${body.internalId}`)).body.CustomFieldValues.slice(2).map(
        ({ Field, Value }) => [Field.Key, Value],
      )
    expect(await read()).toEqual(keys.map(key => [key, { DataType: 'String', ValueText: `of ${key}` }]))
    await patch(tenant, body.internalId, [{ Key: 'constructor', Value: null }, value('__proto__', 'String', 'new')])
    expect((await read()).map(([key]) => key)).toEqual(keys.filter(key => key !== 'constructor'))
    expect((await read())[0]?.[1]).toMatchObject({ ValueText: 'new' })
  })

  test('every data type but its own is refused by every kind of field', async () => {
    const samples: [string, unknown][] = [
      ['Boolean', true],
      ['String', '+44 20 1234'],
      ['Integer', 1],
      ['Decimal', 1.5],
      ['DateTime', '2024-01-01T00:00:00Z'],
      ['Date', '2024-01-01'],
      ['Time', '12:00:00'],
      ['UserIdentifier', 'kim'],
    ]
    const own: Record<string, string[]> = { Text: ['String'], PhoneNumber: ['String'], Number: ['Integer', 'Decimal'] }
    for (const type of types) {
      for (const [dataType, sample] of samples) {
        const answer = await tenant.post(subjectsPath, subject(value(type, dataType, sample)))
        if ((own[type] ?? [type]).includes(dataType)) expect([200, 201], `${type} ${dataType}`).toContain(answer.status)
        else expect(refusal(answer)).toEqual(invalid('wrong-data-type /CustomFieldValues/2/Value'))
      }
    }
  })
})

describe('faults', () => {
  let tenant: Tenant
  let someId: string
  beforeAll(async () => {
    tenant = await subjectTenant()
    someId = await addPerson(tenant, 'some')
    await plantWards(tenant, 'a')
  })

  const raw = (Key: string, Value: unknown) => ({ Key, Value })
  const dates = value('dateOfBirth', 'Date', 'yesterday')

  /** What is wrong with a body whose only fault is among its values: `…/3` stands for the first value after the names. */
  const values: [string, object, string][] = [
    ['an unknown field', value('colour', 'String', 'red'), 'unknown-custom-field 3/Key'],
    ['a field in other letters', value('Email', 'String', 'x'), 'unknown-custom-field 3/Key'],
    ['a field twice', value('givenName', 'String', 'x'), 'duplicate-key 3/Key'],
    ['a date that is none', dates, 'wrong-format 3/Value/Date/Value'],
    ['a date that does not exist', value('dateOfBirth', 'Date', '2023-02-29'), 'wrong-format 3/Value/Date/Value'],
    ['a date with a time', value('dateOfBirth', 'Date', '2023-02-28T00:00:00Z'), 'wrong-format 3/Value/Date/Value'],
    ['another data type', value('dateOfBirth', 'String', '2024-01-01'), 'wrong-data-type 3/Value'],
    ['a data type that there is not', value('email', 'Text', 'x'), 'unknown-member 3/Value/Text'],
    ['no data type', raw('email', {}), 'too-few 3/Value'],
    ['two data types', raw('weight', { Integer: { Value: 1 }, Decimal: { Value: 1 } }), 'too-many 3/Value'],
    ['a data type without a value', raw('email', { String: {} }), 'required 3/Value/String/Value'],
    ['a value that is null', value('email', 'String', null), 'wrong-type 3/Value/String/Value'],
    ['a plain text', raw('email', 'x'), 'wrong-type 3/Value'],
    ['no value', { Key: 'email' }, 'required 3/Value'],
    ['no key', { Value: { String: { Value: 'x' } } }, 'required 3/Key'],
    ['a boolean as a text', value('consent', 'Boolean', 'true'), 'wrong-type 3/Value/Boolean/Value'],
    ['a number as a text', value('weight', 'Decimal', '72.5'), 'wrong-format 3/Value/Decimal/Value'],
    ['a fraction as an integer', value('weight', 'Integer', 72.5), 'wrong-type 3/Value/Integer/Value'],
    ['an integer beyond the safe ones', value('weight', 'Integer', 2 ** 53), 'out-of-range 3/Value/Integer/Value'],
    ['a phone number that is none', value('phone', 'String', 'call me'), 'phone-number 3/Value/String/Value'],
    ['a user without a name', value('keyWorker', 'UserIdentifier', ''), 'too-short 3/Value/UserIdentifier/Value'],
    ['a name with a NUL', value('givenName', 'String', 'a\u0000b'), 'wrong-format 3/Value/String/Value'],
    ['a text of 10,001', value('email', 'String', 'x'.repeat(10_001)), 'too-long 3/Value/String/Value'],
    ['one value for several', value('languages', 'String', 'en'), 'array 3/Value'],
    ['several for one', value('email', 'String', ['a', 'b']), 'single-value 3/Value'],
    ['an array in an array', raw('languages', [[{ String: { Value: 'en' } }]]), 'wrong-type 3/Value/0'],
    ['a null among several', raw('languages', [{ String: { Value: 'en' } }, null]), 'wrong-type 3/Value/1'],
    ['one wrong among several', value('languages', 'String', ['en', 7]), 'wrong-type 3/Value/1/String/Value'],
  ]

  /** What the fields take, as every fault of a value says it. */
  const forms: Record<string, string> = {
    givenName: 'takes a String of at most 10,000 characters, without control characters',
    email: 'takes a String of at most 10,000 characters',
    phone: 'takes a String such as +44 20 7946 0000: at least three digits',
    dateOfBirth: 'takes a Date such as 1980-01-31',
    weight: 'takes an Integer such as 72 or a Decimal such as 72.5',
    consent: 'takes a Boolean, true or false',
    keyWorker: 'takes a UserIdentifier such as kim.worker',
    languages: 'takes an array, each item a String of at most 10,000 characters',
  }
  const ofFields = values.flatMap(([name, wrong, fault]) => ('Key' in wrong ? [[name, wrong, fault] as const] : []))

  test.each(ofFields)('%s: the fault names the field and what it takes, and not the value', async (_, wrong, fault) => {
    const key = String(wrong.Key)
    const bad = { CustomFieldValues: [...person('named').CustomFieldValues, wrong] }
    const replies = [await tenant.post(subjectsPath, bad), await tenant.post(bulkPath, [person('sound'), bad])]
    const isTwice = fault.startsWith('duplicate-key')
    if (!isTwice)
      replies.push(await patch(tenant, someId, [wrong]), await patch(tenant, someId, { CustomFields: [wrong] }))
    const isOutOfRange = fault.startsWith('out-of-range')
    const wanted =
      isTwice || isOutOfRange || !(key in forms)
        ? expect.stringContaining(` field '${key}' `)
        : expect.stringContaining(`The field '${key}' ${forms[key]}`)
    for (const { body } of replies) {
      const details = (body as Problem).errors?.map(({ detail }) => detail)
      expect(details).toEqual([wanted])
      expect(String(details)).not.toMatch(/yesterday|call me|2023-02/)
    }
  })

  describe.each(upsertPaths)('POST %s, alone and in a bulk, refuses', path => {
    test.each(values)('%s, and nothing is written', async (_, wrong, fault) => {
      const body = person(`${path.length} new`)
      const bad = { CustomFieldValues: [...body.CustomFieldValues, wrong] }
      const [code = '', place = ''] = fault.split(' ')
      expect(refusal(await tenant.post(path, bad))).toEqual(invalid(`${code} /CustomFieldValues/${place}`))
      expect(refusal(await tenant.post(`${path}/bulk`, [person(`${path.length} sound`), bad]))).toEqual(
        invalid(`${code} /1/CustomFieldValues/${place} #1`),
      )
      const people = await peopleOf(tenant)
      expect(people.filter(each => each.startsWith(`${path.length} `))).toEqual([])
    })
  })

  test.each<[string, object | string | null, string[]]>([
    ['no values', {}, ['required /CustomFieldValues']],
    ['values that are null', { CustomFieldValues: null }, ['wrong-type /CustomFieldValues']],
    ['values that are an object', { CustomFieldValues: {} }, ['wrong-type /CustomFieldValues']],
    ['entity keys that are no list', person('x', {}, 'a' as never), ['wrong-type /StructuralEntityKeys']],
    [
      'keys that are no texts',
      person('x', {}, ['a', 7, null] as never),
      ['wrong-type /StructuralEntityKeys/1', 'wrong-type /StructuralEntityKeys/2'],
    ],
    ['an array', [person('x')], ['wrong-type']],
    ['null', 'null', ['wrong-type']],
  ])('a single upsert of %s is refused', async (_, body, errors) => {
    expect(refusal(await tenant.post(subjectsPath, body))).toEqual(invalid(...errors))
    expect(await peopleOf(tenant)).not.toContain('x')
  })

  test('a blank matching value of a new subject is one fault, that it is blank', async () => {
    expect(refusal(await tenant.post(subjectsPath, person('  ')))).toEqual(
      invalid('required-custom-field /CustomFieldValues/2/Value/String/Value'),
    )
    const none = { CustomFieldValues: [...texts({ givenName: 'A', familyName: 'B' }), raw('nationalId', null)] }
    expect(refusal(await tenant.post(subjectsPath, none))).toEqual(
      invalid('required-custom-field /CustomFieldValues/2/Value'),
    )
  })

  test('a required value that is missing is named, with what its field takes', async () => {
    const { body } = await tenant.post<Problem>(subjectsPath, {
      CustomFieldValues: texts({ nationalId: 'x', givenName: ' ' }),
    })
    expect(body.errors?.map(({ detail }) => detail)).toEqual([
      expect.stringContaining(
        "The field 'givenName' is required and must not be blank. It takes a String of at most 10,000",
      ),
      expect.stringContaining("The field 'familyName' is required. It takes a String of at most 10,000"),
    ])
  })

  test('null removes an optional value of an existing subject, and is 400 for a required one', async () => {
    const id = await addPerson(tenant, 'there', { email: 'x' })
    const upsert = (...values: object[]) =>
      tenant.post(subjectsPath, { CustomFieldValues: [...texts({ nationalId: 'there' }), ...values] })
    expect(refusal(await upsert(raw('givenName', null), raw('email', null)))).toEqual(
      invalid('required-custom-field /CustomFieldValues/1/Value'),
    )
    expect(await readPerson(tenant, id)).toMatchObject({ givenName: 'Ada', email: 'x' })
    expect((await upsert(raw('email', null))).status).toBe(200)
    expect(await readPerson(tenant, id)).not.toHaveProperty('email')
  })

  describe('every fault is named, of the schema and of the fields', () => {
    const wrong = {
      CustomFieldValues: [
        value('givenName', 'String', 7),
        dates,
        value('colour', 'String', 'red'),
        value('phone', 'String', 'none'),
        { Value: null },
        value('email', 'String', ['a']),
        value('dateOfBirth', 'Date', '2024-01-01'),
      ],
      StructuralEntityKeys: ['a', 'x'.repeat(256), 'nowhere', 'attic'],
    }
    const faults = [
      'wrong-type /CustomFieldValues/0/Value/String/Value',
      'wrong-format /CustomFieldValues/1/Value/Date/Value',
      'unknown-custom-field /CustomFieldValues/2/Key',
      'phone-number /CustomFieldValues/3/Value/String/Value',
      'required /CustomFieldValues/4/Key',
      'single-value /CustomFieldValues/5/Value',
      'duplicate-key /CustomFieldValues/6/Key',
      'required-matching-field /CustomFieldValues',
      'too-long /StructuralEntityKeys/1',
      'unknown-structural-entity /StructuralEntityKeys/2',
      'not-assignable /StructuralEntityKeys/3',
    ].sort()

    test('in one subject', async () => {
      const { status, errors } = refusal(await tenant.post(subjectsPath, wrong))
      expect([status, errors.sort()]).toEqual([400, faults])
    })

    test('in each of a batch', async () => {
      const { CustomFieldValues } = person('twice')
      const batch = [wrong, person('twice'), { CustomFieldValues: [...CustomFieldValues, dates] }, 7, wrong]
      const { status, errors } = refusal(await tenant.post(bulkPath, batch))
      const of = (n: number) => faults.map(fault => `${fault.replace(' ', ` /${n}`)} #${n}`)
      expect([status, errors.sort()]).toEqual([
        400,
        [
          ...of(0),
          'duplicate-subject /2/CustomFieldValues #2',
          'wrong-format /2/CustomFieldValues/3/Value/Date/Value #2',
          'wrong-type /3 #3',
          ...of(4),
        ].sort(),
      ])
      expect(await peopleOf(tenant)).not.toContain('twice')
    })
  })
})

test('values that were read are written again, by an upsert and by PATCH, with every digit', async () => {
  const tenant = await subjectTenant()
  const values = [
    ...texts({ nationalId: 'again', givenName: 'A', familyName: 'B', languages: ['pl', 'fr'] }),
    value('consent', 'Boolean', false),
    value('dateOfBirth', 'Date', '1980-01-31'),
  ]
  const weight = JSON.stringify(value('weight', 'Decimal', '#')).replace('"#"', '72.50')
  const body = JSON.stringify({ CustomFieldValues: values }).replace(/\]\}$/, `,${weight}]}`)
  const { internalId } = (await tenant.post<WrittenSubject>(subjectsPath, body)).body
  const read = async () => timeless((await tenant.get(`${subjectsPath}/${internalId}`)).body)
  const before = (await tenant.get<SubjectBody>(`${subjectsPath}/${internalId}`)).body
  expect(JSON.stringify(before)).toContain('"72.50"')
  const again = await tenant.post(subjectsPath, { ...before, StructuralEntityKeys: null })
  expect([again.status, await read()]).toEqual([200, timeless(before)])
  expect([(await patch(tenant, internalId, before)).status, await read()]).toEqual([200, timeless(before)])
})

test('a null beside the data type of a value counts as absent', async () => {
  const tenant = await subjectTenant()
  const nulls = { Boolean: null, Integer: null, Decimal: null, Date: null }
  const entries = texts({ nationalId: 'nulls', givenName: 'A', familyName: 'B' })
  const given = entries.map(({ Key, Value }) => ({ Key, Value: { ...nulls, ...Value } }))
  const body = { CustomFieldValues: given, StructuralEntityKeys: null }
  expect((await tenant.post(subjectsPath, body)).status).toBe(201)
  const empty = { CustomFieldValues: [...entries, { Key: 'email', Value: nulls }] }
  expect(refusal(await tenant.post(subjectsPath, empty))).toEqual(invalid('too-few /CustomFieldValues/3/Value'))
})
