import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { invalid, refusal } from '../support/frame.js'
import { demoSubjects } from '../support/manifest.js'
import {
  addPerson,
  patch,
  plantWards,
  readPerson,
  type SubjectBody,
  subjectsPath,
  subjectTenant,
  texts,
  value,
} from '../support/subjects.js'

let tenant: Tenant
beforeAll(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, 'a')
})

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

  test('with null takes an optional value away; again it does no harm', async () => {
    const id = await newPerson({ email: 'a@example.org', languages: ['en', 'fr'] })
    const away = ['email', 'languages', 'weight'].map(Key => ({ Key, Value: null }))
    for (const _ of [1, 2]) {
      expect((await patch(tenant, id, wrap(away))).status).toBe(200)
      const read = await readPerson(tenant, id)
      expect(Object.keys(read)).toEqual(['givenName', 'familyName', 'nationalId', 'places'])
    }
  })

  test('with nothing in it changes nothing', async () => {
    const id = await newPerson()
    const before = await tenant.get(`${subjectsPath}/${id}`)
    expect((await patch(tenant, id, wrap([]))).status).toBe(200)
    expect((await tenant.get(`${subjectsPath}/${id}`)).body).toEqual(before.body)
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
      `maxProperties ${at}/3/Value`,
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
  ['a list that is null', { CustomFieldValues: null }, invalid('wrong-type /CustomFieldValues')],
  ['a list that is an object', { CustomFields: {} }, invalid('wrong-type /CustomFields')],
  ['a text', '"x"', invalid('wrong-type')],
  ['null', 'null', invalid('wrong-type')],
])('%s is 400, and nothing is changed', async (_, body, expected) => {
  const id = await newPerson()
  const before = await readPerson(tenant, id)
  expect(refusal(await patch(tenant, id, body))).toEqual(expected)
  expect(await readPerson(tenant, id)).toEqual(before)
})

test('a subject that lacks what has become required is still changed: only what is given must have a value', async () => {
  const own = await subjectTenant()
  const id = await addPerson(own, '1')
  const fields = demoSubjects.fields.map(field => (field.key === 'email' ? { ...field, required: true } : field))
  await own.change({ subjects: { ...demoSubjects, fields } })
  expect((await patch(own, id, texts({ givenName: 'B' }))).status).toBe(200)
  expect(refusal(await patch(own, id, [{ Key: 'email', Value: null }]))).toEqual(
    invalid('required-custom-field /0/Value'),
  )
})
