// Matching of subjects.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { addPerson, subjectTenant, value } from '../support/factories.js'
import { invalid, readAll, refusal } from '../support/frame.js'
import { demoSubjects } from '../support/manifest.js'
import {
  bulkPath,
  patch,
  peopleOf,
  person,
  readPerson,
  type SubjectBody,
  subjectsPath,
  texts,
  type WrittenSubject,
} from '../support/subjects.js'

const matchBy = (...matchingFields: string[]) => tenant.change({ subjects: { ...demoSubjects, matchingFields } })
const upsert = (values: Record<string, string>) =>
  tenant.post<WrittenSubject>(subjectsPath, { CustomFieldValues: texts(values) })

const idsOf = async (field: string, text: string) =>
  (await readAll<SubjectBody>(tenant, subjectsPath, { [`customFieldValueFilter.values[${field}]`]: text })).map(
    ({ Id }) => Id,
  )

let tenant: Tenant
const newPeople = async () => {
  tenant = await subjectTenant()
}

describe('matching values that several subjects have', () => {
  beforeAll(async () => {
    await newPeople()
    for (const id of ['1', '2']) await addPerson(tenant, id, { familyName: 'Twin' })
    await addPerson(tenant, '3', { familyName: 'Single' })
    await matchBy('familyName')
  })

  test('are 409 in a single upsert, and nothing is changed', async () => {
    const answer = await upsert({ familyName: 'Twin', givenName: 'Changed' })
    expect(refusal(answer)).toEqual({
      status: 409,
      code: 'ambiguous-match',
      errors: ['ambiguous-match /CustomFieldValues'],
    })
    const twins = await idsOf('familyName', 'Twin')
    expect(twins).toHaveLength(2)
    for (const id of twins) expect(answer.body).toMatchObject({ detail: expect.stringContaining(id) })
    expect(await peopleOf(tenant, {}, 'givenName')).toEqual(['Ada', 'Ada', 'Ada'])
  })

  test('are 409 in a bulk that names each such item, and nothing is changed', async () => {
    const batch = ['Single', 'Twin', 'New'].map(familyName => ({
      CustomFieldValues: texts({ familyName, givenName: 'Changed', nationalId: familyName }),
    }))
    expect(refusal(await tenant.post(bulkPath, batch))).toEqual({
      status: 409,
      code: 'ambiguous-match',
      errors: ['ambiguous-match /1/CustomFieldValues #1'],
    })
    expect(await peopleOf(tenant, {}, 'givenName')).toEqual(['Ada', 'Ada', 'Ada'])
    expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { Edges: [] } })
  })

  test('give way to a 400 for a bad item', async () => {
    const answer = await tenant.post(subjectsPath, { CustomFieldValues: texts({ familyName: 'Twin', colour: 'red' }) })
    expect(refusal(answer)).toEqual(invalid('unknown-custom-field /CustomFieldValues/1/Key'))
  })

  // The last of these, as it changes them.
  test('affect no other upsert, and cause no conflict once one of the subjects has changed', async () => {
    expect((await upsert({ familyName: 'Single', givenName: 'Changed' })).status).toBe(200)
    const [first = ''] = (await tenant.get<{ Edges: { Node: { Id: string } }[] }>(subjectsPath)).body.Edges.map(
      ({ Node }) => Node.Id,
    )
    expect((await patch(tenant, first, texts({ familyName: 'Other' }))).status).toBe(200)
    expect((await upsert({ familyName: 'Twin', givenName: 'Second' })).status).toBe(200)
    expect(await peopleOf(tenant, {}, 'givenName')).toEqual(['Ada', 'Second', 'Changed'])
  })
})

describe('several matching fields', () => {
  beforeEach(async () => {
    await newPeople()
    await matchBy('givenName', 'familyName')
  })

  test('name a subject together, so that another combination is another subject', async () => {
    const ids = new Map<string, string>()
    for (const givenName of ['a', 'b']) {
      for (const familyName of ['a', 'b']) {
        const { status, body } = await upsert({ givenName, familyName, nationalId: givenName + familyName })
        expect(status).toBe(201)
        ids.set(givenName + familyName, body.internalId)
      }
    }
    expect(new Set(ids.values()).size).toBe(4)
    for (const [names, id] of ids) {
      const [givenName = '', familyName = ''] = names
      const { body } = await upsert({ familyName, givenName, email: names })
      expect(body.internalId).toBe(id)
    }
    expect(await peopleOf(tenant, {}, 'email')).toEqual(['aa', 'ab', 'ba', 'bb'])
  })

  test('must all be given: each that is not is named', async () => {
    await addPerson(tenant, '1')
    expect(refusal(await upsert({ familyName: 'Byron' }))).toEqual(
      invalid('required-matching-field /CustomFieldValues'),
    )
    const answer = await upsert({ nationalId: '1' })
    expect(refusal(answer)).toEqual(
      invalid('required-matching-field /CustomFieldValues', 'required-matching-field /CustomFieldValues'),
    )
    expect(answer.body).toMatchObject({
      errors: [{ detail: expect.stringContaining("'givenName'") }, { detail: expect.stringContaining("'familyName'") }],
    })
  })

  test('are the same twice in a batch only when all are the same', async () => {
    const names = (givenName: string, familyName: string) => ({
      CustomFieldValues: texts({ givenName, familyName, nationalId: `${givenName} ${familyName}` }),
    })
    expect((await tenant.post(bulkPath, [names('a', 'b'), names('b', 'a'), names('a', 'a')])).status).toBe(200)
    expect(refusal(await tenant.post(bulkPath, [names('a', 'b'), names('a', 'c'), names('a', 'b')]))).toEqual(
      invalid('duplicate-subject /2/CustomFieldValues #2'),
    )
    expect(await peopleOf(tenant)).toHaveLength(3)
  })

  test('and a user, that differ only at their ends or in their Unicode form are the same', async () => {
    const fields = demoSubjects.fields.map(field => (field.key === 'keyWorker' ? { ...field, required: true } : field))
    await tenant.change({ subjects: { ...demoSubjects, fields, matchingFields: ['familyName', 'keyWorker'] } })
    const add = async (familyName: string, keyWorker: string) => {
      const { CustomFieldValues } = person('1', { familyName })
      const values = [...CustomFieldValues, value('keyWorker', 'UserIdentifier', keyWorker)]
      return (await tenant.post<WrittenSubject>(subjectsPath, { CustomFieldValues: values })).body.internalId
    }
    const first = await add('Söder', 'kim')
    expect(first).toMatch(/-/)
    expect(await add('So\u0308der ', ' kim')).toBe(first)
    expect(await add('Söder', 'k im')).not.toBe(first)
  })

  test('changed by PATCH in one field, count together with those that stay', async () => {
    const ids = new Map<string, string>()
    for (const names of ['aa', 'ab', 'bb']) {
      const [givenName = '', familyName = ''] = names
      ids.set(names, (await upsert({ givenName, familyName, nationalId: names })).body.internalId)
    }
    const change = (names: string, more: Record<string, string>) => patch(tenant, ids.get(names) ?? '', texts(more))
    expect(refusal(await change('aa', { familyName: 'b' }))).toMatchObject({ status: 409 })
    expect(refusal(await change('bb', { givenName: 'a' }))).toMatchObject({ status: 409 })
    expect((await change('aa', { givenName: 'b' })).status).toBe(200)
    expect((await upsert({ givenName: 'a', familyName: 'a', nationalId: 'new' })).body.internalId).not.toBe(
      ids.get('aa'),
    )
  })
})

describe('one matching field', () => {
  beforeAll(newPeople)
  /** Which of these values people have, in the order of the people; every test has people of its own. */
  const among = async (values: string[], field = 'nationalId') =>
    (await peopleOf(tenant, {}, field)).filter(each => values.includes(each))

  test.each([
    ['letter case', ['Ab1', 'ab1', 'AB1']],
    ['accents', ['e', 'é', 'è']],
    ['a quote', ['y', "y'"]],
  ])('values that differ by %s are of different subjects', async (_, ids) => {
    for (const id of ids) await addPerson(tenant, id)
    expect(await among(ids)).toEqual(ids)
    for (const id of ids) expect((await upsert({ nationalId: id, email: id })).status).toBe(200)
    expect(await among(ids, 'email')).toEqual(ids)
  })

  describe('values that differ only at their ends or in their Unicode form', () => {
    const spellings = ['Zoë', 'Zoe\u0308', ' Zoë\u00a0']

    test('are of one subject, which keeps the spelling that came last', async () => {
      const answers = []
      for (const id of spellings) answers.push(await tenant.post<WrittenSubject>(subjectsPath, person(id)))
      expect(new Set(answers.map(({ body }) => body.internalId)).size).toBe(1)
      expect(await among(spellings)).toEqual(spellings.slice(-1))
      for (const id of spellings) expect(await idsOf('nationalId', id)).toEqual([answers[0]?.body.internalId])
    })

    test('are one subject given twice in a batch', async () => {
      expect(
        refusal(
          await tenant.post(
            bulkPath,
            spellings.map(id => person(id)),
          ),
        ),
      ).toEqual(invalid('duplicate-subject /1/CustomFieldValues #1', 'duplicate-subject /2/CustomFieldValues #2'))
    })

    test('are refused for another subject by PATCH, while the subject itself may change their spelling', async () => {
      const [one, two] = [await addPerson(tenant, 'ü'), await addPerson(tenant, 'u')]
      const answer = await patch(tenant, two, texts({ nationalId: ' u\u0308' }))
      expect(refusal(answer)).toMatchObject({ status: 409, code: 'matching-values-taken' })
      expect(answer.body).toMatchObject({ detail: expect.stringContaining(one) })
      expect((await patch(tenant, one, texts({ nationalId: 'u\u0308 ' }))).status).toBe(200)
      expect(await among(['ü', 'u\u0308 ', 'u'])).toEqual(['u\u0308 ', 'u'])
      expect((await tenant.post<WrittenSubject>(subjectsPath, person('ü'))).body.internalId).toBe(one)
    })
  })

  describe('PATCH of matching values', () => {
    test("to another subject's is 409, and nothing is changed; to free ones it moves the subject", async () => {
      const [one, two] = [await addPerson(tenant, 'one'), await addPerson(tenant, 'two')]
      const answer = await patch(tenant, one, texts({ nationalId: 'two', givenName: 'Changed' }))
      expect(refusal(answer)).toEqual({ status: 409, code: 'matching-values-taken', errors: [] })
      expect(await readPerson(tenant, one)).toMatchObject({ nationalId: 'one', givenName: 'Ada' })
      expect((await patch(tenant, one, texts({ nationalId: 'three' }))).status).toBe(200)
      expect((await patch(tenant, two, texts({ nationalId: 'one' }))).status).toBe(200)
      expect((await upsert({ nationalId: 'one', email: 'x' })).body.internalId).toBe(two)
      expect((await upsert({ nationalId: 'three', email: 'x' })).body.internalId).toBe(one)
      expect(await among(['one', 'two', 'three'])).toEqual(['three', 'one'])
    })

    test('to its own is no conflict', async () => {
      const one = await addPerson(tenant, 'self')
      expect((await patch(tenant, one, texts({ nationalId: 'self', givenName: 'B' }))).status).toBe(200)
      expect(await readPerson(tenant, one)).toMatchObject({ givenName: 'B' })
    })
  })
})

test('a number as matching value is the same however it is written', async () => {
  await newPeople()
  const fields = demoSubjects.fields.map(field => (field.key === 'weight' ? { ...field, required: true } : field))
  await tenant.change({ subjects: { ...demoSubjects, fields, matchingFields: ['weight'] } })
  const weigh = async (dataType: string, digits: string) => {
    const body = JSON.stringify({
      CustomFieldValues: [...person('1').CustomFieldValues, value('weight', dataType, '#')],
    })
    return (await tenant.post<WrittenSubject>(subjectsPath, body.replace('"#"', digits))).body.internalId
  }
  const first = await weigh('Decimal', '72.50')
  expect(first).toMatch(/-/)
  expect(await weigh('Decimal', '72.5')).toBe(first)
  expect(await weigh('Decimal', '7.25e1')).toBe(first)
  expect(await weigh('Decimal', '72.500000000000000000000000001')).not.toBe(first)
  const whole = await weigh('Integer', '72')
  expect(await weigh('Decimal', '72.0')).toBe(whole)
})

test('a PATCH while upserts are off may give two subjects equal matching values, which are then ambiguous', async () => {
  await newPeople()
  const one = await addPerson(tenant, '1')
  await addPerson(tenant, '2')
  await tenant.change({ subjects: { ...demoSubjects, upsert: false } })
  expect((await patch(tenant, one, texts({ nationalId: '2' }))).status).toBe(200)
  await tenant.change({ subjects: demoSubjects })
  expect(refusal(await upsert({ nationalId: '2' }))).toMatchObject({ status: 409, code: 'ambiguous-match' })
})
