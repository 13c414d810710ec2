// Answers that are sent again whenever they change.
import { expect, inject, test } from 'vitest'
import { admin, newTenant } from '../support/api.js'
import { tenantWithPlaces } from '../support/factories.js'
import { type JobBody, placesOf } from '../support/faults.js'
import { holdHierarchy } from '../support/jobs.js'
import { eventsOf, watch } from '../support/live.js'
import { until } from '../support/until.js'

test('a job that is watched comes as an event, and again when it goes on, until nobody watches it', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const later = { prefer: 'respond-async' }
  const { body: job } = await tenant.put<JobBody>('/api/v1/structuralEntity/bulk', placesOf(30, 1), later)
  const answer = await watch(tenant, job.links.self)
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-encoding')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    null,
  ])
  const seen: Partial<JobBody>[] = []
  for await (const { name, data } of eventsOf(answer)) {
    expect(name).toBe('message')
    seen.push(data as JobBody)
    if (seen.length === 1) await hierarchy.release()
    if (seen.at(-1)?.status === 'Completed') break
  }
  expect(seen[0]).toMatchObject({ jobId: job.jobId, progress: { done: 0, total: 30 } })
  expect(seen.at(-1)).toMatchObject({ jobId: job.jobId, counts: { created: 30 } })
  expect(seen).toEqual([...new Map(seen.map(event => [JSON.stringify(event), event])).values()])
})

test('a watcher who was cut off is told what is so now, whatever event it names as its last', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const first = eventsOf(await watch(tenant, '/api/v1/jobs?First=1'))
  expect((await first.next()).value).toMatchObject({ name: 'message' })
  await first.return(undefined)
  const later = { prefer: 'respond-async' }
  const { body: job } = await tenant.put<JobBody>('/api/v1/structuralEntity/bulk', placesOf(30, 1), later)
  const again = eventsOf(await watch(tenant, '/api/v1/jobs?First=1', { headers: { 'last-event-id': '7' } }))
  expect((await again.next()).value).toMatchObject({
    name: 'message',
    data: { Edges: [{ Node: { jobId: job.jobId } }] },
  })
})

test('a caller who also accepts JSON gets the answer once', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const answer = await tenant.get('/api/v1/jobs', { accept: 'text/event-stream, application/json' })
  expect(answer).toMatchObject({ status: 200, body: { Edges: [] } })
})

test('the stream of a client that is revoked ends with the reason', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const events = eventsOf(await watch(tenant, '/api/v1/jobs'))
  expect((await events.next()).value).toMatchObject({ name: 'message', data: { Edges: [] } })
  const platform = await admin(inject('baseUrl'))
  await platform.put(`/admin/v1/tenants/${tenant.tenantKey}`, { name: 'Nobody', clients: [] })
  expect((await events.next()).value).toMatchObject({ name: 'problem', data: { status: 401 } })
  expect(await events.next()).toMatchObject({ done: true })
})

test('who may not have an answer may not watch it, and is told so as usual', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const reader = await tenant.client(['List:User'])
  const answer = await watch(reader, '/api/v1/jobs')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'application/problem+json'])
})

test('a tenant watches so many answers at once; when it closes one, another may be watched', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const [first, ...others] = await Promise.all(Array.from({ length: 50 }, () => watch(tenant, '/api/v1/dataSet')))
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200))
  const refused = await watch(tenant, '/api/v1/dataSet')
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ type: '/problems/too-many-streams' })
  expect((await tenant.get('/api/v1/dataSet')).status).toBe(200)
  expect((await watch(await newTenant(inject('baseUrl')), '/api/v1/dataSet')).status).toBe(200)
  await first?.body?.cancel()
  await until('there is room', async () => (await watch(tenant, '/api/v1/dataSet')).status === 200)
})
