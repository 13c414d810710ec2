import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { invalid, refusal } from '../support/frame.js'
import {
  aField,
  bulkPath,
  patch,
  peopleOf,
  readPerson,
  type SubjectBody,
  subjectsPath,
  subjectTenant,
  texts,
  value,
  type WrittenSubject,
} from '../support/subjects.js'

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
  if (status !== 200) throw new Error(JSON.stringify(body))
  const read = await tenant.get<SubjectBody>(`${subjectsPath}/${body.internalId}`)
  return {
    id: body.internalId,
    written: body.customFieldValues.find(each => each.customField.id === key)?.value,
    read: read.body.CustomFieldValues.find(({ Field }) => Field.Key === key)?.Value,
  }
}

test.each([
  ['Text', 'String', '"Zoë 👩‍👩‍👧 \\u0000 \\\\ \' \\" %"', 'Zoë 👩‍👩‍👧 \u0000 \\ \' " %', undefined],
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
  test('keeps them in their order, doubles too, and another upsert replaces them all', async () => {
    const given = subject(value('many Text', 'String', ['b', 'a', 'b', '']))
    const { body } = await tenant.post<WrittenSubject>(subjectsPath, given)
    expect(await readPerson(tenant, body.internalId)).toMatchObject({ 'many Text': ['b', 'a', 'b', ''] })
    const id = given.CustomFieldValues[0]
    await tenant.post(subjectsPath, { CustomFieldValues: [id, value('many Text', 'String', ['c'])] })
    expect(await readPerson(tenant, body.internalId)).toMatchObject({ 'many Text': ['c'], tags: ['x'] })
  })

  test('is taken away by an empty list or null, in an upsert and by PATCH', async () => {
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

  test('that is required is neither created empty nor emptied', async () => {
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

  test('takes an array and no single value; a field of one value takes one and no array', async () => {
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

test('fields may be called like members of every object, or have signs of queries and paths in their keys', async () => {
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
      if ((own[type] ?? [type]).includes(dataType)) expect(answer.status, `${type} ${dataType}`).toBe(200)
      else expect(refusal(answer)).toEqual(invalid('wrong-data-type /CustomFieldValues/2/Value'))
    }
  }
})
