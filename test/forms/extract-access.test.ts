import { beforeAll, expect, inject, test } from 'vitest'
import { type Api, api } from '../support/api.js'
import { blockAsked, extract, extractedIds, extractPath, formAsked, instanceExtractPath } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { refusal } from '../support/frame.js'
import { notesTenant, type Patient, whole } from '../support/instances.js'

let tenant: FormsTenant
let other: { tenant: FormsTenant; patient: Patient }
let guid: string
let othersGuid: string
/** The results of an extract of the tenant. */
let result: string

const definitions = [formAsked('small'), blockAsked('small', { identifier: 'block' })]

async function submitted(patient: Patient): Promise<string> {
  const id = await patient.created()
  expect(await patient.submit(id, whole)).toMatchObject({ status: 200 })
  return id
}

beforeAll(async () => {
  const made = await notesTenant()
  tenant = made.tenant
  other = await notesTenant()
  guid = await submitted(made.patient)
  othersGuid = await submitted(other.patient)
  const { headers } = await extract(tenant.forms, { definitions })
  result = `${headers.get('location')}/result`
})

/** Every endpoint, with what is right for it; `read`: it needs no permission. */
const calls = (): [method: string, path: string, body?: object | undefined, read?: true][] => [
  ['POST', extractPath, { definitions }],
  ['GET', result],
  ['GET', instanceExtractPath(tenant.subjectId, guid)],
  ['POST', instanceExtractPath(tenant.subjectId, guid), { definitions: [{ key: 'small' }] }],
  ['GET', `${extractPath}/formdefinition/small/1`, undefined, true],
  ['GET', `${extractPath}/buildingblockdefinition/small/1`, undefined, true],
]
const statusesBy = (client: Api) =>
  Promise.all(calls().map(async ([method, path, body]) => (await client.send(method, path, body)).status))
const refusalsBy = (client: Api) =>
  Promise.all(calls().map(async ([method, path, body]) => refusal(await client.send(method, path, body))))

test('without a token, or with one that is not valid, everything is 403', async () => {
  for (const token of ['', 'nonsense', `${tenant.forms.token}x`]) {
    const forbidden = calls().map(() => ({ status: 403, code: 'forbidden', errors: [] }))
    expect(await refusalsBy(api(inject('baseUrl'), token))).toEqual(forbidden)
  }
})

test('a token of another scope is 403', async () => {
  const frame = await refusalsBy(tenant)
  expect(frame).toEqual(calls().map(() => ({ status: 403, code: 'insufficient-scope', errors: [] })))
})

test('RunExtractsAndReports is needed and enough; definitions need no permission', async () => {
  const [runs, ...others] = await tenant.clients(
    [['RunExtractsAndReports'], ['ListPatientForms', 'Create', 'Withdraw', 'Reinstate', 'View:Job', 'List:Job'], []],
    ['FormsApi'],
  )
  expect(await statusesBy(runs ?? tenant)).toEqual(calls().map(() => 200))
  for (const client of others) {
    expect(await statusesBy(client)).toEqual(calls().map(([, , , read]) => (read ? 200 : 403)))
    const { body } = await client.get(result)
    expect(body).toMatchObject({ detail: 'The client needs the permission RunExtractsAndReports.' })
    // And it learns nothing of what is wrong with its request.
    const reply = await client.post(extractPath, { definitions: [formAsked('nowhere')] })
    expect(refusal(reply)).toEqual({ status: 403, code: 'forbidden', errors: [] })
  }
})

test('what another tenant submitted under the same keys is in no extract, whoever is asked for', async () => {
  expect(await extractedIds(tenant.forms, { definitions })).toEqual([[guid], [guid]])
  expect(await extractedIds(other.tenant.forms, { definitions })).toEqual([[othersGuid], [othersGuid]])
  const { subjectId, externalId } = other.tenant
  const asked = { subjectIdentifiers: [subjectId, externalId], definitions }
  const { headers, body } = await extract(tenant.forms, asked)
  expect(body.results.map(({ results }) => results)).toEqual([[], []])
  // Nor does its job say that such subjects exist.
  expect(await tenant.forms.get(headers.get('location') ?? '')).toMatchObject({ body: { input: { subjects: 0 } } })
})

test("another tenant's results and instances are as if they did not exist", async () => {
  const gone = { status: 404, code: 'not-found', errors: [] }
  expect(refusal(await other.tenant.forms.get(result))).toEqual(gone)
  for (const subject of [tenant.subjectId, other.tenant.subjectId])
    expect(refusal(await other.tenant.forms.get(instanceExtractPath(subject, guid)))).toEqual(gone)
})
