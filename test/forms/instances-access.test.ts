// Access to form instances.
import { expect, inject, test } from 'vitest'
import { type Api, api } from '../support/api.js'
import { addPerson, notesTenant, whole } from '../support/factories.js'
import { refusal } from '../support/frame.js'
import { aRequest, createPath } from '../support/instances.js'

const { tenant, patient } = await notesTenant()
const other = await notesTenant()
const guid = await patient.created()

type Call = [method: string, path: string, permission: string, body?: object]
/** Every endpoint, of the instance `{guid}` of the patient `{patient}`, with what it needs. */
const calls: Call[] = [
  ['GET', '/api/patientforms?instanceGuid={guid}', 'ListPatientForms'],
  ['GET', '/api/patientforms/{patient}', 'ListPatientForms'],
  ['GET', '/api/v2.0/tenant/{tenant}/subject/{patient}/forms', 'ListPatientForms'],
  ['GET', '/api/patientforms/{patient}/history/{guid}', 'ListPatientForms or Create'],
  ['GET', '/api/patientforms/{patient}/instance/{guid}', 'ListPatientForms or Create'],
  ['POST', createPath, 'Create', {}],
  ['PUT', '/api/patientforms/{patient}/instance/{guid}/draft', 'Create', { values: {} }],
  ['POST', '/api/patientforms/{patient}/instance/{guid}/submit', 'Create', { values: whole }],
  ['POST', '/api/patientforms/{patient}/instance/{guid}/amend', 'Create'],
  ['DELETE', '/api/patientforms/{patient}/instance/{guid}/draft', 'Create'],
  ['DELETE', '/api/patientforms/{patient}/instance/{guid}/withdraw', 'Withdraw', { reason: 'r' }],
  ['PATCH', '/api/patientforms/{patient}/instance/{guid}/reinstate', 'Reinstate', { reason: 'r' }],
]

const filled = (path: string, patientId = tenant.subjectId, tenantKey = tenant.tenantKey) =>
  path.replace('{guid}', guid).replace('{patient}', patientId).replace('{tenant}', tenantKey)
const call = (client: Api, [method, path, , body]: Call, ...named: string[]) =>
  client.send(method, filled(path, ...named), body)

test('without a token, or with one that is not valid, everything is 403', async () => {
  for (const each of calls) {
    for (const token of ['', 'nonsense']) {
      const reply = await call(api(inject('baseUrl'), token), each)
      expect(refusal(reply)).toEqual({ status: 403, code: 'forbidden', errors: [] })
    }
  }
})

test('a token of another scope is 403', async () => {
  for (const each of calls)
    expect(refusal(await call(tenant, each))).toEqual({ status: 403, code: 'insufficient-scope', errors: [] })
})

test('each endpoint needs its permission, and one of them is enough', async () => {
  const names = ['ListPatientForms', 'Create', 'Withdraw', 'Reinstate', 'RunExtractsAndReports']
  const made = await tenant.clients(
    names.map(name => [name]),
    ['FormsApi'],
  )
  const clients = made.map((client, n): [string, Api] => [names[n] ?? '', client])
  for (const each of calls) {
    for (const [name, client] of clients) {
      if (each[2].split(' or ').includes(name)) continue
      const reply = await call(client, each)
      expect([each[1], name, refusal(reply).code]).toEqual([each[1], name, 'forbidden'])
      expect(reply.body).toMatchObject({ detail: `The caller needs the permission ${each[2]}.` })
    }
  }
  const by = Object.fromEntries(clients)
  const reached = async (name: string, [method, path]: Call, body?: object) =>
    (await by[name]?.send(method, filled(path), body))?.status
  for (const [n, name] of [
    [0, 'ListPatientForms'],
    [1, 'ListPatientForms'],
    [2, 'ListPatientForms'],
    [3, 'ListPatientForms'],
    [3, 'Create'],
    [4, 'ListPatientForms'],
    [4, 'Create'],
    [10, 'Withdraw'],
    [11, 'Reinstate'],
  ] as const) {
    const each = calls[n]
    expect([each?.[1], name, each && (await reached(name, each, each[3]))]).toEqual([each?.[1], name, 200])
  }
  expect((await by.Create?.post(createPath, aRequest(tenant.subjectId)))?.status).toBe(200)
})

const ofInstance = calls.filter(([, path]) => path.includes('/{patient}/') && path.includes('{guid}'))
const gone = { status: 404, code: 'not-found', errors: [] }

test("another tenant's instances and patients are as if they did not exist", async () => {
  for (const each of ofInstance) {
    for (const patientId of [tenant.subjectId, other.tenant.subjectId])
      expect(refusal(await call(other.tenant.forms, each, patientId))).toEqual(gone)
  }
  const [, , query] = calls
  if (query)
    expect(refusal(await call(other.tenant.forms, query, tenant.subjectId, other.tenant.tenantKey))).toEqual(gone)
  const listed = await other.tenant.forms.get(`/api/patientforms?instanceGuid=${guid}`)
  expect([listed.status, listed.body]).toEqual([200, []])
  expect(refusal(await other.tenant.forms.get(`/api/patientforms/${tenant.subjectId}`))).toEqual(gone)
  const created = await other.tenant.forms.post(createPath, aRequest(tenant.subjectId))
  expect(refusal(created)).toMatchObject({ status: 404, errors: ['unknown-patient /patientIdentifier'] })
})

test('the same identifier in two tenants is two instances', async () => {
  const instanceIdentifier = `shared-${tenant.tenantKey}`
  const ids = [await patient.created({ instanceIdentifier }), await other.patient.created({ instanceIdentifier })]
  expect(new Set(ids).size).toBe(2)
})

test('an instance is found under its own patient only', async () => {
  const stranger = await addPerson(tenant, 'stranger')
  for (const each of ofInstance) expect(refusal(await call(tenant.forms, each, stranger))).toEqual(gone)
  expect((await patient.read(guid)).body).toMatchObject({ status: 'New' })
})

test('an instance is reached by the ExternalId of its patient too, and by guids in any letter case', async () => {
  const { body } = await patient.read(guid)
  for (const patientId of [tenant.externalId, tenant.subjectId.toUpperCase()]) {
    const path = `/api/patientforms/${patientId}/instance/${guid.toUpperCase()}`
    expect((await tenant.forms.get(path)).body).toEqual(body)
  }
})
