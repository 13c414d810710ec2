// A job and its items.
import { describe, expect, inject, test } from 'vitest'
import { chunkItems } from '../../db/jobs/chunks.js'
import { recordingProvider } from '../support/endpoints.js'
import { extractPath } from '../support/extracts.js'
import {
  addSubject,
  aNote,
  formAsked,
  formsTenant,
  oneEndpoint,
  plantWards,
  subjectTenant,
  tenantWithPlaces,
} from '../support/factories.js'
import { acceptBulk, ended, type JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { place } from '../support/hierarchy-model.js'
import { endedRun, holdHierarchy, type JobItemBody, openTemporal } from '../support/jobs.js'
import { everyPayloadOpened, textsOf } from '../support/sealed.js'
import { assignByHand, transfer } from '../support/transfers.js'
import { until } from '../support/until.js'

const temporal = await openTemporal()

/** The workflow that a job's link leads to, when it is over. */
function linked(job: JobBody) {
  const [, namespace] = /\/namespaces\/([^/]+)\/workflows\/[^/]+$/.exec(job.links.temporalUi) ?? []
  expect(namespace).toBe('default')
  return endedRun(temporal, job)
}

test('a job shows its kind, its progress, and what became of its items', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  await tenant.put('/api/v1/structuralEntity', place('there'))
  const batch = [place('leaf', 'mid'), place('there'), place('mid', 'top'), place('top')]
  const { jobId } = await acceptBulk(tenant, batch)
  const job = await ended(tenant, jobId)
  expect(job).toEqual({
    jobId,
    kind: 'structuralEntityBulkUpsert',
    status: 'Completed',
    actor: `${tenant.tenantKey}-0`,
    attempt: 1,
    traceId: expect.stringMatching(/^[\w-]{16,64}$/),
    progress: { done: 4, total: 4 },
    counts: { created: 3, updated: 1 },
    acceptedAt: expect.stringMatching(/Z$/),
    startedAt: expect.stringMatching(/Z$/),
    finishedAt: expect.stringMatching(/Z$/),
    links: {
      self: `/api/v1/jobs/${jobId}`,
      items: `/api/v1/jobs/${jobId}/items`,
      temporalUi: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\//),
    },
  })
  const items = await tenant.get<Page<JobItemBody>>(job.links.items)
  expect(items.body.Edges.map(edge => edge.Node)).toEqual([
    { index: 1, key: 'there', layer: 1, outcome: 'updated' },
    { index: 3, key: 'top', layer: 1, outcome: 'created' },
    { index: 2, key: 'mid', layer: 2, outcome: 'created' },
    { index: 0, key: 'leaf', layer: 3, outcome: 'created' },
  ])
})

test('items come in pages, across the chunks they are stored in, in the order of writing', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const total = chunkItems + 20
  const batch = [place('root'), ...Array.from({ length: total - 1 }, (_, n) => place(`p${10_000 + n}`, 'root'))]
  const { jobId, links } = await acceptBulk(tenant, batch)
  await ended(tenant, jobId)
  const keys: string[] = []
  for (let after = ''; ; ) {
    const { Edges, PageInfo } = (await tenant.get<Page<JobItemBody>>(`${links.items}?First=990${after}`)).body
    expect(PageInfo).toMatchObject({ HasPreviousPage: keys.length > 0, TotalCount: total })
    keys.push(...Edges.map(edge => edge.Node.key))
    if (!PageInfo.HasNextPage) break
    after = `&After=${PageInfo.EndCursor}`
  }
  expect(keys).toEqual(batch.map(item => item.Key))
})

describe('in the Temporal UI', () => {
  test('the link of a job leads to its workflow, which is readable in the list and found by its attributes', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const { jobId } = await acceptBulk(
      tenant,
      Array.from({ length: 21 }, (_, n) => place(`p${n}`)),
    )
    const job = await ended(tenant, jobId)
    const handle = await linked(job)
    const run = await handle.describe()
    expect(handle.workflowId).toBe(`${tenant.tenantKey}/structuralEntityBulkUpsert/${jobId}`)
    expect(run).toMatchObject({
      type: 'structuralEntityBulkUpsert',
      status: { name: 'COMPLETED' },
      taskQueue: 'background',
    })
    expect(await run.staticSummary()).toBe(`21 items from ${tenant.tenantKey}-0`)
    expect(run.searchAttributes).toMatchObject({
      TenantKey: [tenant.tenantKey],
      JobKind: ['structuralEntityBulkUpsert'],
      JobId: [jobId],
      Actor: [`${tenant.tenantKey}-0`],
    })
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    expect(metadata.currentDetails).toBe('21 of 21 items written: 21 created')
    expect(await handle.result()).toMatchObject({ end: 'all', done: 21, total: 21, counts: { created: 21 } })
  })

  test('the page of a run says what it is about and where its job is, and each activity where it continues', async () => {
    const tenant = await subjectTenant()
    await plantWards(tenant, 'ward-7', 'hospital')
    await assignByHand(tenant, await addSubject(tenant), 'ward-7')
    const job = await transfer(tenant, 'ward-7', 'hospital', 'Move')
    const run = await linked(job)
    const shown = await run.describe()
    expect(await shown.staticDetails()).toBe(
      `ward-7 → hospital, Move\n\nJob ${job.links.self}\n\n[The job in the console](${inject('baseUrl')}/console/jobs/${job.jobId})`,
    )
    expect(shown.memo).toEqual({ job: job.links.self, tenant: tenant.tenantKey })
    expect(shown.priority).toMatchObject({ priorityKey: 1, fairnessKey: tenant.tenantKey })
    const { events = [] } = await run.fetchHistory()
    const activity = events?.find(event => event.activityTaskScheduledEventAttributes)
    const [codec] = temporal.workflow.options.loadedDataConverter.payloadCodecs
    expect(textsOf(await everyPayloadOpened([activity?.userMetadata], codec))).toContain('"subjects from 1"')
  })

  test('a run that fails has the problem of its job as its failure, with code, title and detail', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    await tenant.put('/api/v1/structuralEntity', place('parent'))
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const batch = Array.from({ length: 21 }, (_, n) => place(`child-${n}`, 'parent'))
    const { jobId } = await acceptBulk(tenant, batch)
    await hierarchy.remove('parent')
    await hierarchy.release()
    const job = await ended(tenant, jobId)
    const failure = await (await linked(job)).result().catch(error => error.cause)
    expect(job.status).toBe('Failed')
    expect(`/problems/${failure.type}`).toBe(job.problem?.type)
    const message = `${job.problem?.title}: ${job.problem?.detail}`
    expect(failure).toMatchObject({ name: 'ApplicationFailure', message })
  })

  test('the run of an extract counts its definitions', async () => {
    const { forms, publish, tenantKey } = await formsTenant()
    await publish(aNote())
    const asked = { definitions: [formAsked('small')] }
    const { status, body } = await forms.post<JobBody>(extractPath, asked, { Prefer: 'respond-async' })
    expect(status).toBe(202)
    const handle = await linked(await ended(forms, body.jobId))
    const run = await handle.describe()
    expect(handle.workflowId).toBe(`${tenantKey}/multiExtract/${body.jobId}`)
    expect(await run.staticSummary()).toBe(`1 definition from ${body.actor}`)
    expect(run.searchAttributes).toMatchObject({ JobKind: ['multiExtract'], JobId: [body.jobId], Actor: [body.actor] })
    const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')
    expect(metadata.currentDetails).toBe('1 of 1 definitions listed: 0 results')
  })

  test('the run of an endpoint is found by its caller, and by an id of its own', async () => {
    const provider = await recordingProvider()
    const steps = [{ name: 'call', httpRequest: { provider: 'p', url: 'x' } }]
    const tenant = await oneEndpoint(provider, steps, { durable: true })
    expect(await tenant.call('e')).toMatchObject({ status: 200 })
    await provider.stop()
    const query = `TenantKey = '${tenant.tenantKey}' AND JobKind = 'glueEndpoint'`
    const run = await until('the run is seen', async () => {
      for await (const each of temporal.workflow.list({ query })) return each
      return undefined
    })
    expect(run.searchAttributes).toMatchObject({
      JobId: [run.workflowId.split('/').at(-1)],
      Actor: ['anybody'],
    })
  })

  test.each([
    ['the run of a thousand items is in the API, with a local activity only', 1_000, 'interactive', []],
    ['one more runs in the background', 1_001, 'background', ['structuralEntityBulkUpsert']],
  ])('%s', async (_, size, queue, scheduled) => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const { headers } = await tenant.put(
      '/api/v1/structuralEntity/bulk',
      Array.from({ length: size }, (_, n) => place(`p${n}`)),
    )
    const { body: job } = await tenant.get<JobBody>(headers.get('location') ?? '')
    const handle = await linked(job)
    await handle.result()
    const events = (await handle.fetchHistory()).events ?? []
    const started = events[0]?.workflowExecutionStartedEventAttributes
    expect(started?.taskQueue?.name).toBe(queue)
    expect(started?.eagerExecutionAccepted ?? false, 'an eager start takes no way through the queue').toBe(
      size === 1_000,
    )
    const activities = events.flatMap(event => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [])
    expect(activities).toEqual(scheduled)
    const local = events.filter(event => event.markerRecordedEventAttributes?.markerName === 'core_local_activity')
    expect(local).toHaveLength(size === 1_000 ? 1 : 0)
  })
})
