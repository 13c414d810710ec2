import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { aSmallTemplate, aTemplate, type FormsTenant, formsTenant, someValues } from '../support/forms.js'
import { invalid, refusal } from '../support/frame.js'
import { type Patient, patientOf, storedOf } from '../support/instances.js'

let tenant: FormsTenant
let patient: Patient
const db = connect(inject('databaseUrl'), { poolSize: 1 })
beforeAll(async () => {
  tenant = await formsTenant()
  await tenant.publish(aTemplate())
  patient = patientOf(tenant)
})
afterAll(() => db.destroy())

const created = (more: object = {}) => patient.created({ formKey: 'visit', ...more })

test('values of every kind are read as the specification has them, and what was read can be sent again', async () => {
  const guid = await created({ instanceContext: { ward: 'B12' } })
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

  const again = await created({ instanceContext: { ward: 'B12' } })
  expect((await patient.submit(again, body.values)).status).toBe(200)
  expect((await patient.read(again)).body.values).toEqual(body.values)
})

test('values are kept by building block, and a block without any is marked so', async () => {
  const guid = await created()
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
  const guid = await created()
  const before = await storedOf(db, guid)
  const { status, code, errors: found } = refusal(await patient.save(guid, values))
  expect([status, code, found.sort()]).toEqual([400, 'validation', errors.sort()])
  expect(await storedOf(db, guid)).toEqual(before)
})

test('what is required may be absent from a draft, but not from what is submitted', async () => {
  const guid = await created()
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
  const guid = await created()
  expect(refusal(await tenant.forms.put(`${patient.at(guid)}/draft`, body))).toEqual(invalid(...errors))
  expect(refusal(await tenant.forms.post(`${patient.at(guid)}/submit`, body))).toEqual(invalid(...errors))
})

test('a file of 30 MB is named as too large; a body beyond 32 MB is not read', async () => {
  const guid = await created()
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
  const guid = await created()
  const remarks = `<script>alert('1')</script> " \\ \\' é 😀 \n\t{{ x }}`
  await patient.save(guid, { remarks })
  expect((await patient.read(guid)).body.values).toMatchObject({ remarks: [{ value: remarks }] })
})

test('as XML it is the PatientForm document, with its context: names that XML cannot have are keys', async () => {
  const instanceContext = {
    ward: 'B12',
    'bed number': '7',
    '1st': '<one>',
    'a"b': 'q',
    __proto__x: 'p',
    'xml:space': 's',
  }
  const guid = await created({ instanceContext })
  await patient.save(guid, { beats: 70, remarks: 'a < b & c' })
  expect((await patient.read(guid)).body.instanceContext).toEqual(instanceContext)
  for (const accept of ['application/xml', 'text/xml', 'application/json;q=0.5, application/xml']) {
    const reply = await tenant.forms.get<string>(patient.at(guid), { accept })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8'])
    expect([reply.headers.get('etag'), reply.headers.get('vary')]).toEqual([await patient.etag(guid), 'Accept'])
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

test('names of the context that mean something in JavaScript are names like others', async () => {
  const guid = await created({ instanceContext: JSON.parse('{"__proto__":"x","constructor":"y"}') })
  const { body } = await patient.read(guid)
  expect(JSON.stringify(body.instanceContext)).toBe('{"__proto__":"x","constructor":"y"}')
})

test('the context decides what is relevant, whatever else was sent', async () => {
  const bed = { id: 'bed', label: 'Bed', relevant: { context: 'ward', equals: 'B12' }, required: true }
  await tenant.publish(aSmallTemplate([bed]))
  const inWard = (ward: string) => patient.created({ formKey: 'small', instanceContext: { ward } })
  expect(refusal(await patient.submit(await inWard('B12'), {}))).toEqual(invalid('required /values/bed'))
  const elsewhere = await inWard('C3')
  expect((await patient.submit(elsewhere, { bed: '7' })).status).toBe(200)
  expect((await patient.read(elsewhere)).body.values).toEqual({})
})
