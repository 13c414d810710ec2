// The list of jobs of all tenants.
import { beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Api, admin, newTenant } from '../support/api.js'
import { armature } from '../support/armature.js'
import { openDatabase } from '../support/factories.js'
import type { Page } from '../support/frame.js'
import { storeJob } from '../support/jobs.js'

interface PlatformJobBody {
  tenant: string
  jobId: string
  status: string
}

const db = openDatabase()
/** A time at which no other test accepts jobs: all of this file's are accepted within its first hour. */
const begin = new Date('2019-03-04T05:00:00Z')
const hourMs = 3_600_000
const range = { AcceptedFrom: begin.toISOString(), AcceptedTo: new Date(begin.getTime() + hourMs).toISOString() }

let platform: Api
/** Two tenants, each of which has a client that may do everything. */
let tenants: Awaited<ReturnType<typeof newTenant>>[]
/** The jobs of this file, the newest first. */
let jobs: { tenant: string; jobId: string }[]

const list = (query: Record<string, string> | [string, string][] = {}) => {
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(range)) parameters.append(name, value)
  return platform.get<Page<PlatformJobBody>>(`/admin/v1/jobs?${parameters}`)
}
const shown = ({ Edges }: Page<PlatformJobBody>) => Edges.map(({ Node: { tenant, jobId } }) => ({ tenant, jobId }))
const some = (...places: number[]) => places.map(n => jobs[n])

/** A problem as it is stored, with faults that quote what somebody entered. */
const problem = JSON.stringify({
  status: 400,
  code: 'validation',
  title: 'The request is not valid',
  detail: 'Two items are wrong.',
  faults: [{ pointer: '/0', code: 'wrong-type', detail: 'Ada is not a number.' }],
})

beforeAll(async () => {
  platform = await admin(inject('baseUrl'))
  tenants = [await newTenant(inject('baseUrl')), await newTenant(inject('baseUrl'))]
  const rows = [
    { of: 0, kind: 'subjectTransfer', status: 'Completed', input: '{"subject":"Ada"}' },
    { of: 1, kind: 'subjectImport', status: 'Failed', problem, finished_at: begin },
    { of: 0, kind: 'dataSetRefresh', status: 'Failed', data_set: 'register', finished_at: begin },
    { of: 1, kind: 'dataSetRefresh', status: 'Cancelled', data_set: 'register', finished_at: begin },
    { of: 1, kind: 'subjectTransfer', status: 'Completed', deleted_at: begin },
  ]
  jobs = []
  for (const [n, { of, ...row }] of rows.entries()) {
    const tenant = tenants[of]?.tenantKey ?? ''
    const accepted_at = new Date(begin.getTime() + n * 1_000)
    const jobId = await storeJob(db, await tenantIdOf(db, tenant), { ...row, accepted_at })
    if (!('deleted_at' in row)) jobs.unshift({ tenant, jobId })
  }
})

test('jobs of all tenants are listed with the newest first', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(shown(body)).toEqual(jobs)
  expect(body.PageInfo).toMatchObject({ HasNextPage: false, HasPreviousPage: false, TotalCount: 4 })
})

test.each([
  ['a kind', { Kind: 'dataSetRefresh' }, [0, 1]],
  ['a status', { Status: 'Failed' }, [1, 2]],
  ['a kind and a status', { Kind: 'dataSetRefresh', Status: 'Failed' }, [1]],
  ['a later time', { AcceptedFrom: new Date(begin.getTime() + 2_000).toISOString() }, [0, 1]],
])('jobs are filtered by %s', async (_, query, places) => {
  const parameters = new URLSearchParams({ ...range, ...query })
  const { body } = await platform.get<Page<PlatformJobBody>>(`/admin/v1/jobs?${parameters}`)
  expect(shown(body)).toEqual(some(...places))
  expect(body.PageInfo.TotalCount).toBe(places.length)
})

test("one tenant's jobs are listed alone, also those of its data sets", async () => {
  const [one, other] = tenants.map(({ tenantKey }) => tenantKey)
  expect(shown((await list({ Tenant: one ?? '' })).body)).toEqual(some(1, 3))
  expect(shown((await list({ Tenant: other ?? '', DataSet: 'register' })).body)).toEqual(some(0))
})

test('an unknown tenant is 404, and a data set without its tenant is refused', async () => {
  expect(await list({ Tenant: 'nobody-at-all' })).toMatchObject({ status: 404 })
  expect(await list({ DataSet: 'register' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/query/DataSet', code: 'not-allowed' }] },
  })
})

test('pages follow each other there and back, of all tenants and of one', async () => {
  for (const [query, all] of [[{}, jobs] as const, [{ Tenant: tenants[1]?.tenantKey ?? '' }, some(0, 2)] as const]) {
    const first = (await list({ ...query, First: '1' })).body
    expect(shown(first)).toEqual(all.slice(0, 1))
    const rest = (await list({ ...query, First: '10', After: first.PageInfo.EndCursor })).body
    expect(shown(rest)).toEqual(all.slice(1))
    expect(rest.PageInfo).toMatchObject({ HasNextPage: false, HasPreviousPage: true, TotalCount: all.length })
    const back = (await list({ ...query, Last: '1', Before: rest.PageInfo.StartCursor })).body
    expect(shown(back)).toEqual(all.slice(0, 1))
  }
})

test('a cursor of one tenant does not fit another', async () => {
  const [one, other] = tenants.map(({ tenantKey }) => tenantKey)
  const { body } = await list({ Tenant: one ?? '', First: '1' })
  const answer = await list({ Tenant: other ?? '', First: '1', After: body.PageInfo.EndCursor })
  expect(answer).toMatchObject({ status: 400, body: { type: '/problems/foreign-cursor' } })
})

test('a job is shown with its problem, and without input, faults of items, and links to what it found', async () => {
  const { body } = await list()
  expect(JSON.stringify(body)).not.toContain('Ada')
  const [failed] = body.Edges.map(({ Node }) => Node).filter(({ jobId }) => jobId === jobs[2]?.jobId)
  expect(failed).toEqual({
    tenant: tenants[1]?.tenantKey,
    jobId: jobs[2]?.jobId,
    kind: 'subjectImport',
    status: 'Failed',
    actor: 'a',
    attempt: 1,
    traceId: 't',
    progress: { done: 0, total: 1 },
    counts: {},
    problem: {
      type: '/problems/validation',
      title: 'The request is not valid',
      status: 400,
      detail: 'Two items are wrong.',
    },
    acceptedAt: new Date(begin.getTime() + 1_000).toISOString(),
    startedAt: null,
    finishedAt: begin.toISOString(),
    links: { temporalUi: expect.stringContaining(`/workflows/${jobs[2]?.jobId}`) },
  })
})

test('armature jobs prints the newest first, and why those that failed did', async () => {
  const options = ['--from', range.AcceptedFrom, '--to', range.AcceptedTo]
  const { code, stdout } = await armature(['jobs', ...options])
  expect(code).toBe(0)
  const [head, ...lines] = stdout.trimEnd().split('\n')
  expect(head?.split(/ +/)).toEqual(['tenant', 'jobId', 'kind', 'status', 'acceptedAt', 'progress', 'why'])
  expect(lines.map(line => line.split(/ +/)[1])).toEqual(jobs.map(({ jobId }) => jobId))
  expect(lines[2]).toContain('Two items are wrong.')
  const json = await armature([
    'jobs',
    'list',
    ...options,
    '--status',
    'Failed',
    'Cancelled',
    '--limit',
    '2',
    '-o',
    'json',
  ])
  expect(JSON.parse(json.stdout)).toMatchObject(some(0, 1))
  const wrong = await armature(['jobs', '--status', 'Broken'])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Allowed choices are Accepted, Running')])
})
