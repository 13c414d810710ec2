import { beforeAll, describe, expect, test } from 'vitest'
import { type FormsTenant, formsTenant } from '../support/forms.js'
import { invalid, refusal } from '../support/frame.js'
import { aNote, aRequest, createPath, type InstanceBody, patientOf } from '../support/instances.js'

let tenant: FormsTenant
beforeAll(async () => {
  tenant = await formsTenant()
  await tenant.publish(aNote(), aNote({ key: 'early', status: 'Development' }))
  const users = [
    { id: 'nurse', displayName: 'Nurse' },
    { id: 'gone', displayName: 'Gone', active: false },
  ]
  await tenant.change({ users })
})

const create = (more: object = {}, headers = {}) => patientOf(tenant).create(more, headers)
const count = async () => (await patientOf(tenant).list()).body.length
const guid = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/)
const withoutZone = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/)

test('a new instance answers its summary with the link to its version, and an ETag', async () => {
  const { status, body, headers } = await create()
  expect([status, body]).toEqual([
    200,
    {
      instanceGuid: guid,
      title: 'Home visit',
      createDateTimeUtc: withoutZone,
      lastModifiedDateTimeUtc: withoutZone,
      status: 'New',
      isAmendable: false,
      key: 'small',
      version: 1,
      viewLink: expect.stringContaining(`/forms/${tenant.tenantKey}/instances/${body.instanceGuid}/versions/`),
    },
  ])
  expect(headers.get('etag')).toBe('"1"')
  const { body: listed } = await patientOf(tenant).list()
  const { viewLink, ...summary } = body
  expect(viewLink.split('/').at(-1)).toEqual(guid)
  expect(listed).toContainEqual(summary)
})

test('the address is the same without the slash at its end', async () => {
  const { status, body } = await tenant.forms.post(createPath.slice(0, -1), aRequest(tenant.subjectId))
  expect([status, body]).toMatchObject([200, { status: 'New' }])
})

test('the same request again answers the same instance, wherever it is by then; the order of the context says nothing', async () => {
  const request = aRequest(tenant.subjectId, { instanceContext: { a: '1', b: '2' } })
  const first = await tenant.forms.post<InstanceBody>(createPath, request)
  await patientOf(tenant).save(first.body.instanceGuid, { note: 'x' })
  const other = { ...request, patientIdentifier: tenant.externalId, instanceContext: { b: '2', a: '1' } }
  const again = await tenant.forms.post<InstanceBody>(createPath, other)
  expect([again.status, again.body]).toMatchObject([200, { instanceGuid: first.body.instanceGuid, status: 'Draft' }])
})

test('identical creates at once make one instance', async () => {
  const request = aRequest(tenant.subjectId)
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => tenant.forms.post<InstanceBody>(createPath, request)),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
  const ids = new Set(replies.map(({ body }) => body.instanceGuid))
  expect(ids.size).toBe(1)
  const { body } = await patientOf(tenant).list()
  expect(body.filter(({ instanceGuid }) => ids.has(instanceGuid))).toHaveLength(1)
})

test('another request with the same identifier is refused, also one that differs in the context alone', async () => {
  const request = aRequest(tenant.subjectId, { instanceContext: { ward: 'A1' } })
  await tenant.forms.post(createPath, request)
  for (const more of [{ instanceContext: { ward: 'A2' } }, { correlationId: 'c' }, { instanceContext: {} }]) {
    const reply = await tenant.forms.post(createPath, { ...request, ...more })
    const errors = ['instance-identifier-taken /instanceIdentifier']
    expect(refusal(reply)).toEqual({ status: 409, code: 'instance-identifier-taken', errors })
  }
})

test('the identifier of a discarded instance is not used again', async () => {
  const request = aRequest(tenant.subjectId)
  const { body } = await tenant.forms.post<InstanceBody>(createPath, request)
  await patientOf(tenant).discard(body.instanceGuid)
  const errors = ['instance-discarded /instanceIdentifier']
  const reply = await tenant.forms.post(createPath, request)
  expect(refusal(reply)).toEqual({ status: 409, code: 'instance-discarded', errors })
})

const nobody = '0190a000-0000-7000-8000-000000000000'
test.each<[string, object, string[]]>([
  ['an unknown patient', { patientIdentifier: nobody }, ['unknown-patient /patientIdentifier']],
  ['a patient that is no guid', { patientIdentifier: 'é ' }, ['unknown-patient /patientIdentifier']],
  ['an unknown form', { formKey: 'nothing' }, ['unknown-form /formVersion']],
  ['an unknown version', { formVersion: 2 }, ['unknown-form /formVersion']],
  ['a form in development', { formKey: 'early' }, ['unknown-form /formVersion']],
  [
    'neither',
    { patientIdentifier: 'x', formKey: 'X' },
    ['unknown-patient /patientIdentifier', 'unknown-form /formVersion'],
  ],
])('%s is 404 with its place, and nothing is written', async (_, more, errors) => {
  const before = await count()
  expect(refusal(await create(more))).toEqual({ status: 404, code: 'not-found', errors })
  expect(await count()).toBe(before)
})

const tooMany = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`k${n}`, '']))
test.each<[string, object, string[]]>([
  [
    'nothing at all',
    { patientIdentifier: undefined, instanceIdentifier: undefined, formKey: undefined, formVersion: undefined },
    ['patientIdentifier', 'instanceIdentifier', 'formKey', 'formVersion'].map(name => `required /${name}`),
  ],
  ['a version that is no number', { formVersion: '1' }, ['wrong-type /formVersion']],
  ['a version 0', { formVersion: 0 }, ['out-of-range /formVersion']],
  ['an identifier with a blank at its end', { instanceIdentifier: 'a ' }, ['wrong-format /instanceIdentifier']],
  [
    'an onBehalfOf of another kind',
    { onBehalfOf: { identifier: 'a', type: 'robot' } },
    ['unknown-value /onBehalfOf/type'],
  ],
  ['an onBehalfOf of nobody', { onBehalfOf: {} }, ['required /onBehalfOf/identifier', 'required /onBehalfOf/type']],
  ['a context that is a list', { instanceContext: ['a'] }, ['wrong-type /instanceContext']],
  [
    'a context with other than texts',
    { instanceContext: { a: 1, b: null, c: 'x' } },
    ['wrong-type /instanceContext/a', 'wrong-type /instanceContext/b'],
  ],
  ['a context of 101 members', { instanceContext: tooMany }, ['maxProperties /instanceContext']],
  ['a context with a long text', { instanceContext: { a: 'x'.repeat(4_001) } }, ['too-long /instanceContext/a']],
  ['a context that XML cannot hold', { instanceContext: { a: '\u0001' } }, ['wrong-format /instanceContext/a']],
  ['a context with a long name', { instanceContext: { ['n'.repeat(256)]: '' } }, ['wrong-format /instanceContext']],
  ['a context without a name', { instanceContext: { '': 'a' } }, ['wrong-format /instanceContext']],
])('%s is refused with every fault, and nothing is written', async (_, more, errors) => {
  const before = await count()
  expect(refusal(await create(more))).toEqual(invalid(...errors))
  expect(await count()).toBe(before)
})

describe('on behalf of', () => {
  const createdBy = async (more: object) => {
    const reply = await create(more)
    if (reply.status !== 200) return refusal(reply)
    const { body } = await patientOf(tenant).history(reply.body.instanceGuid)
    return body.compositeInstanceHistory[0]?.createdByUserIdentifier
  }

  test('nobody: the caller has created it', async () => {
    expect(await createdBy({})).toMatch(new RegExp(`^${tenant.tenantKey}-`))
  })

  test.each([
    ['user', 'nurse'],
    ['system', 'lab'],
    ['external', 'gp@example.org'],
    ['subjectProxy', 'the daughter'],
  ])('a %s has created it', async (type, identifier) => {
    expect(await createdBy({ onBehalfOf: { identifier, type } })).toBe(identifier)
  })

  test('a subject by its Id or its ExternalId has created it, and is named as it was given', async () => {
    for (const identifier of [tenant.subjectId, tenant.externalId])
      expect(await createdBy({ onBehalfOf: { identifier, type: 'subject' } })).toBe(identifier)
  })

  test.each<[string, string, object]>([
    ['user', 'stranger', invalid('unknown-user /onBehalfOf/identifier')],
    ['user', 'Nurse', invalid('unknown-user /onBehalfOf/identifier')],
    ['subject', nobody, invalid('unknown-subject /onBehalfOf/identifier')],
    ['user', 'gone', { status: 403, code: 'forbidden', errors: ['inactive-user /onBehalfOf/identifier'] }],
  ])('a %s %s is refused', async (type, identifier, expected) => {
    expect(await createdBy({ onBehalfOf: { identifier, type } })).toEqual(expected)
  })
})

test('the correlation id is the member, else the header', async () => {
  const given = async (more: object, headers: Record<string, string>) => {
    const { body } = await create(more, headers)
    return (await patientOf(tenant).read(body.instanceGuid)).body
  }
  expect(await given({ correlationId: 'in-body' }, { 'X-Correlation-Id': 'in-header' })).toMatchObject({
    correlationId: 'in-body',
  })
  expect(await given({}, { 'X-Correlation-Id': 'in-header' })).toMatchObject({ correlationId: 'in-header' })
  expect(await given({}, {})).toMatchObject({ correlationId: null })
  const tooLong = await create({}, { 'X-Correlation-Id': 'x'.repeat(256) })
  expect(refusal(tooLong)).toEqual(invalid('too-long /header/X-Correlation-Id'))
})
