// Form templates through the administration API.
import { Compile } from 'typebox/schema'
import { expect, inject, test } from 'vitest'
import { api, type Problem } from '../support/api.js'
import { aSmallTemplate, aTemplate, formsTenant } from '../support/factories.js'
import { a, options } from '../support/form-faults.js'
import { formPath, putForm, type TemplateBody } from '../support/forms.js'
import { manifestOf } from '../support/manifest.js'

const tenant = await formsTenant()

const put = (body: TemplateBody, query = '') => putForm(tenant.platform, tenant.tenantKey, body, query)
const get = (body: TemplateBody) => tenant.platform.get<Record<string, unknown>>(formPath(tenant.tenantKey, body))
const list = (tenantKey = tenant.tenantKey) =>
  tenant.platform.get<TemplateBody[]>(`/admin/v1/tenants/${tenantKey}/forms`)

test('a template is completed with what its author left out, and read back as it can be written again', async () => {
  const controls = [
    a('one', { dataType: 'time', min: '09:30', initial: { value: '10:00' } }),
    a('two', { dataType: 'integer', options: options(1, '02'), relevant: { control: 'one', equals: '10:00:00' } }),
    a('three', { dataType: 'decimal', min: 0.5, max: '10.50' }),
  ]
  const body = aSmallTemplate(controls, { key: 'completed', status: undefined, classification: undefined })
  const written = await put(body)
  expect([written.status, written.body]).toEqual([
    201,
    {
      key: 'completed',
      version: 1,
      status: 'Development',
      created: true,
      applied: true,
      comparedWith: null,
      breaks: [],
      warnings: [],
    },
  ])
  const flags = {
    couldHaveValue: true,
    required: false,
    couldHaveMultipleValues: false,
    allowOther: false,
    multiline: false,
    partial: false,
  }
  const read = await get(body)
  expect([read.status, read.body]).toEqual([
    200,
    {
      key: 'completed',
      version: 1,
      status: 'Development',
      title: 'Home visit',
      classification: 'Uncategorised',
      language: 'en',
      allowAmend: true,
      allowSaveDraft: true,
      autoSaveIntervalSeconds: 30,
      allowDiscard: true,
      allowRevoke: true,
      buildingBlocks: [
        {
          key: 'small',
          version: 1,
          sections: [
            {
              id: 'only',
              controls: [
                {
                  id: 'one',
                  label: 'Label of one',
                  dataType: 'time',
                  ...flags,
                  min: '09:30:00',
                  initial: { value: '10:00:00' },
                },
                {
                  id: 'two',
                  label: 'Label of two',
                  dataType: 'integer',
                  ...flags,
                  options: [
                    { value: '1', label: 'Label of 1' },
                    { value: '2', label: 'Label of 02' },
                  ],
                  relevant: { control: 'one', equals: '10:00:00' },
                },
                { id: 'three', label: 'Label of three', dataType: 'decimal', ...flags, min: '0.5', max: '10.50' },
              ],
              repeats: [],
            },
          ],
        },
      ],
    },
  ])
  const again = await tenant.platform.put(formPath(tenant.tenantKey, body), read.body)
  expect([again.status, again.body]).toMatchObject([200, { created: false }])
  expect((await get(body)).body).toEqual(read.body)
})

test('a template with every kind of control can be read and written again, also in production', async () => {
  expect((await put(aTemplate({ key: 'every' }))).status).toBe(201)
  const { body } = await get(aTemplate({ key: 'every' }))
  const again = await put(body as TemplateBody)
  expect([again.status, again.body]).toMatchObject([200, { created: false, status: 'Production' }])
  expect((await get(aTemplate({ key: 'every' }))).body).toEqual(body)
})

test('member names, data types and the status are taken in any letter case, ids only as they are', async () => {
  const body = {
    Key: 'cased',
    VERSION: 1,
    Status: 'production',
    TITLE: 'T',
    BuildingBlocks: [
      { key: 'cased', Sections: [{ ID: 'S', Controls: [{ Id: 'X', Label: 'L', DATATYPE: 'Data-URL', MaxBytes: 9 }] }] },
    ],
  }
  expect((await tenant.platform.put(formPath(tenant.tenantKey, { key: 'cased', version: 1 }), body)).status).toBe(201)
  const read = await get({ key: 'cased', version: 1 })
  expect(read.body).toMatchObject({
    status: 'Production',
    buildingBlocks: [{ sections: [{ id: 'S', controls: [{ id: 'X', dataType: 'data-url', maxBytes: 9 }] }] }],
  })
})

test('the list has every version of every form of the tenant, with its status', async () => {
  const other = await manifestOf()
  await other.put({})
  const put = (version: number, more: object) =>
    putForm(other.platform, other.tenantKey, aSmallTemplate([a('x')], { key: 'listed', version, ...more }))
  await put(10, { status: 'Development', title: 'Tenth' })
  await put(2, { classification: 'Plans' })
  await putForm(other.platform, other.tenantKey, aSmallTemplate([a('x')], { key: 'Listed' }))
  const of = (key: string, version: number, status: string, title = 'Home visit', classification = 'Observation') => ({
    key,
    version,
    status,
    title,
    classification,
  })
  expect(await list(other.tenantKey)).toMatchObject({
    status: 200,
    body: [
      of('Listed', 1, 'Production'),
      of('listed', 2, 'Production', 'Home visit', 'Plans'),
      of('listed', 10, 'Development', 'Tenth'),
    ],
  })
  expect((await list()).body.map(({ key }) => key)).not.toContain('listed')
  const elsewhere = await get({ key: 'listed', version: 2 })
  expect(elsewhere.body).toMatchObject({ status: 404, detail: "There is no version 2 of a form 'listed'." })
})

test('a version in development may change, including its status', async () => {
  const body = aSmallTemplate([a('x')], { key: 'changing', status: 'Development' })
  await put(body)
  const changed = await put({ ...body, title: 'Changed', status: 'Production' })
  expect([changed.status, changed.body]).toMatchObject([200, { created: false, status: 'Production' }])
  expect((await get(body)).body).toMatchObject({ title: 'Changed', status: 'Production' })
})

test('plan=true checks everything and writes nothing', async () => {
  const body = aSmallTemplate([a('x')], { key: 'planned' })
  const planned = await put(body, '?plan=true')
  expect([planned.status, planned.body]).toMatchObject([200, { created: true, applied: false, status: 'Production' }])
  expect((await get(body)).status).toBe(404)
  expect((await put(aSmallTemplate([a('x', { min: 1 })], { key: 'planned' }), '?plan=true')).body).toMatchObject({
    status: 400,
  })
  await put({ ...body, status: 'Development' })
  await put({ ...body, title: 'Changed' }, '?plan=true')
  expect((await get(body)).body).toMatchObject({ title: 'Home visit', status: 'Development' })
})

test.each([
  ['a form', 'nothing', '1'],
  ['a version', 'every', '7'],
  ['a version that is no number', 'every', '1.0'],
  ['a key with a blank behind it', 'every ', '1'],
  ['a key in other letters', 'Every', '1'],
])('%s that is not there is 404', async (_, key, version) => {
  const path = `/admin/v1/tenants/${tenant.tenantKey}/forms/${encodeURIComponent(key)}/${version}`
  expect((await tenant.platform.get(path)).body).toMatchObject({ type: '/problems/not-found', status: 404 })
})

test('everything about an unknown tenant is 404', async () => {
  const body = aSmallTemplate([a('x')])
  const detail = "There is no tenant 'nowhere'."
  for (const { body: answer } of [
    await putForm(tenant.platform, 'nowhere', body),
    await tenant.platform.get(formPath('nowhere', body)),
    await list('nowhere'),
  ]) {
    expect(answer).toMatchObject({ status: 404, detail })
  }
})

test('only platform administrators write and read templates', async () => {
  const body = aSmallTemplate([a('x')], { key: 'guarded' })
  for (const caller of [tenant, tenant.forms]) {
    expect((await putForm(caller, tenant.tenantKey, body)).body).toMatchObject({ status: 403 })
    expect((await caller.get(`/admin/v1/tenants/${tenant.tenantKey}/forms`)).status).toBe(403)
  }
  const nobody = await putForm(api(inject('baseUrl'), ''), tenant.tenantKey, body)
  expect(nobody.body).toMatchObject({ status: 401 })
  expect((await get(body)).status).toBe(404)
})

test('a body over 32 MB is refused', async () => {
  const { status, body } = await put(aSmallTemplate([a('x', { image: 'x'.repeat(33 * 2 ** 20) })], { key: 'huge' }))
  expect([status, (body as unknown as Problem).type]).toEqual([413, '/problems/body-too-large'])
})

test('the JSON Schema for editors is public, and finds a misspelt member at any depth', async () => {
  const answer = await api(inject('baseUrl'), '').get<object>('/admin/v1/form.schema.json')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^application\/schema\+json/),
  ])
  expect(answer.body).toMatchObject({ title: 'Form template' })
  const schema = Compile(answer.body)
  expect(schema.Check(aTemplate())).toBe(true)
  expect(schema.Check((await get(aTemplate({ key: 'every' }))).body)).toBe(true)
  const inner = (control: object) =>
    aTemplate({
      buildingBlocks: [
        {
          key: 'b',
          sections: [
            { id: 's', repeats: [{ id: 'r', label: 'R', repeats: [{ id: 'q', label: 'Q', controls: [control] }] }] },
          ],
        },
      ],
    })
  expect(schema.Check(inner(a('x')))).toBe(true)
  expect(schema.Check(inner(a('x', { requird: true })))).toBe(false)
  expect(schema.Check(inner(a('x', { relevant: { all: [{ control: 'y', equal: 1 }] } })))).toBe(false)
  expect(schema.Check(inner(a('x', { min: 1, initial: { value: true } })))).toBe(true)
})
