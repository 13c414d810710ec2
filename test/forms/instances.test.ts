// Form instances.
import { describe, expect, test } from 'vitest'
import { aNote, aTemplate, formsTenant, openDatabase, someValues } from '../support/factories.js'
import { invalid, refusal } from '../support/frame.js'
import { aRequest, createPath, type InstanceBody, patientOf, storedOf } from '../support/instances.js'

const db = openDatabase()
const tenant = await formsTenant()
await tenant.publish(aTemplate(), aNote(), aNote({ key: 'early', status: 'Development' }))
const patient = patientOf(tenant)
const users = [
  { id: 'nurse', displayName: 'Nurse' },
  { id: 'gone', displayName: 'Gone', active: false },
]
await tenant.change({ users })

const create = (more: object = {}, headers = {}) => patient.create(more, headers)
const count = async () => (await patient.list()).body.length
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
  const { body: listed } = await patient.list()
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
  await patient.save(first.body.instanceGuid, { note: 'x' })
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
  const { body } = await patient.list()
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
  await patient.discard(body.instanceGuid)
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
  ['a context of 101 members', { instanceContext: tooMany }, ['too-many /instanceContext']],
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
    const { body } = await patient.history(reply.body.instanceGuid)
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
    return (await patient.read(body.instanceGuid)).body
  }
  expect(await given({ correlationId: 'in-body' }, { 'X-Correlation-Id': 'in-header' })).toMatchObject({
    correlationId: 'in-body',
  })
  expect(await given({}, { 'X-Correlation-Id': 'in-header' })).toMatchObject({ correlationId: 'in-header' })
  expect(await given({ correlationId: null }, {})).not.toHaveProperty('correlationId')
  const tooLong = await create({}, { 'X-Correlation-Id': 'x'.repeat(256) })
  expect(refusal(tooLong)).toEqual(invalid('too-long /header/X-Correlation-Id'))
})

const visit = (more: object = {}) => patient.created({ formKey: 'visit', ...more })

test('values of every kind are read as the specification has them, and what was read can be sent again', async () => {
  const guid = await visit({ instanceContext: { ward: 'B12' } })
  expect((await patient.submit(guid, someValues)).status).toBe(200)
  const { body } = await patient.read(guid)
  const value = (text: string) => ({ repeatIterationIndex: null, type: 'single-value', value: text })
  expect(body.values).toMatchObject({
    visited: [value('2026-11-02')],
    onset: [{ type: 'partial-date', dateKind: 'yyyy-MM', date: '2026-10-01' }],
    weight: [value('71.50')],
    consent: [value('true')],
    symptoms: [
      {
        type: 'multiple-selection',
        selections: [
          { value: 'pain', displayName: 'Label of pain' },
          { value: 'fever', displayName: 'Label of fever' },
        ],
      },
    ],
    mobility: [{ type: 'single-selection', value: 'with a stick', displayName: 'with a stick' }],
    place: [{ type: 'geolocation', latitude: 48.2, longitude: 16.37 }],
    image: [
      {
        type: 'annotated-image',
        imageDataUri: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
        annotations: [{ position: 1, value: 'bruise', x: 25, y: 50 }],
      },
    ],
    story: [{ type: 'translatable-text-value', originalText: 'It began in October.', targetLanguageCode: 'de' }],
    total: [value('3')],
    severity: [value('severe')],
    depth: [
      { repeatIterationIndex: 0, type: 'single-value', value: '12.5' },
      { repeatIterationIndex: 1, type: 'empty' },
    ],
    material: [
      { repeatIterationIndex: 0, repeatIterationPath: [0, 0], value: 'foam' },
      { repeatIterationIndex: 1, repeatIterationPath: [0, 1], value: 'gauze' },
    ],
  })
  expect(Object.keys(body.values).slice(0, 3)).toEqual(['visited', 'onset', 'at'])

  const again = await visit({ instanceContext: { ward: 'B12' } })
  expect((await patient.submit(again, body.values)).status).toBe(200)
  expect((await patient.read(again)).body.values).toEqual(body.values)
})

test('values are kept by building block, and a block without any is marked so', async () => {
  const guid = await visit()
  await patient.save(guid, { beats: 70 })
  const { values } = await storedOf(db, guid)
  expect(values).toMatchObject([
    { block_key: 'visit', has_data: 1 },
    { block_key: 'wounds', has_data: 0 },
  ])
  await patient.save(guid, {}, '*', '?autoSave=true')
  const current = (await storedOf(db, guid)).values?.slice(2)
  expect(current).toMatchObject([{ has_data: 0 }, { has_data: 0 }])
})

const wrong: [string, object, string[]][] = [
  [
    'every fault is named, each at its place',
    {
      visited: 'yesterday',
      beats: 301,
      weight: 'heavy',
      symptoms: ['pain', 'itch'],
      place: { latitude: 91, longitude: 0 },
      link: 'javascript:alert(1)',
      nothing: 1,
      'a/b~c': 1,
      site: [{ repeatIterationIndex: 1, value: 'hip' }],
    },
    [
      'unknown-control /values/nothing',
      'unknown-control /values/a~1b~0c',
      'repeat-gap /values/site/0',
      'date /values/visited',
      'too-high /values/beats',
      'decimal /values/weight',
      'unknown-option /values/symptoms',
      'geolocation /values/place',
      'url /values/link',
    ],
  ],
  ['a value that is no object stays where it is', { beats: { a: 1 } }, ['integer /values/beats']],
  ['a list outside repeats', { beats: [1, 2] }, ['integer /values/beats']],
  [
    'iterations by no number',
    { site: [{ value: 'hip' }, { repeatIterationIndex: -1, value: 'x' }] },
    ['iteration /values/site/0/repeatIterationIndex', 'iteration /values/site/1/repeatIterationIndex'],
  ],
  ['no list in a repeat', { site: 'hip' }, ['array /values/site']],
]

test.each(wrong)('%s: a draft is refused, and nothing is written', async (_, values, errors) => {
  const guid = await visit()
  const before = await storedOf(db, guid)
  const { status, code, errors: found } = refusal(await patient.save(guid, values))
  expect([status, code, found.sort()]).toEqual([400, 'validation', errors.sort()])
  expect(await storedOf(db, guid)).toEqual(before)
})

test('what is required may be absent from a draft, but not from what is submitted', async () => {
  const guid = await visit()
  const values = { consent: true, depth: [{ repeatIterationIndex: 0, value: 1 }] }
  const draft = await patient.save(guid, values)
  expect(draft.status).toBe(200)
  const before = await storedOf(db, guid)
  const reply = await patient.submit(guid, values, draft.headers.get('etag') ?? '')
  expect(refusal(reply)).toEqual(
    invalid('required /values/visited', 'required /values/consentNote', 'required /values/site'),
  )
  expect(await storedOf(db, guid)).toEqual(before)
})

test.each<[string, unknown, string[]]>([
  ['no values', {}, ['required /values']],
  ['a list of values', { values: [] }, ['wrong-type /values']],
  ['null', { values: null }, ['wrong-type /values']],
  ['no object', [], ['wrong-type']],
])('a body with %s is refused', async (_, body, errors) => {
  const guid = await visit()
  expect(refusal(await tenant.forms.put(`${patient.at(guid)}/draft`, body))).toEqual(invalid(...errors))
  expect(refusal(await tenant.forms.post(`${patient.at(guid)}/submit`, body))).toEqual(invalid(...errors))
})

test('a file of 30 MB is named as too large; a body beyond 32 MB is not read', async () => {
  const guid = await visit()
  const before = await storedOf(db, guid)
  const file = (megabytes: number) => `data:image/png;base64,${'A'.repeat(megabytes * 1024 * 1024)}`
  expect(refusal(await patient.save(guid, { photo: file(30), beats: 'x' }))).toMatchObject({
    status: 400,
    errors: ['integer /values/beats', 'too-large /values/photo'],
  })
  expect(refusal(await patient.save(guid, { photo: file(32) }))).toMatchObject({ status: 413, code: 'body-too-large' })
  expect(await storedOf(db, guid)).toEqual(before)
})

test('markup and quotes in texts are kept as they are', async () => {
  const guid = await visit()
  const remarks = `<script>alert('1')</script> " \\ \\' é 😀 \n\t{{ x }}`
  await patient.save(guid, { remarks })
  expect((await patient.read(guid)).body.values).toMatchObject({ remarks: [{ value: remarks }] })
})

test('the XML of an instance is its PatientForm document, and context names that XML forbids become keys', async () => {
  const instanceContext = {
    ward: 'B12',
    'bed number': '7',
    '1st': '<one>',
    'a"b': 'q',
    __proto__x: 'p',
    'xml:space': 's',
  }
  const guid = await visit({ instanceContext })
  await patient.save(guid, { beats: 70, remarks: 'a < b & c' })
  expect((await patient.read(guid)).body.instanceContext).toEqual(instanceContext)
  for (const accept of ['application/xml', 'text/xml', 'application/json;q=0.5, application/xml']) {
    const reply = await tenant.forms.get<string>(patient.at(guid), { accept })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8'])
    expect([reply.headers.get('etag'), reply.headers.get('vary')]).toEqual([
      await patient.etag(guid),
      'Accept, Accept-Encoding',
    ])
    expect(reply.body).toContain(
      `<preamble templateId="visit" templateVersion="1" instanceGuid="${guid}" subjectIdentifier="${tenant.subjectId}" status="Draft" `,
    )
    expect(reply.body).toMatch(/ createdByUserIdentifier="[^"]+" lastModifiedDateTime="[^"]+Z"\/><context>/)
    expect(reply.body).toContain('<beats>70</beats>')
    expect(reply.body).toContain('<remarks>a &lt; b &amp; c</remarks>')
    expect(reply.body).toContain('<ward>B12</ward>')
    expect(reply.body).toContain('<value key="bed number">7</value>')
    expect(reply.body).toContain('<value key="1st">&lt;one')
    expect(reply.body).toContain('<value key="a&quot;b">q</value>')
  }
  const json = await tenant.forms.get(patient.at(guid), { accept: 'application/json, application/xml;q=0.9' })
  expect(json.headers.get('content-type')).toMatch(/^application\/json/)
})

test('names of the context may be those of members of JavaScript objects', async () => {
  const guid = await visit({ instanceContext: JSON.parse('{"__proto__":"x","constructor":"y"}') })
  const { body } = await patient.read(guid)
  expect(JSON.stringify(body.instanceContext)).toBe('{"__proto__":"x","constructor":"y"}')
})

test('the context decides what is relevant, whatever else was sent', async () => {
  const bed = { id: 'bed', label: 'Bed', relevant: { context: 'ward', equals: 'B12' }, required: true }
  const buildingBlocks = [{ key: 'bed', sections: [{ id: 'only', controls: [bed] }] }]
  await tenant.publish(aTemplate({ key: 'bed', buildingBlocks }))
  const inWard = (ward: string) => patient.created({ formKey: 'bed', instanceContext: { ward } })
  expect(refusal(await patient.submit(await inWard('B12'), {}))).toEqual(invalid('required /values/bed'))
  const elsewhere = await inWard('C3')
  expect((await patient.submit(elsewhere, { bed: '7' })).status).toBe(200)
  expect((await patient.read(elsewhere)).body.values).toEqual({})
})
