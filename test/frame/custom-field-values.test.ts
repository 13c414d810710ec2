import { beforeAll, expect, inject, test } from 'vitest'
import { newTenant, type Problem, type Tenant } from '../support/api.js'
import { anEntity, aType, at, type EntityBody, invalid, paths, put, refusal } from '../support/frame.js'

const text = (Key: string, Required = false) => ({ TypeKey: 'Text', Name: `Field ${Key}`, Key, Required })
const string = (Value: unknown) => ({ String: { Value } })

let tenant: Tenant
beforeAll(async () => {
  tenant = await newTenant(inject('baseUrl'))
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
  ['no data type', [{ ...must, Value: {} }], ['minProperties /CustomFieldValues/0/Value']],
  [
    'two data types',
    [{ ...must, Value: { ...string('x'), Integer: { Value: 1 } } }],
    ['maxProperties /CustomFieldValues/0/Value'],
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
  const fields = ['Date', 'DateTime', 'Time', 'Number'].map(TypeKey => ({ ...text(TypeKey), TypeKey }))
  await put(tenant, paths.types, aType('timed', { CustomFields: fields }))
  const CustomFieldValues = [
    { Key: 'Date', Value: { Date: { Value: '31.01.1980' } } },
    { Key: 'DateTime', Value: { DateTime: { Value: '9999-12-31T23:59:59-05:00' } } },
    { Key: 'Time', Value: { Time: { Value: '10:30Z' } } },
    { Key: 'Number', Value: { Date: { Value: 'many' } } },
  ]
  const wanted = [
    "The field 'Date' takes a Date such as 1980-01-31.",
    "The field 'DateTime' takes a DateTime such as 1980-01-31T08:30:00Z, of the years 0001 to 9999 in UTC.",
    "The field 'Time' takes a Time such as 08:30, without a zone.",
    'The field \'Number\' takes an Integer such as 72 or a Decimal such as 72.5. Write it as {"Integer":{"Value":72}}.',
  ]
  const timed = anEntity('timed', { StructureTypeKey: 'timed', CustomFieldValues })
  for (const reply of [
    await tenant.put<Problem>(paths.entities, timed),
    await tenant.put<Problem>(`${paths.entities}/bulk`, [anEntity('other'), timed]),
  ]) {
    expect(reply.body.errors?.filter(({ pointer }) => pointer.includes('/Value')).map(({ detail }) => detail)).toEqual(
      wanted,
    )
  }
})

test('values come back in the order of the fields, and those not given are left out', async () => {
  const { body } = await send([must, { Key: 'b', Value: string('2') }])
  expect(body.CustomFieldValues.map(({ Field, Value }) => [Field.Key, Value.ValueText])).toEqual([
    ['b', '2'],
    ['must', 'here'],
  ])
  await tenant.delete(at(paths.entities, 'e'))
})

test('a field may be called like what every object has', async () => {
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

test('a required field called like what every object has is missed too', async () => {
  await put(tenant, paths.types, aType('odd too', { CustomFields: [text('constructor', true)] }))
  expect(refusal(await tenant.put(paths.entities, anEntity('odd', { StructureTypeKey: 'odd too' })))).toEqual(
    invalid('required-custom-field /CustomFieldValues'),
  )
})

test('a field that became required is missed at the next write, and reading goes on', async () => {
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
