// Reads what a later release may answer: new members, kinds, states, codes and statuses. The client need not be made anew.
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'

/** The body of a good answer. */
async function good<Data>(call: Promise<{ data?: Data; response: Response }>): Promise<Data> {
  const { data, response } = await call
  assert.ok(response.ok)
  return data as Data
}

const { ARMATURE_URL = '', ARMATURE_EVENT = '' } = process.env
const api = createClient<paths>({ baseUrl: ARMATURE_URL })
const jobId = '0190c2f0-0000-7000-8000-000000000000'

const job = await good(api.GET('/api/v1/jobs/{jobId}', { params: { path: { jobId } } }))
const [kind, status] = ['subjectSplit', 'Paused'] satisfies [typeof job.kind, typeof job.status]
assert.deepEqual([job.kind, job.status, job.progress.total], [kind, status, 5_000_000_000])

const changes = await good(api.GET('/api/v2/subject/changes'))
assert.deepEqual(
  changes.Edges.map(({ Node }) => Node.Change),
  ['split'],
)

const body = { subjectIdentifiers: [jobId], definitions: [] }
const extract = await good(api.POST('/api/v2.0/extract', { body }))
if (!('results' in extract)) throw new Error('The extract is answered by a job.')
const forms = extract.results.flatMap(result => (result.type === 'form' ? result.results : []))
const controls = forms.flatMap(({ buildingBlocks }) => buildingBlocks).flatMap(block => block.controls)
const types: string[] = controls.flatMap(({ values }) => values).map(({ type }) => type)
assert.deepEqual([extract.results.length, types], [2, ['hologram']])

for (const [groupKey, type, code] of [
  ['moved', '/problems/moved-away', 404],
  ['held', '/problems/held-back', 451],
] as const) {
  const { error, response } = await api.GET('/api/v1/group/{groupKey}', { params: { path: { groupKey } } })
  assert.deepEqual([response.status, error?.type, error?.errors?.[0]?.code], [code, type, 'too-blue'])
}

const event: components['schemas']['WebhookEvent'] = JSON.parse(ARMATURE_EVENT)
assert.equal(event.type, 'armature.subject.split')
