// The list of jobs.
import { beforeAll, expect, inject, test } from 'vitest'
import type { Reply, Tenant } from '../support/api.js'
import { tenantWithPlaces } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { type Place, place } from '../support/hierarchy-model.js'

let tenant: Tenant
/** All jobs of the tenant, the newest first. */
let all: JobBody[]

const list = (query: Record<string, string | string[]>) => {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  )
  return tenant.get<Page<JobBody>>(`/api/v1/jobs?${new URLSearchParams(pairs)}`)
}
const ids = (page: Page<JobBody>) => page.Edges.map(edge => edge.Node.jobId)

beforeAll(async () => {
  const made = await tenantWithPlaces(inject('baseUrl'))
  tenant = made.tenant
  const accepted: JobBody[] = []
  const accept = async (answer: Reply<JobBody>) => {
    expect(answer.status).toBe(202)
    accepted.unshift(answer.body)
    await ended(tenant, answer.body.jobId)
  }
  const bulk = (...places: Place[]) =>
    tenant.put<JobBody>('/api/v1/structuralEntity/bulk', places, { prefer: 'respond-async' })
  await accept(await bulk(place('a'), place('b', 'a')))
  const transfer = { SourceStructuralEntityKey: 'a' }
  await accept(await tenant.post<JobBody>('/api/v1/structuralEntity/b/subjects/transfer', transfer))
  await accept(await tenant.post<JobBody>(`/api/v1/jobs/${accepted[0]?.jobId}/undo`))
  await accept(await bulk(place('c', 'b')))
  const late = accepted[0]
  if (!late) throw new Error('No job was accepted')
  all = await Promise.all(accepted.map(job => ended(tenant, job.jobId)))
})

test('jobs are listed with the newest first, each as it is read alone', async () => {
  const { status, body } = await list({})
  expect(status).toBe(200)
  expect(body.Edges.map(edge => edge.Node)).toEqual(all)
  expect(body.PageInfo).toEqual({
    HasNextPage: false,
    HasPreviousPage: false,
    StartCursor: body.Edges[0]?.Cursor,
    EndCursor: body.Edges.at(-1)?.Cursor,
    TotalCount: 4,
  })
})

test.each([
  ['one kind', { Kind: 'subjectTransferUndo' }, [1]],
  ['several kinds', { Kind: ['subjectTransferUndo', 'subjectTransfer'] }, [1, 2]],
  ['a status', { Status: 'Completed' }, [0, 1, 2, 3]],
  ['several statuses', { Status: ['Failed', 'Completed'] }, [0, 1, 2, 3]],
  ['a status that none has', { Status: 'Cancelled' }, []],
  ['kind and status', { Kind: 'structuralEntityBulkUpsert', Status: 'Completed' }, [0, 3]],
  ['names in any case', { kind: 'structuralEntityBulkUpsert', STATUS: 'Completed' }, [0, 3]],
])('jobs are filtered by %s', async (_, query, places) => {
  const { body } = await list(query)
  expect(ids(body)).toEqual(places.map(n => all[n]?.jobId))
  expect(body.PageInfo.TotalCount).toBe(places.length)
})

test('AcceptedFrom is inclusive and AcceptedTo is not', async () => {
  const at = all[1]?.acceptedAt ?? ''
  expect(ids((await list({ AcceptedFrom: at })).body)).toEqual(all.slice(0, 2).map(job => job.jobId))
  expect(ids((await list({ AcceptedTo: at })).body)).toEqual(all.slice(2).map(job => job.jobId))
  const next = new Date(Date.parse(at) + 1).toISOString()
  expect(ids((await list({ AcceptedFrom: at, AcceptedTo: next })).body)).toEqual([all[1]?.jobId])
})

test.each([
  ['Kind', 'nothing'],
  ['Status', 'Done'],
  ['AcceptedFrom', 'yesterday'],
  ['AcceptedTo', '2026-13-01T00:00:00Z'],
  ['First', '0'],
  ['Colour', 'red'],
])('%s=%s is refused, and its name is said', async (name, value) => {
  const answer = await list({ [name]: value })
  expect(answer).toMatchObject({
    status: 400,
    body: { type: '/problems/validation', errors: [{ pointer: expect.stringContaining(`/query/${name}`) }] },
  })
})

test('pages follow each other from the newest to the oldest and back', async () => {
  const first = (await list({ First: '3' })).body
  expect(ids(first)).toEqual(all.slice(0, 3).map(job => job.jobId))
  expect(first.PageInfo).toMatchObject({ HasNextPage: true, HasPreviousPage: false, TotalCount: 4 })
  const second = (await list({ First: '3', After: first.PageInfo.EndCursor })).body
  expect(ids(second)).toEqual([all[3]?.jobId])
  expect(second.PageInfo).toMatchObject({ HasNextPage: false, HasPreviousPage: true, TotalCount: 4 })
  const back = (await list({ Last: '2', Before: second.PageInfo.StartCursor })).body
  expect(ids(back)).toEqual(all.slice(1, 3).map(job => job.jobId))
})

test('a cursor of one filter does not fit another', async () => {
  const { body } = await list({ First: '1' })
  const answer = await list({ First: '1', Status: 'Completed', After: body.PageInfo.EndCursor })
  expect(answer).toMatchObject({ status: 400, body: { type: '/problems/foreign-cursor' } })
})

test('the jobs of a day are counted by hour and status', async () => {
  interface Counts {
    from: string
    hours: { hour: string; status: string; jobs: number }[]
  }
  const { body } = await tenant.get<Counts>('/api/v1/jobCounts')
  const since = Date.parse(body.from)
  expect(since % 3_600_000).toBe(0)
  const total = (status: string) =>
    body.hours.filter(hour => hour.status === status).reduce((sum, { jobs }) => sum + jobs, 0)
  for (const status of new Set(all.map(job => job.status)))
    expect(total(status)).toBe(all.filter(job => job.status === status).length)
  for (const { hour } of body.hours) expect((Date.parse(hour) - since) / 3_600_000).toBeOneOf([22, 23])
})
