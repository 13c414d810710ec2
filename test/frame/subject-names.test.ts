import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { invalid, refusal } from '../support/frame.js'
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
} from '../support/subjects.js'

let tenant: Tenant
beforeAll(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, 'a', 'b')
})

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
    expect([answer.status, answer.body]).toEqual([200, plain.body])
    const bulk = await tenant.post(`${path}/bulk`, renamed([body], rename))
    expect([bulk.status, bulk.body]).toEqual([200, [plain.body]])
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
