// Callers that wait for jobs, or do not.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { deleteJobs } from '../../db/jobs/jobs.js'
import { type Api, api, type Problem, type Tenant } from '../support/api.js'
import { refreshPath, scriptedGlue } from '../support/data-sets.js'
import { extractPath, holdExtracts } from '../support/extracts.js'
import { dataTenant, formAsked, notesTenant, openDatabase, tenantWithPlaces, whole } from '../support/factories.js'
import { ended, type JobBody, placesOf } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { holdHierarchy } from '../support/jobs.js'
import { startOwnApi } from '../support/own-api.js'
import { startOwnApp } from '../support/own-app.js'
import { isUp } from '../support/running-stack.js'
import { until } from '../support/until.js'

const bulk = '/api/v1/structuralEntity/bulk'

const accepted = (kind: string, total: number) => ({
  status: 202,
  body: {
    jobId: expect.any(String),
    kind,
    status: expect.stringMatching(/^(Accepted|Running|Completed)$/),
    progress: { total },
  },
})

describe('Prefer: respond-async', () => {
  test('a bulk of 30 is answered with its job at once, and Location leads to it', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    // The job cannot end before the answer: its writer waits.
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const answer = await tenant.put<JobBody>(bulk, placesOf(30, 1), { prefer: 'respond-async, wait=10' })
    expect(answer).toMatchObject(accepted('structuralEntityBulkUpsert', 30))
    expect(answer.headers.get('preference-applied')).toBe('respond-async')
    const location = answer.headers.get('location') ?? ''
    expect(location).toBe(answer.body.links.self)
    expect(await tenant.get(location)).toMatchObject({ body: { status: 'Accepted', progress: { done: 0, total: 30 } } })
    await hierarchy.release()
    expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 30 } })
  })

  test('refuses a bad batch at once, without a job', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const answer = await tenant.put(bulk, [place('a', 'nowhere')], { prefer: 'respond-async' })
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown-parent', pointer: '/0/ParentKey' }] },
    })
    expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { Edges: [] } })
  })
})

describe('an API that does not reach Temporal', () => {
  const db = openDatabase()
  let own: Awaited<ReturnType<typeof startOwnApp>>
  beforeAll(async () => {
    own = await startOwnApp(inject('databaseUrl'))
  })
  afterAll(() => own.stop())
  const key = { 'idempotency-key': 'k' }

  /** A bulk that the shared API has accepted and that waits for the hierarchy, and its request sent to this API again. */
  async function heldBulk() {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const batch = placesOf(30, 1)
    const { body: job } = await tenant.put<JobBody>(bulk, batch, { ...key, prefer: 'respond-async' })
    const { id: tenantId } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
    const row = () => db('jobs').where({ tenant_id: tenantId, id: job.jobId })
    await until('the job has begun', async () => (await row().first('run_id'))?.run_id ?? undefined)
    const token = await own.issuer.token({ tenant_key: tenant.tenantKey, client_id: tenant.clientId })
    const again = () => api(own.baseUrl, token).put<JobBody & Problem>(bulk, batch, key)
    return { tenant, tenantId, job, hierarchy, row, again }
  }

  test('answers 202 for a job that is kept, not 503', async () => {
    const { tenant, job, hierarchy, again } = await heldBulk()
    const answer = await again()
    await hierarchy.release()
    expect(answer).toMatchObject({ status: 202, body: { jobId: job.jobId } })
    expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { created: 30 } })
  })

  test('refuses a refresh of a data set, and keeps that of a caller who does not wait', async () => {
    const tenant = await dataTenant(scriptedGlue('http://provider.example'), [])
    const claims = { tenant_key: tenant.tenantKey, client_id: tenant.clientId, scope: 'FrameApi' }
    await isKept(tenant, api(own.baseUrl, await own.issuer.token(claims)), refreshPath(), undefined)
  })

  test('refuses an extract, and keeps that of a caller who does not wait', async () => {
    const { tenant } = await notesTenant()
    const { clientId: client_id } = await tenant.client(['*'], ['FormsApi'])
    const claims = { tenant_key: tenant.tenantKey, client_id, scope: 'FormsApi' }
    const alone = api(own.baseUrl, await own.issuer.token(claims))
    await isKept(tenant, alone, extractPath, { definitions: [formAsked('small')] })
  })

  /** Expects that a call is refused, and that its job is kept for the outbox of the stack if the caller does not wait. */
  async function isKept(tenant: Tenant, alone: Api, path: string, body: object | undefined): Promise<void> {
    expect(await alone.post(path, body)).toMatchObject({ status: 503, body: { type: '/problems/unavailable' } })
    expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { Edges: [] } })
    const kept = await alone.post<JobBody>(path, body, { prefer: 'respond-async' })
    expect(kept).toMatchObject({ status: 202, body: { status: 'Accepted' } })
    expect(await tenant.post(`/api/v1/jobs/${kept.body.jobId}/cancel`)).toMatchObject({ status: 202 })
  }

  test('answers 503 if the request that accepted the job withdraws it', async () => {
    const { tenantId, job, hierarchy, row, again } = await heldBulk()
    // As if its run could not be started yet.
    await row().update({ started_at: null, accepted_at: new Date() })
    let isAnswered = false
    const answer = again().finally(() => {
      isAnswered = true
    })
    // Long enough to be answered, if it did not wait for the decision.
    for (let n = 0; n < 50 && !isAnswered; n++) await row().first('id')
    await db.transaction(trx => deleteJobs(trx, tenantId, [{ id: job.jobId, kind: 'structuralEntityBulkUpsert' }]))
    expect(await answer).toMatchObject({
      ...{ status: 503, body: { detail: expect.stringContaining('Nothing was changed.') } },
    })
    await hierarchy.release()
  })
})

describe('an API that does not wait (JOB_WAIT_SECONDS=0)', () => {
  let own: Awaited<ReturnType<typeof startOwnApi>>
  beforeAll(async () => {
    own = await startOwnApi({
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      IDENTITY_AUTHORITY: `${inject('baseUrl')}/identity`,
      JOB_WAIT_SECONDS: '0',
    })
    await isUp(own.baseUrl)
  })
  afterAll(() => own.stop())

  test('a large bulk that is not done when the time is up is answered 202 and goes on', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const impatient: Tenant = { ...tenant, ...api(own.baseUrl, tenant.token) }
    const batch = placesOf(1_001, 30)
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const answer = await impatient.put<JobBody>(bulk, batch)
    await hierarchy.release()
    expect(answer).toMatchObject(accepted('structuralEntityBulkUpsert', 1_001))
    expect(answer.headers.get('location')).toBe(answer.body.links.self)
    expect(answer.headers.get('preference-applied')).toBeNull()
    expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 1_001 } })
  })

  test('an extract is answered 202, and its results are there when it is done', async () => {
    const { tenant, patient } = await notesTenant()
    const guid = await patient.created()
    await patient.submit(guid, whole)
    const impatient = api(own.baseUrl, tenant.forms.token)
    const extracts = await holdExtracts(inject('databaseUrl'), tenant.tenantKey)
    const answer = await impatient.post<JobBody & { links: { result: string } }>(extractPath, {
      definitions: [formAsked('small')],
    })
    await extracts.release()
    expect(answer).toMatchObject(accepted('multiExtract', 1))
    expect(answer.headers.get('location')).toBe(answer.body.links.self)
    expect(answer.headers.get('preference-applied')).toBeNull()
    expect(await ended(tenant.forms, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { results: 1 } })
    expect((await impatient.get(answer.body.links.result)).status).toBe(200)
  })

  test('a small bulk is answered 202 too', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const impatient: Tenant = { ...tenant, ...api(own.baseUrl, tenant.token) }
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const answer = await impatient.put<JobBody>(bulk, [place('a')])
    await hierarchy.release()
    expect(answer).toMatchObject(accepted('structuralEntityBulkUpsert', 1))
    expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 1 } })
  })
})
