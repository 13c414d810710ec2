import { beforeAll, expect, test } from 'vitest'
import type { FormsTenant } from '../support/forms.js'
import { invalid, refusal } from '../support/frame.js'
import { type InstanceBody, notesTenant, type Patient } from '../support/instances.js'
import { addPerson } from '../support/subjects.js'

let tenant: FormsTenant
let patient: Patient
/** Of the patient, in the order in which they were made; the third is withdrawn, the fourth discarded. */
let guids: string[]
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
  guids = []
  for (const correlationId of ['a', 'b', 'a', 'a', 'b', undefined]) guids.push(await patient.created({ correlationId }))
  await patient.withdraw(guids[2] ?? '')
  await patient.discard(guids[3] ?? '')
})

const byId = (query: string) => tenant.forms.get<InstanceBody[]>(`/api/patientforms${query}`)
/** The places of the listed instances among those made. */
const places = ({ body }: { body: InstanceBody[] }) => body.map(({ instanceGuid }) => guids.indexOf(instanceGuid))
const asked = (...wanted: (string | undefined)[]) => `?${wanted.map(guid => `instanceGuid=${guid}`).join('&')}`

test('both lists are of summaries alone, and say that they are deprecated and in favour of what', async () => {
  const summary = {
    instanceGuid: guids[0],
    title: 'Home visit',
    createDateTimeUtc: expect.stringMatching(/\.\d{3}$/),
    lastModifiedDateTimeUtc: expect.stringMatching(/\.\d{3}$/),
    status: 'New',
    isAmendable: false,
    key: 'small',
    version: 1,
  }
  const successor = (subject: string) =>
    `</api/v2.0/tenant/${tenant.tenantKey}/subject/${subject}/forms>; rel="successor-version"`
  for (const [reply, subject] of [
    [await patient.list('?pageSize=1'), tenant.subjectId],
    [await byId(asked(guids[0])), '%7BsubjectIdentifier%7D'],
  ] as const) {
    expect([reply.status, reply.body]).toEqual([200, [summary]])
    expect(reply.headers.get('deprecation')).toBe('@1793491200')
    expect(reply.headers.get('link')).toBe(successor(subject))
  }
})

test('by ids: those that exist, in the order asked for, each once, in any letter case', async () => {
  const unknown = '0190a000-0000-7000-8000-000000000000'
  const query = asked(guids[4], guids[0]?.toUpperCase(), unknown, guids[4], guids[1])
  expect(places(await byId(query))).toEqual([4, 0, 1])
})

test('by ids: withdrawn ones where they are asked for, discarded ones never', async () => {
  expect(places(await byId(asked(...guids)))).toEqual([0, 1, 4, 5])
  expect(places(await byId(`${asked(...guids)}&includeWithdrawn=true`))).toEqual([0, 1, 2, 4, 5])
})

test.each<[query: string, expected: number[]]>([
  ['', [0, 1, 4, 5]],
  ['?includeWithdrawn=true', [0, 1, 2, 4, 5]],
  ['?includeWithdrawn=false', [0, 1, 4, 5]],
  ['?correlationId=a', [0]],
  ['?correlationId=a&includeWithdrawn=true', [0, 2]],
  ['?correlationId=A', []],
  ['?pageSize=3', [0, 1, 4]],
  ['?pageSize=3&pageNumber=2', [5]],
  ['?pageSize=3&pageNumber=3', []],
  ['?pageNumber=1', [0, 1, 4, 5]],
  ['?pageNumber=2', []],
  ['?pageSize=1000', [0, 1, 4, 5]],
  ['?PAGESIZE=1&PageNumber=2&CorrelationId=b', [4]],
])('of a patient, %s', async (query, expected) => {
  expect(places(await patient.list(query))).toEqual(expected)
})

test('a page is 20 where only its number is given', async () => {
  const subjectId = await addPerson(tenant, 'many')
  const made = Array.from({ length: 21 }, () => patient.create({ patientIdentifier: subjectId }))
  expect((await Promise.all(made)).map(({ status }) => status)).toEqual(Array(21).fill(200))
  const sizes = ['', '?pageNumber=1', '?pageNumber=2'].map(async query => {
    const { body } = await tenant.forms.get<InstanceBody[]>(`/api/patientforms/${subjectId}${query}`)
    return body.length
  })
  expect(await Promise.all(sizes)).toEqual([21, 20, 1])
})

test('a patient is named by its Id or its ExternalId, and an unknown one is 404', async () => {
  const of = (name: string) => tenant.forms.get<InstanceBody[]>(`/api/patientforms/${name}`)
  expect((await of(tenant.externalId)).body).toEqual((await of(tenant.subjectId)).body)
  for (const name of ['0190a000-0000-7000-8000-000000000000', 'nobody', `${tenant.subjectId}%20`, '%C3%A9'])
    expect(refusal(await of(name))).toEqual({ status: 404, code: 'not-found', errors: [] })
})

test.each<[string, string[]]>([
  ['', ['required /query/instanceGuid']],
  ['?instanceGuid=', ['wrong-format /query/instanceGuid/0']],
  ['?instanceGuid=x&instanceGuid=y', ['wrong-format /query/instanceGuid/0', 'wrong-format /query/instanceGuid/1']],
  ['/{}?pageSize=0', ['out-of-range /query/pageSize']],
  ['/{}?pageSize=1001', ['out-of-range /query/pageSize']],
  ['/{}?pageSize=ten&pageNumber=0', ['wrong-type /query/pageSize', 'out-of-range /query/pageNumber']],
  ['/{}?pageNumber=99999999999999999999', ['out-of-range /query/pageNumber']],
  ['/{}?includeWithdrawn=yes', ['wrong-type /query/includeWithdrawn']],
  ['/{}?status=Draft', ['unknown-parameter /query/status']],
  ['/{}?pageSize=1&pagesize=2', ['duplicate-parameter /query/pageSize']],
])('%s is refused with every fault', async (path, errors) => {
  expect(refusal(await byId(path.replace('{}', tenant.subjectId)))).toEqual(invalid(...errors))
})
