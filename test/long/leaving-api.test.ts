// An API that is asked to stop.
import { expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { tenantWithPlaces } from '../support/factories.js'
import { ended, type JobBody, placesOf } from '../support/faults.js'
import { holdHierarchy } from '../support/jobs.js'
import { eventsOf, watch } from '../support/live.js'
import { startOwnApi } from '../support/own-api.js'
import { isUp } from '../support/running-stack.js'
import { until } from '../support/until.js'

test('an API that stops keeps serving for a while without being ready, and then answers callers that wait for jobs; streams end at once', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const own = await startOwnApi({
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    IDENTITY_AUTHORITY: `${inject('baseUrl')}/identity`,
    DRAIN_SECONDS: '2',
  })
  await isUp(own.baseUrl)
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const leaving = api(own.baseUrl, tenant.token)
  const waits = leaving.put<JobBody>('/api/v1/structuralEntity/bulk', placesOf(1_001, 30))
  const events = eventsOf(await watch(tenant, '/api/v1/dataSet', { baseUrl: own.baseUrl }))
  expect((await events.next()).value).toMatchObject({ data: [] })
  await until('the job is accepted', async () => {
    const { body } = await tenant.get<{ Edges: unknown[] }>('/api/v1/jobs')
    return body.Edges.length > 0
  })

  process.kill(own.pid ?? 0, 'SIGTERM')
  expect(await events.next()).toMatchObject({ done: true })
  await until('it is not ready', async () => (await leaving.get('/health/ready')).status === 503)
  const late = await leaving.get('/api/v1/jobs')
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
  const answer = await waits
  expect(answer).toMatchObject({
    status: 202,
    body: { kind: 'structuralEntityBulkUpsert', progress: { total: 1_001 } },
  })
  expect(await own.ended).toMatchObject({ code: 0 })
  await hierarchy.release()
  expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 1_001 } })
})
