// Custom fields of structure types.
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { newTenant, type Problem } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { at, type EntityBody, invalid, paths, put, refusal } from '../support/frame.js'

const typeKeys = ['Text', 'PhoneNumber', 'Number', 'Date', 'DateTime', 'Time', 'UserIdentifier']
/** A right value of each data type and its invariant text. */
const right: Record<string, [value: unknown, text: string]> = {
  Boolean: [true, 'true'],
  String: ['+33 1 44 55 66 77', '+33 1 44 55 66 77'],
  Integer: [42, '42'],
  Decimal: [4.25, '4.25'],
  Date: ['2024-02-29', '2024-02-29'],
  DateTime: ['2024-02-29T10:30:00Z', '2024-02-29T10:30:00.000Z'],
  Time: ['10:30:00', '10:30:00'],
  UserIdentifier: ['7d3f', '7d3f'],
}
const takes: Record<string, string[]> = {
  Text: ['String'],
  PhoneNumber: ['String'],
  Number: ['Integer', 'Decimal'],
  Date: ['Date'],
  DateTime: ['DateTime'],
  Time: ['Time'],
  UserIdentifier: ['UserIdentifier'],
}

const tenant = await newTenant(inject('baseUrl'))
for (const TypeKey of typeKeys) {
  const field = { TypeKey, Name: TypeKey, Key: 'f', Required: false }
  await put(tenant, paths.types, aType(TypeKey, { CustomFields: [field] }))
  await put(tenant, paths.types, aType(`needs ${TypeKey}`, { CustomFields: [{ ...field, Required: true }] }))
}

afterEach(async () => {
  await tenant.delete(at(paths.entities, 'e'))
})

const with1 = (StructureTypeKey: string, Value: unknown) =>
  anEntity('e', { StructureTypeKey, CustomFieldValues: [{ Key: 'f', Value }] })
const gone = async () => (await tenant.get(at(paths.entities, 'e'))).status
/** The stored text of a value that is accepted; a JSON text where the number's own digits matter. */
async function textOf(typeKey: string, dataType: string, json: string): Promise<string | undefined> {
  const body = JSON.stringify(with1(typeKey, { [dataType]: { Value: '@' } })).replace('"@"', () => json)
  const answer = await tenant.put<EntityBody>(paths.entities, body)
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
  const read = await tenant.get<EntityBody>(at(paths.entities, 'e'))
  const [first] = read.body.CustomFieldValues
  expect(answer.body.CustomFieldValues[0]?.Value).toMatchObject({ ...first?.Value })
  expect(first?.Value.DataType).toBe(dataType)
  return first?.Value.ValueText
}

describe.each(typeKeys)('a field of the TypeKey %s', typeKey => {
  const allowed = takes[typeKey] ?? []
  test.each(Object.keys(right).filter(dataType => allowed.includes(dataType)))('takes %s', async dataType => {
    const [Value, ValueText] = right[dataType] ?? []
    const { status, body } = await tenant.put<EntityBody>(paths.entities, with1(typeKey, { [dataType]: { Value } }))
    const text = dataType === 'DateTime' ? ValueText : Value
    expect([status, body.CustomFieldValues]).toEqual([
      201,
      [
        {
          Field: { Name: typeKey, Key: 'f', Type: typeKey, Required: false },
          Value: { $type: dataType, DataType: dataType, Value: text, ValueText },
        },
      ],
    ])
    const read = await tenant.get<EntityBody>(at(paths.entities, 'e'))
    expect(read.body.CustomFieldValues).toEqual([
      { Field: { Name: typeKey, Key: 'f', Type: typeKey, Required: false }, Value: { DataType: dataType, ValueText } },
    ])
  })

  test.each(Object.keys(right).filter(dataType => !allowed.includes(dataType)))('refuses %s', async dataType => {
    const Value = right[dataType]?.[0]
    expect(refusal(await tenant.put(paths.entities, with1(typeKey, { [dataType]: { Value } })))).toEqual(
      invalid('wrong-data-type /CustomFieldValues/0/Value'),
    )
    expect(await gone()).toBe(404)
  })

  test('that is required must be given', async () => {
    const missing = invalid('required-custom-field /CustomFieldValues')
    for (const CustomFieldValues of [undefined, []]) {
      const entity = anEntity('e', { StructureTypeKey: `needs ${typeKey}`, CustomFieldValues })
      expect(refusal(await tenant.put(paths.entities, entity))).toEqual(missing)
    }
    expect(await gone()).toBe(404)
  })
})

test.each([
  ['12345678901234567890.1230', '12345678901234567890.1230'],
  ['1.10', '1.10'],
  ['0.1', '0.1'],
  ['-0.0000001', '-0.0000001'],
  ['100', '100'],
  ['0.30000000000000004441', '0.30000000000000004441'],
  ['99999999999999999999999999', '99999999999999999999999999'],
  ['1.5e3', '1500'],
  ['1E-7', '0.0000001'],
  ['2.50e21', '2500000000000000000000'],
])('the decimal %s keeps its exact digits in ValueText', async (json, text) => {
  expect(await textOf('Number', 'Decimal', json)).toBe(text)
})

test.each([
  ['9007199254740991', '9007199254740991'],
  ['-7', '-7'],
  ['5.0', '5'],
])('the integer %s is kept as %s', async (json, text) => {
  expect(await textOf('Number', 'Integer', json)).toBe(text)
})

test.each([
  ['2024-02-29T10:30:00', '2024-02-29T10:30:00.000Z'],
  ['2024-02-29T10:30', '2024-02-29T10:30:00.000Z'],
  ['2024-02-29T00:30:00+02:00', '2024-02-28T22:30:00.000Z'],
  ['2023-12-31T23:59:59.999-00:30', '2024-01-01T00:29:59.999Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00-05:00', '0001-01-01T05:00:00.000Z'],
])('the DateTime %s is kept in UTC, which is assumed without a zone', async (value, text) => {
  expect(await textOf('DateTime', 'DateTime', JSON.stringify(value))).toBe(text)
})

test.each([
  ['10:30', '10:30:00'],
  ['10:30:00.000', '10:30:00'],
  ['08:05:09.5', '08:05:09.500'],
])('the Time %s is kept as %s', async (value, text) => {
  expect(await textOf('Time', 'Time', JSON.stringify(value))).toBe(text)
})

test.each([
  ['Text', 'String', ''],
  ['Text', 'String', ' "quotes" \\ \t \r\n é 😀 '],
  ['Text', 'String', 'x'.repeat(10_000)],
  ['Date', 'Date', '2000-02-29'],
  ['Time', 'Time', '23:59:59.123'],
  ['Time', 'Time', '00:00:00'],
  ['PhoneNumber', 'String', '(0)30/123.45-67'],
])('a %s keeps the %s as it is: %.30s', async (typeKey, dataType, value) => {
  expect(await textOf(typeKey, dataType, JSON.stringify(value))).toBe(value)
})

type Wrong = [typeKey: string, dataType: string, code: string, value: unknown]
const wrongEach = (kind: string, ...values: string[]) =>
  values.map((value): Wrong => [kind, kind, 'wrong-format', value])
const wrongValues: Wrong[] = [
  ...wrongEach('Date', '2023-02-29', '1900-02-29', '2024-02-30', '2024-13-01', '2024-1-1', '20240101', ''),
  ...wrongEach('Date', '2024-01-01T00:00:00Z'),
  ...wrongEach('DateTime', '2023-02-29T10:00:00Z', '2024-01-01', '2024-01-01 10:00', '2024-01-01T10:00:00+25:00'),
  ...wrongEach('DateTime', '2024-01-01T25:00:00Z', '2024-01-01T24:00:00Z', '2024-01-01T10:60:00Z'),
  ...wrongEach('DateTime', '9999-12-31T23:59:59-05:00', '0001-01-01T00:00:00+05:00', '0000-12-31T00:00:00Z'),
  ...wrongEach('Time', '24:00:00', '12:60:00', 'noon', '23:59:60', '10', '1:30', '10:30:00.1234'),
  ...wrongEach('Time', '10:30Z', '10:30:00Z', '10:30:00+02:00'),
  ['Number', 'Integer', 'wrong-type', 1.5],
  ['Number', 'Integer', 'wrong-type', '7'],
  ['Number', 'Integer', 'out-of-range', 2 ** 53],
  ['Number', 'Decimal', 'wrong-format', '7.5'],
  ['Number', 'Decimal', 'wrong-format', true],
  ['Text', 'String', 'wrong-type', 7],
  ['Text', 'String', 'wrong-type', null],
  ['Text', 'String', 'too-long', 'x'.repeat(10_001)],
  ...['\u0000', 'a\u0000b', 'a\u001b[1m', 'a\u007f', 'a\u0085'].map(
    (value): Wrong => ['Text', 'String', 'wrong-format', value],
  ),
  ...wrongEach('UserIdentifier', 'a\u0000b'),
  ['UserIdentifier', 'UserIdentifier', 'too-short', ''],
  ['UserIdentifier', 'UserIdentifier', 'too-long', 'u'.repeat(256)],
  ...['call me', '+', '---', '12', '+33 1 44 ext 5', '1'.repeat(41)].map(
    (value): Wrong => ['PhoneNumber', 'String', 'phone-number', value],
  ),
]
test.each(wrongValues)('a %s field refuses the %s that is wrong: %s, %.30s', async (typeKey, dataType, code, Value) => {
  expect(refusal(await tenant.put(paths.entities, with1(typeKey, { [dataType]: { Value } })))).toEqual(
    invalid(`${code} /CustomFieldValues/0/Value/${dataType}/Value`),
  )
  expect(await gone()).toBe(404)
})

test.each(['1e400', '9'.repeat(400), '-1e999'])('a Decimal beyond all doubles is refused: %.10s', async json => {
  const body = JSON.stringify(with1('Number', { Decimal: { Value: '@' } })).replace('"@"', json)
  expect(refusal(await tenant.put(paths.entities, body))).toEqual(
    invalid('wrong-format /CustomFieldValues/0/Value/Decimal/Value'),
  )
})

describe('values of an entity', () => {
  const text = (Key: string, Required = false) => ({ TypeKey: 'Text', Name: `Field ${Key}`, Key, Required })
  const string = (Value: unknown) => ({ String: { Value } })

  beforeAll(async () => {
    await put(tenant, paths.types, aType('unit', { CustomFields: [text('a'), text('b'), text('must', true)] }))
  })

  const must = { Key: 'must', Value: string('here') }
  const send = (CustomFieldValues: unknown) =>
    tenant.put<EntityBody>(paths.entities, anEntity('e', { CustomFieldValues }))

  const wrong: [string, unknown, string[]][] = [
    ['an unknown field', [must, { Key: 'c', Value: string('x') }], ['unknown-custom-field /CustomFieldValues/1/Key']],
    [
      'a field in other letters',
      [must, { Key: 'A', Value: string('x') }],
      ['unknown-custom-field /CustomFieldValues/1/Key'],
    ],
    ['a field given twice', [must, must], ['duplicate-key /CustomFieldValues/1/Key']],
    ['an array for a single value', [{ ...must, Value: [string('x')] }], ['single-value /CustomFieldValues/0/Value']],
    ['an empty array', [{ ...must, Value: [] }], ['single-value /CustomFieldValues/0/Value']],
    ['a required field left out', [{ Key: 'a', Value: string('x') }], ['required-custom-field /CustomFieldValues']],
    [
      'a required field that is blank',
      [{ Key: 'must', Value: string('  ') }],
      ['required-custom-field /CustomFieldValues/0/Value/String/Value'],
    ],
    [
      'an unknown data type',
      [{ ...must, Value: { Colour: { Value: 'red' } } }],
      ['unknown-member /CustomFieldValues/0/Value/Colour'],
    ],
    ['no data type', [{ ...must, Value: {} }], ['too-few /CustomFieldValues/0/Value']],
    [
      'two data types',
      [{ ...must, Value: { ...string('x'), Integer: { Value: 1 } } }],
      ['too-many /CustomFieldValues/0/Value'],
    ],
    [
      'no value in the data type',
      [{ ...must, Value: { String: {} } }],
      ['required /CustomFieldValues/0/Value/String/Value'],
    ],
    ['a bare text as value', [{ ...must, Value: 'here' }], ['wrong-type /CustomFieldValues/0/Value']],
    ['an entry without Key', [must, { Value: string('x') }], ['required /CustomFieldValues/1/Key']],
    ['an entry without Value', [must, { Key: 'a' }], ['required /CustomFieldValues/1/Value']],
    ['an entry that is null', [must, null], ['wrong-type /CustomFieldValues/1']],
    [
      'faults in several entries, all listed',
      [
        { Key: 'c', Value: string('x') },
        { Key: 'a', Value: { Date: { Value: '2024-01-01' } } },
        { Key: 'b', Value: [] },
      ],
      [
        'unknown-custom-field /CustomFieldValues/0/Key',
        'wrong-data-type /CustomFieldValues/1/Value',
        'single-value /CustomFieldValues/2/Value',
        'required-custom-field /CustomFieldValues',
      ],
    ],
  ]
  test.each(wrong)('%s is refused and nothing is written', async (_, values, errors) => {
    expect(refusal(await send(values))).toEqual(invalid(...errors))
    expect((await tenant.get(at(paths.entities, 'e'))).status).toBe(404)
  })

  test('a fault of a value names the field and what it takes, alone and in a bulk', async () => {
    const fields = [
      ...['Date', 'DateTime', 'Time', 'Number'].map(TypeKey => ({ ...text(TypeKey), TypeKey })),
      { ...text('Large'), TypeKey: 'Number' },
    ]
    await put(tenant, paths.types, aType('timed', { CustomFields: fields }))
    const CustomFieldValues = [
      { Key: 'Date', Value: { Date: { Value: '31.01.1980' } } },
      { Key: 'DateTime', Value: { DateTime: { Value: '9999-12-31T23:59:59-05:00' } } },
      { Key: 'Time', Value: { Time: { Value: '10:30Z' } } },
      { Key: 'Number', Value: { Date: { Value: 'many' } } },
      { Key: 'Large', Value: { Integer: { Value: Number('9007199254740993') } } },
    ]
    const wanted = [
      "The field 'Date' takes a Date such as 1980-01-31.",
      "The field 'DateTime' takes a DateTime such as 1980-01-31T08:30:00Z, of the years 0001 to 9999 in UTC.",
      "The field 'Time' takes a Time such as 08:30, without a zone.",
      'The field \'Number\' takes an Integer such as 72 or a Decimal such as 72.5. Write it as {"Integer":{"Value":72}}.',
      "The field 'Large' takes Integers of up to 9007199254740991, either sign. Send a larger number as Decimal, which keeps all digits.",
    ]
    const timed = anEntity('timed', { StructureTypeKey: 'timed', CustomFieldValues })
    for (const reply of [
      await tenant.put<Problem>(paths.entities, timed),
      await tenant.put<Problem>(`${paths.entities}/bulk`, [anEntity('other'), timed]),
    ]) {
      expect(
        reply.body.errors?.filter(({ pointer }) => pointer.includes('/Value')).map(({ detail }) => detail),
      ).toEqual(wanted)
    }
  })

  test('values come back in the order of the fields, and those not given are left out', async () => {
    const { body } = await send([must, { Key: 'b', Value: string('2') }])
    expect(body.CustomFieldValues.map(({ Field, Value }) => [Field.Key, Value.ValueText])).toEqual([
      ['b', '2'],
      ['must', 'here'],
    ])
  })

  test('a field may be called like a member of every JavaScript object', async () => {
    const keys = ['constructor', 'toString', '__proto__', 'hasOwnProperty', '0']
    await put(tenant, paths.types, aType('odd', { CustomFields: keys.map(key => text(key)) }))
    const odd = anEntity('odd', { StructureTypeKey: 'odd' })
    const bare = await tenant.put<EntityBody>(paths.entities, odd)
    expect([bare.status, bare.body.CustomFieldValues]).toEqual([201, []])

    const values = keys.map(Key => ({ Key, Value: string(`of ${Key}`) }))
    const full = await tenant.put(paths.entities, { ...odd, CustomFieldValues: values })
    expect(full.status).toBe(200)
    const { body } = await tenant.get<EntityBody>(at(paths.entities, 'odd'))
    expect(body.CustomFieldValues.map(({ Field, Value }) => [Field.Key, Value.ValueText])).toEqual(
      keys.map(key => [key, `of ${key}`]),
    )
    await put(tenant, `${paths.entities}/bulk`, [{ ...odd, CustomFieldValues: values.slice(0, 3) }])
    const after = await tenant.get<EntityBody>(at(paths.entities, 'odd'))
    expect(after.body.CustomFieldValues.map(({ Field }) => Field.Key)).toEqual(keys.slice(0, 3))
  })

  test('a required field called like a member of every JavaScript object is reported as missing', async () => {
    await put(tenant, paths.types, aType('odd too', { CustomFields: [text('constructor', true)] }))
    expect(refusal(await tenant.put(paths.entities, anEntity('odd', { StructureTypeKey: 'odd too' })))).toEqual(
      invalid('required-custom-field /CustomFieldValues'),
    )
  })

  test('a value that has become required is reported as missing at the next write, and reading still works', async () => {
    await put(tenant, paths.types, aType('grows', { CustomFields: [text('a')] }))
    const entity = anEntity('grown', { StructureTypeKey: 'grows' })
    await put(tenant, paths.entities, entity)
    await put(tenant, paths.types, aType('grows', { CustomFields: [text('a', true)] }))
    expect((await tenant.get<EntityBody>(at(paths.entities, 'grown'))).body.CustomFieldValues).toEqual([])
    expect(refusal(await tenant.put(paths.entities, { ...entity, DisplayName: 'New' }))).toEqual(
      invalid('required-custom-field /CustomFieldValues'),
    )
  })

  test('values written in bulk read back as those written singly do', async () => {
    const fields = [text('t'), { ...text('n'), TypeKey: 'Number' }, { ...text('d'), TypeKey: 'DateTime' }]
    await put(tenant, paths.types, aType('all', { CustomFields: fields }))
    const body = (key: string) =>
      `{"Key":"${key}","DisplayName":"x","StructureTypeKey":"all","CustomFieldValues":[
      {"Key":"t","Value":{"String":{"Value":"text"}}},
      {"Key":"n","Value":{"Decimal":{"Value":12345678901234567890.1230}}},
      {"Key":"d","Value":{"DateTime":{"Value":"2024-02-29T01:00:00+01:00"}}}]}`
    expect((await tenant.put(paths.entities, body('single'))).status).toBe(201)
    expect((await tenant.put(`${paths.entities}/bulk`, `[${body('bulk')}]`)).status).toBe(204)
    const [single, bulk] = await Promise.all(
      ['single', 'bulk'].map(key => tenant.get<EntityBody>(at(paths.entities, key))),
    )
    expect(bulk?.body.CustomFieldValues).toEqual(single?.body.CustomFieldValues)
    expect(bulk?.body.CustomFieldValues.map(({ Value }) => Value)).toEqual([
      { DataType: 'String', ValueText: 'text' },
      { DataType: 'Decimal', ValueText: '12345678901234567890.1230' },
      { DataType: 'DateTime', ValueText: '2024-02-29T00:00:00.000Z' },
    ])
  })
})
