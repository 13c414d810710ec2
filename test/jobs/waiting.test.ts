// Callers that wait for jobs, or do not.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { deleteJobs } from '../../db/jobs/jobs.js'
import { freePort } from '../../dev/ports.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { projectRoot } from '../../runtime/process/version.js'
import { api, type Problem, type Tenant } from '../support/api.js'
import { extractPath, holdExtracts } from '../support/extracts.js'
import { formAsked, notesTenant, openDatabase, tenantWithPlaces, whole } from '../support/factories.js'
import { ended, type JobBody, placesOf } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { holdHierarchy } from '../support/jobs.js'
import { isReady } from '../support/running-stack.js'
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

/** Starts a second API beside the shared one, which trusts the same identity service, for the tests of a group. */
function anotherApi(settings: NodeJS.ProcessEnv, isUp: (baseUrl: string) => Promise<unknown>): () => string {
  let program: Supervised
  let baseUrl: string
  let logDir: string
  beforeAll(async () => {
    logDir = await mkdtemp(join(tmpdir(), 'armature-another-'))
    const port = await freePort()
    baseUrl = `http://127.0.0.1:${port}`
    const env = {
      ...process.env,
      PORT: String(port),
      PUBLIC_URL: '',
      DATABASE_URL: inject('databaseUrl'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      IDENTITY_AUTHORITY: `${inject('baseUrl')}/identity`,
      ENCRYPTION_KEY: inject('encryptionKey'),
      ...settings,
    }
    const args = [join(projectRoot, 'dist', 'server/main.js')]
    program = supervise({ name: 'api', command: process.execPath, args, env, ours: true }, { logDir, log: () => {} })
    await program.ready(() => isUp(baseUrl))
  })
  afterAll(async () => {
    await program.stop()
    await rm(logDir, { recursive: true })
  })
  return () => baseUrl
}

describe('an API that does not reach Temporal', () => {
  const db = openDatabase()
  const baseUrl = anotherApi({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, async url => {
    const answer = await fetch(`${url}/health/ready`)
    if (!answer.ok) throw new Error(await answer.text())
  })
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
    const again = () => api(baseUrl(), tenant.token).put<JobBody & Problem>(bulk, batch, key)
    return { tenant, tenantId, job, hierarchy, row, again }
  }

  test('answers 202 for a job that is kept, not 503', async () => {
    const { tenant, job, hierarchy, again } = await heldBulk()
    const answer = await again()
    await hierarchy.release()
    expect(answer).toMatchObject({ status: 202, body: { jobId: job.jobId } })
    expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { created: 30 } })
  })

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
  const baseUrl = anotherApi({ JOB_WAIT_SECONDS: '0' }, isReady)

  test('a large bulk that is not done when the time is up is answered 202 and goes on', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const impatient: Tenant = { ...tenant, ...api(baseUrl(), tenant.token) }
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
    const impatient = api(baseUrl(), tenant.forms.token)
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
    const impatient: Tenant = { ...tenant, ...api(baseUrl(), tenant.token) }
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const answer = await impatient.put<JobBody>(bulk, [place('a')])
    await hierarchy.release()
    expect(answer).toMatchObject(accepted('structuralEntityBulkUpsert', 1))
    expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 1 } })
  })
})
