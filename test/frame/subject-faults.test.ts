import { beforeAll, describe, expect, test } from 'vitest'
import type { Problem, Tenant } from '../support/api.js'
import { invalid, refusal } from '../support/frame.js'
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
  value,
} from '../support/subjects.js'

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
  ['no data type', raw('email', {}), 'minProperties 3/Value'],
  ['two data types', raw('weight', { Integer: { Value: 1 }, Decimal: { Value: 1 } }), 'maxProperties 3/Value'],
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
  ['a text of 10,001', value('email', 'String', 'x'.repeat(10_001)), 'too-long 3/Value/String/Value'],
  ['one value for several', value('languages', 'String', 'en'), 'array 3/Value'],
  ['several for one', value('email', 'String', ['a', 'b']), 'single-value 3/Value'],
  ['an array in an array', raw('languages', [[{ String: { Value: 'en' } }]]), 'wrong-type 3/Value/0'],
  ['a null among several', raw('languages', [{ String: { Value: 'en' } }, null]), 'wrong-type 3/Value/1'],
  ['one wrong among several', value('languages', 'String', ['en', 7]), 'wrong-type 3/Value/1/String/Value'],
]

/** What the fields take, as every fault of a value says it. */
const forms: Record<string, string> = {
  givenName: 'takes a String of at most 10,000 characters',
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
  const wanted =
    isTwice || !(key in forms)
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
  ['entity keys that are null', { ...person('x'), StructuralEntityKeys: null }, ['wrong-type /StructuralEntityKeys']],
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

test('the blank matching value of one who is new is refused once, as what it is', async () => {
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

test('null takes an optional value of one who exists away, and a required one is kept: 400', async () => {
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

describe('every fault is named, those of the shape and all others', () => {
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
