// Answers as a later release may give them, with members, kinds, states, codes and a status that this release does not have.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const id = '0190c2f0-0000-7000-8000-000000000000'
const time = '2027-01-01T00:00:00.000Z'

const job = {
  jobId: id,
  kind: 'subjectSplit',
  status: 'Paused',
  actor: 'demo-integration',
  attempt: 1,
  traceId: id,
  progress: { done: 1, total: 5_000_000_000, stages: ['read', 'written'] },
  counts: { split: 1 },
  acceptedAt: time,
  startedAt: null,
  finishedAt: null,
  links: { self: `/api/v1/jobs/${id}`, items: `/api/v1/jobs/${id}/items`, temporalUi: '', pause: '' },
  priority: 3,
}

const page = { HasNextPage: false, HasPreviousPage: false, StartCursor: '', EndCursor: '', TotalCount: 1 }
const change = { SubjectId: id, Change: 'split', ChangedAt: time, FromSubjectId: id }

const problem = (status: number, code: string) => ({
  type: `/problems/${code}`,
  title: 'Held back',
  status,
  detail: 'The group is held back.',
  instance: '/api/v1/group',
  traceId: id,
  errors: [{ pointer: '', code: 'too-blue', detail: 'It is too blue.', colour: 'blue' }],
  until: time,
})

const value = { type: 'hologram', repeatIterationIndex: null, layers: 3 }
const control = { id: 'c', label: 'C', dataType: 'hologram', values: [value] }
const instance = {
  instanceGuid: id,
  subjectIdentifier: id,
  submittedByUserIdentifier: 'u',
  submissionDateTime: time,
  correlationId: null,
  buildingBlocks: [{ key: 'b', controls: [control] }],
}
const results = [
  { type: 'form', identifier: 'f', results: [instance] },
  { type: 'summary', identifier: 's', mean: 7 },
]

const answers: Record<string, readonly [status: number, body: object]> = {
  [`GET /api/v1/jobs/${id}`]: [200, job],
  'GET /api/v2/subject/changes': [200, { Edges: [{ Cursor: 'c', Node: change }], PageInfo: page }],
  'POST /api/v2.0/extract': [200, { results }],
  'GET /api/v1/group/moved': [404, problem(404, 'moved-away')],
  'GET /api/v1/group/held': [451, problem(451, 'held-back')],
}

/** An event of a kind that this release does not have, as a webhook of a later release may send it. */
export const laterEvent = JSON.stringify({
  specversion: '1.0',
  id: 'demo-subject-1',
  source: '/tenants/demo',
  type: 'armature.subject.split',
  subject: id,
  time,
  data: { intoSubjectId: id, fromSubjectId: id },
  traceparent: '00-0-0-00',
})

/** Starts a server that answers as a later release may. */
export async function startLaterRelease(): Promise<{ url: string; stop: () => void }> {
  const server = createServer((request, response) => {
    const [status, body] = answers[`${request.method} ${request.url}`] ?? [500, {}]
    response.writeHead(status, { 'content-type': `application/${status < 400 ? '' : 'problem+'}json` })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}
