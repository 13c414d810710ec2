// Ids of form instances in paths.
import { describe, expect, test } from 'vitest'
import { notesTenant, whole } from '../support/factories.js'
import { refusal } from '../support/frame.js'
import { aRequest, createPath, editPath, leadsTo, saysOf, visitor } from '../support/instances.js'
import { form, page, smallForm } from '../support/launches.js'

// Versions and guids in addresses: a text that is none is 400, another spelling of the same guid is the same guid.
const { tenant, patient } = await notesTenant()
const person = visitor({ tenantKey: tenant.tenantKey, token: tenant.forms.token })
const guid = await patient.created()
await patient.submit(guid, whole)
const open = await patient.created()

const capital = (text: string) => text.toUpperCase()
const unknown = '0190A000-0000-7000-8000-000000000000'
const invalid = (error: string) => ({ status: 400, code: 'validation', errors: [error] })

const ofInstance: [method: string, path: string, body?: object][] = [
  ['GET', '/api/patientforms/{patient}/instance/{guid}'],
  ['GET', '/api/patientforms/{patient}/history/{guid}'],
  ['PUT', '/api/patientforms/{patient}/instance/{guid}/draft', { values: {} }],
  ['POST', '/api/patientforms/{patient}/instance/{guid}/submit', { values: {} }],
  ['POST', '/api/patientforms/{patient}/instance/{guid}/amend'],
  ['DELETE', '/api/patientforms/{patient}/instance/{guid}/draft'],
  ['DELETE', '/api/patientforms/{patient}/instance/{guid}/withdraw', { reason: 'wrong' }],
  ['PATCH', '/api/patientforms/{patient}/instance/{guid}/reinstate', { reason: 'right' }],
  ['GET', '/api/v2.0/extract/subject/{patient}/instance/{guid}'],
  ['POST', '/api/v2.0/extract/subject/{patient}/instance/{guid}', { definitions: [{ key: 'small' }] }],
]

test.each(ofInstance)(
  '%s %s: an instance that is no guid is 400, an unknown one 404, and so is a patient that is no id',
  async (method, path, body) => {
    const send = (of: string, instance: string) =>
      tenant.forms.send(method, path.replace('{patient}', of).replace('{guid}', instance), body)
    const name = path.includes('/extract/') ? 'instance' : 'instanceGuid'
    for (const wrong of ['abc', `${guid}0`, guid.replaceAll('-', ''), `${guid}%20`, '%C3%A9'])
      expect(refusal(await send(tenant.subjectId, wrong)), wrong).toEqual(invalid(`wrong-format /path/${name}`))
    for (const [of, instance] of [
      [tenant.subjectId, unknown],
      [unknown, guid],
      ['abc', guid],
    ] as const)
      expect(refusal(await send(of, instance))).toEqual({ status: 404, code: 'not-found', errors: [] })
  },
)

test('guids are accepted in capital letters in every place', async () => {
  const { forms, subjectId, externalId, tenantKey } = tenant
  const at = `/api/patientforms/${capital(externalId)}`
  expect(await forms.get(`${at}/instance/${capital(guid)}`)).toMatchObject({
    status: 200,
    body: { instanceGuid: guid },
  })
  expect((await forms.get(`${at}/history/${capital(guid)}`)).status).toBe(200)
  expect(await forms.get(`/api/v2.0/extract/subject/${capital(subjectId)}/instance/${capital(guid)}`)).toMatchObject({
    status: 200,
    body: { instanceGuid: guid, subjectIdentifier: subjectId },
  })
  for (const path of [`/api/patientforms?instanceGuid=${capital(guid)}`, at])
    expect(await forms.get(path)).toMatchObject({
      status: 200,
      body: expect.arrayContaining([expect.objectContaining({ instanceGuid: guid })]),
    })
  const listed = `/api/v2.0/tenant/${tenantKey}/subject/${capital(subjectId)}/forms?instanceGuid=${capital(guid)}`
  expect(await forms.get(listed)).toMatchObject({ status: 200, body: { pageInfo: { totalCount: 1 } } })
  const definitions = [{ identifier: 'it', type: 'form', key: 'small', version: 1 }]
  const extracted = await forms.post('/api/v2.0/extract', { subjectIdentifiers: [capital(subjectId)], definitions })
  expect(extracted).toMatchObject({ status: 200, body: { results: [{ results: [{ instanceGuid: guid }] }] } })
  const onBehalfOf = { identifier: capital(subjectId), type: 'subject' }
  expect((await forms.post(createPath, aRequest(capital(subjectId), { onBehalfOf }))).status).toBe(200)
})

describe('of the page of an instance', () => {
  const wrong = { status: 400, title: 'Invalid request' }

  test('a malformed id is answered with a page for people and a problem for programs', async () => {
    for (const [path, name] of [
      [editPath(tenant.tenantKey, 'abc'), 'instanceGuid'],
      [`${editPath(tenant.tenantKey, 'abc')}/versions/${guid}`, 'instanceGuid'],
      [`${editPath(tenant.tenantKey, guid)}/versions/abc`, 'versionGuid'],
    ] as const) {
      const shown = await person.open(path)
      expect(saysOf(shown)).toMatchObject(wrong)
      expect(shown.text).toContain('It must be a guid')
      expect(await tenant.forms.get(path)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: `/path/${name}`, code: 'wrong-format' }] },
      })
    }
    expect(saysOf(await person.press('abc', 'save'))).toMatchObject({ status: 400, title: 'Nothing was changed' })
    expect(saysOf(await person.edit(unknown))).toMatchObject({ status: 404, title: 'There is no such form' })
  })

  test('guids are taken in capital letters', async () => {
    expect((await person.edit(capital(open))).status).toBe(200)
    const { viewLink } = (await patient.read(guid)).body
    expect(leadsTo(await person.edit(capital(guid)))).toEqual([303, viewLink])
    const [version = ''] = viewLink.split('/').slice(-1)
    expect(
      (await person.open(`${editPath(tenant.tenantKey, capital(guid))}/versions/${capital(version)}`)).status,
    ).toBe(200)
  })
})

test('a version in the address of a single-pass form that is no number is 400, as a page to people', async () => {
  const at = (version: string, more = '') => `/${tenant.tenantKey}/SinglePass/small/${version}${more}`
  for (const version of ['abc', '0', '-1', '01', '1.0', '1e3', '99999999999', '%C3%A9', guid]) {
    const sent = form(['must', 'b'])
    const pages = await Promise.all([
      page(at(version)),
      page(at(version), sent),
      page(at(version, '/sent')),
      page(at(version, '/launch'), smallForm(['must', 'b'])),
    ])
    const titles = pages.map(({ status, text }) => [status, /<h1>(.*)<\/h1>/.exec(text)?.[1]])
    expect(titles, version).toEqual([
      [400, 'Invalid request'],
      [400, 'Your form was not sent'],
      [400, 'Invalid request'],
      [400, 'Invalid request'],
    ])
    const program = await page(at(version), { headers: { accept: 'application/json' } })
    expect([program.status, JSON.parse(program.text)]).toMatchObject([
      400,
      { errors: [{ pointer: '/path/formVersion', code: 'wrong-type' }] },
    ])
  }
  expect((await page(at('4294967296'))).status).toBe(404)
})

test.each([
  ['formdefinition', 'formVersion', () => `/api/v2.0/tenant/${tenant.tenantKey}/formdefinition/small/`],
  ['formschema', 'version', () => `/api/v2.0/tenant/${tenant.tenantKey}/formschema/small/`],
  ['the extract definition of a form', 'formVersion', () => '/api/v2.0/extract/formdefinition/small/'],
  ['the extract definition of a block', 'version', () => '/api/v2.0/extract/buildingblockdefinition/small/'],
])('%s: a version that is no number is 400, whatever else is wrong', async (_, name, path) => {
  for (const version of ['abc', '01', '1.0', guid, '%20'])
    expect(refusal(await tenant.forms.get(`${path()}${version}`))).toEqual(invalid(`wrong-type /path/${name}`))
  expect(refusal(await tenant.forms.get(`${path().replace('small', 'nothing')}abc`))).toEqual(
    invalid(`wrong-type /path/${name}`),
  )
  expect((await tenant.forms.get(`${path()}7`)).status).toBe(404)
})
