// Access to extracts.
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { type Api, api } from '../support/api.js'
import { type ExtractBody, extract, extractedIds, extractPath, instanceExtractPath } from '../support/extracts.js'
import {
  addPerson,
  aTemplate,
  blockAsked,
  type FormsTenant,
  formAsked,
  notesTenant,
  whole,
} from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { refusal } from '../support/frame.js'
import { type Patient, patientOf } from '../support/instances.js'
import { temporalClient } from '../support/jobs.js'
import { heldOfRuns, markersIn, markersInFiles } from '../support/sealed.js'
import { type SubjectBody, subjectsPath } from '../support/subjects.js'

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
    expect(body).toMatchObject({ detail: 'The caller needs the permission RunExtractsAndReports.' })
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

const marker = (what: string) => `marker-${what}-${randomBytes(8).toString('hex')}`

interface Marked {
  tenant: FormsTenant
  /** What nobody but who asks may see. */
  markers: string[]
  /** What its extracts show. */
  shown: string[]
  subjects: string[]
}

/** A form `marked` where what is filled in, how it is asked for, whom it is of and when it is from can all be told anywhere. */
async function marked(tenant: FormsTenant): Promise<Marked> {
  const [label, value, correlationId, name] = [marker('label'), marker('value'), marker('visit'), marker('name')]
  await tenant.publish(
    aTemplate({
      key: 'marked',
      buildingBlocks: [{ key: 'marked', sections: [{ id: 'only', controls: [{ id: 'note', label }] }] }],
    }),
  )
  const subjectId = await addPerson(tenant, name, { givenName: name })
  const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${subjectId}`)
  const patient = patientOf({ ...tenant, subjectId })
  const id = await patient.created({ formKey: 'marked', correlationId })
  expect(await patient.submit(id, { note: value })).toMatchObject({ status: 200 })
  const shown = [label, value, correlationId, subjectId, id]
  const subjects = [subjectId, body.ExternalId]
  return { tenant, markers: [...shown, body.ExternalId, name], shown, subjects }
}

const textOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test('neither answers nor subjects of an extract are in histories, files of Temporal, logs, jobs or refusals', async () => {
  const [one, another] = await Promise.all([marked(tenant), marked(other.tenant)])
  const { forms } = one.tenant
  const markers = [...one.markers, ...another.markers]
  const subjectIdentifiers = [...one.subjects, ...another.subjects]
  const definitions = [formAsked('marked'), blockAsked('marked', { identifier: 'block' })]

  // Waited for here, and by the worker; a part of it; refused for what it names, and for its own shape.
  const answers = [
    await extract(forms, { definitions, maxResults: 10 }),
    await extract(forms, { definitions, subjectIdentifiers, maxResultsPerDefinitionPerSubject: 1 }),
    await extract(forms, { definitions, subjectIdentifiers }, { accept: 'application/x-ndjson' }),
  ]
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(markersIn(textOf(body), markers)).toEqual(one.shown)
  }
  const refused = [
    await extract(forms, { definitions: [formAsked('other')], subjectIdentifiers }),
    await extract(forms, { definitions: [...definitions, formAsked('marked')], subjectIdentifiers, from: 'now' }),
    await extract(forms, { definitions, subjectIdentifiers: [...subjectIdentifiers, { id: subjectIdentifiers }] }),
    await forms.post(extractPath, JSON.stringify({ definitions, subjectIdentifiers }).slice(0, -2)),
  ]
  expect(refused.map(({ status }) => status)).toEqual([404, 400, 400, 400])
  expect(markersIn(textOf(refused.map(({ body }) => body)), markers)).toEqual([])

  const prefer = { prefer: 'respond-async' }
  const { body: job } = await forms.post<JobBody>(extractPath, { definitions, subjectIdentifiers }, prefer)
  expect(markersIn(textOf([job, await ended(one.tenant, job.jobId)]), markers)).toEqual([])
  const result = `${job.links.self}/result`
  expect(markersIn(textOf((await forms.get<ExtractBody>(result)).body), markers)).toEqual(one.shown)
  const denied = await other.tenant.forms.get(result)
  expect(denied.status).toBe(404)
  expect(markersIn(textOf(denied.body), markers)).toEqual([])

  const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  const runs = await heldOfRuns(client, `TenantKey = '${one.tenant.tenantKey}'`)
  await close()
  expect(runs.opened).toContain(`"jobId":"${job.jobId}"`)
  expect(markersIn(Buffer.from(runs.opened), markers)).toEqual([])
  expect(await markersInFiles(inject('dataDir'), markers)).toEqual([])
  expect(markersIn(Buffer.from(await logged()), [job.jobId, ...markers])).toEqual([job.jobId])
})

/** The logs of the stack, without the requests by which tests prepare: the paths of those name subjects. */
async function logged(): Promise<string> {
  const directory = join(inject('dataDir'), 'logs')
  const logs = await Promise.all((await readdir(directory)).map(name => readFile(join(directory, name), 'utf8')))
  const lines = logs.join('\n').split('\n')
  return lines.filter(line => !/"path":"\/api\/(?:v2\/subject|patientforms)\//.test(line)).join('\n')
}
