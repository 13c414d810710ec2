// Access to jobs.
import { beforeAll, expect, inject, test } from 'vitest'
import { api, newTenant, type Tenant } from '../support/api.js'
import { tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended, type JobBody } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'

let tenant: Tenant
let job: JobBody

beforeAll(async () => {
  tenant = (await tenantWithPlaces(inject('baseUrl'))).tenant
  job = await ended(tenant, (await acceptBulk(tenant, [place('a')])).jobId)
})

const calls = [
  ['GET', ''],
  ['GET', '/items'],
  ['POST', '/cancel'],
  ['POST', '/retry'],
] as const

test('a job’s id is taken in any letter case; a text that is no id names no job', async () => {
  const { jobId } = job
  for (const path of ['', '/items']) {
    expect((await tenant.get(`/api/v1/jobs/${jobId.toUpperCase()}${path}`)).status).toBe(200)
    expect((await tenant.get(`/api/v1/jobs/nobody${path}`)).status).toBe(404)
  }
})

test.each(calls)('%s job%s of another tenant is as one that does not exist', async (method, path) => {
  const other = await newTenant(inject('baseUrl'))
  const foreign = await other.send(method, `${job.links.self}${path}`)
  const unknown = await other.send(method, `/api/v1/jobs/019ac000-0000-7000-8000-000000000000${path}`)
  expect(foreign).toMatchObject({
    status: 404,
    body: { type: '/problems/not-found', detail: `There is no job '${job.jobId}'.` },
  })
  expect(unknown).toMatchObject({ status: 404, body: { type: '/problems/not-found' } })
  expect((await other.get('/api/v1/jobs')).body).toMatchObject({ Edges: [], PageInfo: { TotalCount: 0 } })
  expect((await tenant.get(job.links.self)).body).toEqual(job)
})

test.each([
  ['GET', '/api/v1/jobs', 'List:Job'],
  ['GET', '', 'View:Job'],
  ['GET', '/items', 'View:Job'],
  ['POST', '/cancel', 'Edit:Job'],
  ['POST', '/retry', 'Edit:Job'],
])('%s %s needs %s', async (method, path, permission) => {
  const all = ['List:Job', 'View:Job', 'Edit:Job']
  const url = path.startsWith('/api') ? path : `${job.links.self}${path}`
  const without = await tenant.client(all.filter(name => name !== permission))
  expect(await without.send(method, url)).toMatchObject({
    status: 403,
    body: { type: '/problems/forbidden', detail: expect.stringContaining(permission) },
  })
  const just = await tenant.client([permission])
  // Cancel and retry of a job that is completed conflict: the permission was enough to be told so.
  expect((await just.send(method, url)).status).toBe(method === 'GET' ? 200 : 409)
})

test('jobs may be read with FormsApi, and with no other scope than the two', async () => {
  const forms = await tenant.client(['View:Job'], ['FormsApi'])
  expect(await forms.get(job.links.self)).toMatchObject({ status: 200, body: job })
  const glue = await tenant.client(['View:Job'], ['GlueRuntimeApi'])
  expect(await glue.get(job.links.self)).toMatchObject({ status: 403, body: { type: '/problems/insufficient-scope' } })
  expect((await api(inject('baseUrl'), '').get(job.links.self)).status).toBe(401)
})

test('the client that has started a job reads, cancels and retries it with the scope alone, and no other one', async () => {
  const [starter, other] = await tenant.clients([['Create:StructuralEntity', 'Edit:StructuralEntity'], ['List:Job']])
  if (!starter || !other) throw new Error('No clients')
  const { jobId } = await acceptBulk(starter, [place('b')])
  const links = ['', '/items'].map(path => `/api/v1/jobs/${jobId}${path}`)
  for (const link of links) {
    expect((await starter.get(link)).status).toBe(200)
    expect(await other.get(link)).toMatchObject({ status: 403, body: { type: '/problems/forbidden' } })
  }
  const unknown = await starter.get('/api/v1/jobs/019ac000-0000-7000-8000-000000000000')
  expect(unknown).toMatchObject({ status: 403, body: { type: '/problems/forbidden' } })
  await ended(starter, jobId)
  for (const path of ['/cancel', '/retry']) {
    // A job that is completed conflicts: the client was allowed to be told so.
    expect((await starter.post(`${links[0]}${path}`)).status).toBe(409)
    expect((await other.post(`${links[0]}${path}`)).status).toBe(403)
    expect((await starter.post(`${job.links.self}${path}`)).status).toBe(403)
  }
})
