// The session of the README through openapi-fetch and the generated types. armature/client does more: docs/client.md.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'

const { ARMATURE_URL = 'http://127.0.0.1:3000', ARMATURE_CLIENT_ID, ARMATURE_CLIENT_SECRET } = process.env
const api = createClient<paths>({ baseUrl: ARMATURE_URL })

/** The body of a good answer. */
async function good<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new Error(`${response.status}: ${JSON.stringify(error)}`)
  return data as Data
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await isSo()); await sleep(100)) {
    if (Date.now() > deadline) throw new Error(`Waited in vain: ${what}`)
  }
}

// A token by client credentials.
const token = await good(
  api.POST('/identity/connect/token', {
    body: {
      grant_type: 'client_credentials',
      client_id: ARMATURE_CLIENT_ID,
      client_secret: ARMATURE_CLIENT_SECRET,
      scope: 'FrameApi FormsApi',
    },
    bodySerializer: body => new URLSearchParams(body as Record<string, string>),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
)
api.use({
  onRequest({ request }) {
    request.headers.set('authorization', `Bearer ${token.access_token}`)
    return request
  },
})

// A structure type, and two entities in one request.
const [ward, hospital, ward7] = ['ts-ward', 'ts-hospital', 'ts-ward-7']
const type = await good(
  api.PUT('/api/v1/structureType', {
    body: {
      Key: ward,
      Name: 'Ward',
      SubjectAssignable: true,
      CustomFields: [{ Key: 'beds', Name: 'Beds', TypeKey: 'Number', Required: false }],
    },
  }),
)
assert.equal(type.CustomFields[0]?.Key, 'beds')
const beds = { Key: 'beds', Value: { Integer: { Value: 24 } } }
await good(
  api.PUT('/api/v1/structuralEntity/bulk', {
    body: [
      { Key: ward7, DisplayName: 'Ward 7', ParentKey: hospital, StructureTypeKey: ward, CustomFieldValues: [beds] },
      { Key: hospital, DisplayName: 'General Hospital', StructureTypeKey: ward },
    ],
  }),
)
const child = await good(
  api.GET('/api/v1/structuralEntity/{structuralEntityKey}', { params: { path: { structuralEntityKey: ward7 } } }),
)
assert.deepEqual([child.ParentKey, child.Depth], [hospital, 2])
assert.equal(child.CustomFieldValues[0]?.Value.ValueText, '24')
const children = await good(
  api.GET('/api/v1/structuralEntity', { params: { query: { ParentKey: hospital, First: 10 } } }),
)
assert.equal(children.PageInfo.TotalCount, 1)
const jobs = await good(
  api.GET('/api/v1/jobs', { params: { query: { Kind: ['structuralEntityBulkUpsert'], First: 1 } } }),
)
assert.equal(jobs.Edges[0]?.Node.kind, 'structuralEntityBulkUpsert')

// A subject in the ward, found by words and by a field.
const text = (Key: string, Value: string) => ({ Key, Value: { String: { Value } } })
const zoe: components['schemas']['SubjectWrite'] = {
  CustomFieldValues: [
    text('nationalId', 'TS-1'),
    text('givenName', 'Zoë'),
    text('familyName', 'Kowalczyk'),
    { Key: 'languages', Value: [{ String: { Value: 'pl' } }, { String: { Value: 'fr' } }] },
    { Key: 'dateOfBirth', Value: { Date: { Value: '1990-02-28' } } },
  ],
  StructuralEntityKeys: [ward7],
}
const { internalId: id } = await good(api.POST('/api/v2/subject', { body: zoe }))
await until('she is found', async () => {
  const query = { StructuralEntityKeys: [ward7], SearchTerm: 'zoe kovalczyk' }
  return (await good(api.GET('/api/v2/subject', { params: { query } }))).PageInfo.TotalCount === 1
})
const byField = { customFieldValueFilter: { values: { nationalId: ['TS-1'] } } }
const found = await good(api.POST('/api/v2/subject/query', { body: byField }))
assert.deepEqual(
  found.Edges.map(({ Node }) => Node.Id),
  [id],
)

// Everybody in the ward moves to the hospital: a job.
const job = await good(
  api.POST('/api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer', {
    params: { path: { destinationStructuralEntityKey: hospital } },
    body: { SourceStructuralEntityKey: ward7, TransferMode: 'Move' },
  }),
)
await until('the transfer ends', async () => {
  const { status } = await good(api.GET('/api/v1/jobs/{jobId}', { params: { path: { jobId: job.jobId } } }))
  return status === 'Completed'
})

// A document of hers, as it was sent.
const pdf = new Blob(['%PDF-1.4 a letter'], { type: 'application/pdf' })
const document = await good(
  api.POST('/api/v1/subjects/{subjectId}/file/upload', {
    params: { path: { subjectId: id } },
    body: { title: 'Letter', effectiveDate: '2026-11-01', file: pdf },
    bodySerializer({ title, effectiveDate, file }) {
      const form = new FormData()
      form.append('title', title)
      form.append('effectiveDate', effectiveDate)
      if (file instanceof Blob) form.append('file', file, 'letter.pdf')
      return form
    },
  }),
)
const letter = { params: { path: { subjectId: id, fileId: document.id } } }
const read = await good(api.GET('/api/v1/subjects/{subjectId}/file/{fileId}', { ...letter, parseAs: 'text' }))
assert.equal(read, await pdf.text())

// A form of hers, and its answers in an extract.
const instance = await good(
  api.POST('/api/clinicianforms/create', {
    body: { patientIdentifier: id, instanceIdentifier: 'ts-phq-9', formKey: 'phq-9', formVersion: 2 },
  }),
)
const questions = ['interest', 'mood', 'sleep', 'energy', 'appetite', 'worth', 'concentration', 'movement']
const answers = Object.fromEntries(questions.map(question => [question, '1']))
if (instance.status !== 'Complete') {
  await good(
    api.POST('/api/patientforms/{patientId}/instance/{instanceGuid}/submit', {
      params: { path: { patientId: id, instanceGuid: instance.instanceGuid }, header: { 'If-Match': '*' } },
      body: { values: { ...answers, filledInBy: 'self', difficulty: '1', selfHarm: '0' } },
    }),
  )
}
const extract = await good(
  api.POST('/api/v2.0/extract', {
    body: { subjectIdentifiers: [id], definitions: [{ identifier: 'phq-9', type: 'form', key: 'phq-9', version: 2 }] },
  }),
)
if (!('results' in extract)) throw new Error('The extract is answered by a job.')
const [result] = extract.results
const extracted = result?.type === 'form' ? result.results.flatMap(({ buildingBlocks }) => buildingBlocks) : []
const values = extracted.flatMap(({ controls }) => controls).flatMap(control => control.values)
assert.ok(values.some(each => each.type === 'single-selection' && each.value === '1'))

// She leaves, and the places go: children first.
await good(
  api.POST('/api/v2/subject', { body: { CustomFieldValues: [text('nationalId', 'TS-1')], StructuralEntityKeys: [] } }),
)
for (const structuralEntityKey of [ward7, hospital]) {
  await good(
    api.DELETE('/api/v1/structuralEntity/{structuralEntityKey}', { params: { path: { structuralEntityKey } } }),
  )
}
await good(api.DELETE('/api/v1/structureType/{structureTypeKey}', { params: { path: { structureTypeKey: ward } } }))

// A refusal names every fault.
const { error } = await api.PUT('/api/v1/structuralEntity', {
  body: { Key: 'ts-lost', DisplayName: 'Lost', ParentKey: 'nowhere', StructureTypeKey: 'ts-none' },
})
assert.ok(error?.traceId)
console.log('The session is done.')
